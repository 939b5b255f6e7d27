import type { ComponentProps } from 'preact';
import { useState } from 'preact/hooks';
import { ask } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Choice } from '../../components/filters.tsx';
import { Page } from '../../components/page.tsx';
import { RowMenu } from '../../components/row-menu.tsx';
import { Notice, useDone } from '../../components/toast.tsx';
import { Line, LineFact } from '../../manage/line.tsx';
import { List, useList } from '../../manage/list.tsx';
import { type ManagedProps, managed } from '../../manage/managed.tsx';
import { InviteForm } from '../../manage/members/invite-form.tsx';
import {
  type MemberAction,
  MemberActions,
  MemberDialogs,
  type OpenAction,
} from '../../manage/members/member-actions.tsx';
import { usePerson } from '../../session.ts';
import { members as texts } from '../../texts/members.ts';

type Role = Schema<'Member'>['role'];

function Members({ workspace: { slug, role: own } }: ManagedProps) {
  const list = useList(slug, {
    filters: ['q', 'role', 'device'],
    load({ q, role, device }, after) {
      const has_device = device === undefined ? undefined : device === 'yes';
      const query = { q, role: role as Role | undefined, has_device, after };
      return ask('get', '/v1/workspaces/{workspace}/members', { path: { workspace: slug }, query });
    },
    rowsOf: (page) => page.members,
    kinds: ['members'],
  });
  const { pages, filters } = list;
  const [open, setOpen] = useState<OpenAction | null>(null);
  const [done, finish] = useDone(pages.reload);
  const isOwner = own === 'owner';
  return (
    <Page
      title={texts.title}
      actions={
        <Invite
          workspace={slug}
          isOwner={isOwner}
          onAdded={() => void pages.reload()}
          onSingle={({ member, invitation }) =>
            setOpen({ kind: 'pair', member, ...(invitation && { made: invitation }) })
          }
        />
      }
    >
      <List
        list={list}
        searchBy="q"
        words={texts}
        row={(member) => (
          <MemberRow
            key={member.email}
            workspace={slug}
            member={member}
            isOwner={isOwner}
            onAsk={(kind) => setOpen({ kind, member })}
          />
        )}
      >
        <Choice name="role" label={texts.role} value={filters.values.role} any={texts.anyRole} options={texts.roles} />
        <Choice name="device" label={texts.reached} value={filters.values.device} options={texts.reach} />
      </List>
      <MemberDialogs workspace={slug} isOwner={isOwner} open={open} setOpen={setOpen} onDone={finish} />
      <Notice done={done} />
    </Page>
  );
}

type InviteProps = Omit<ComponentProps<typeof InviteForm>, 'onClose'>;

/** Keeps the dialog's state: opening it does not rerender hundreds of members. */
function Invite({ onSingle, ...others }: InviteProps) {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  return (
    <>
      <Button text={texts.invite} class="primary" onClick={() => setOpen(true)} />
      {isOpen && (
        <InviteForm
          {...others}
          onSingle={(added) => {
            close();
            onSingle(added);
          }}
          onClose={close}
        />
      )}
    </>
  );
}

export default managed(Members);

interface MemberRowProps {
  readonly workspace: string;
  readonly member: Schema<'ListedMember'>;
  /** Only owners may change owners. */
  readonly isOwner: boolean;
  readonly onAsk: (what: MemberAction) => void;
}

function MemberRow({ workspace, member, isOwner, onAsk }: MemberRowProps) {
  const { email, name, role, devices } = member;
  const isSelf = usePerson()?.user.email === email;
  return (
    <Line
      href={`/w/${workspace}/members/${encodeURIComponent(email)}`}
      name={name}
      more={name === email ? null : email}
    >
      {isSelf && <LineFact>{texts.you}</LineFact>}
      <LineFact isWide>{texts.devices(devices)}</LineFact>
      <LineFact>{texts.roles[role]}</LineFact>
      {(isOwner || role !== 'owner') && (
        <RowMenu label={texts.menu(name)}>
          <MemberActions member={member} onAsk={onAsk} />
        </RowMenu>
      )}
    </Line>
  );
}
