import type { ComponentProps } from 'preact';
import { useState } from 'preact/hooks';
import { ask } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { usePages } from '../../api/use-pages.ts';
import { Choice, FilterBar } from '../../components/filters/filter-bar.tsx';
import { useFilters } from '../../components/filters/use-filters.ts';
import { Page } from '../../components/page.tsx';
import { EmptyList } from '../../manage/empty-list.tsx';
import { type ManagedProps, managed } from '../../manage/managed.tsx';
import { InviteForm } from '../../manage/members/invite-form.tsx';
import { MemberDialogs, type OpenAction } from '../../manage/members/member-dialogs.tsx';
import { MemberRow } from '../../manage/members/member-row.tsx';
import { Notice, useDone } from '../../manage/notice.tsx';
import { PageList } from '../../manage/page-list.tsx';
import { texts } from '../../texts/members.ts';

type Role = Schema<'Member'>['role'];

/** Who belongs to the workspace, and in which role. */
function Members({ workspace: { slug, role: own } }: ManagedProps) {
  const filters = useFilters(['q', 'role', 'device']);
  const { q, role, device } = filters.values;
  const members = usePages(
    `${slug} ${filters.key}`,
    (after) => {
      const has_device = device === undefined ? undefined : device === 'yes';
      const query = { q, role: role as Role | undefined, has_device, after };
      return ask('get', '/v1/workspaces/{workspace}/members', { path: { workspace: slug }, query });
    },
    (page) => page.members,
    ['members'],
  );
  const [open, setOpen] = useState<OpenAction | null>(null);
  const [done, finish] = useDone(members.reload);
  const isOwner = own === 'owner';
  return (
    <Page
      title={texts.title}
      actions={
        <Invite
          workspace={slug}
          isOwner={isOwner}
          onAdded={() => void members.reload()}
          onSingle={({ member, invitation }) =>
            setOpen({ kind: 'pair', member, ...(invitation && { made: invitation }) })
          }
        />
      }
    >
      <FilterBar label={texts.filters} onSubmit={filters.submit}>
        <input type="search" name="q" defaultValue={q} placeholder={texts.search} aria-label={texts.search} />
        <Choice name="role" label={texts.role} value={role} any={texts.anyRole} options={texts.roles} />
        <Choice name="device" label={texts.reached} value={device} options={texts.reach} />
      </FilterBar>
      <PageList
        pages={members}
        label={texts.title}
        row={(member) => (
          <MemberRow
            key={member.email}
            workspace={slug}
            member={member}
            isOwner={isOwner}
            onAsk={(kind) => setOpen({ kind, member })}
          />
        )}
        empty={<EmptyList words={null} />}
      />
      <MemberDialogs workspace={slug} isOwner={isOwner} open={open} setOpen={setOpen} onDone={finish} />
      <Notice done={done} />
    </Page>
  );
}

type InviteProps = Omit<ComponentProps<typeof InviteForm>, 'onClose'>;

/** By itself, as the list of hundreds beside it is not to be drawn anew for the dialog. */
function Invite({ onSingle, ...others }: InviteProps) {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  return (
    <>
      <button type="button" class="primary" onClick={() => setOpen(true)}>
        {texts.invite}
      </button>
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
