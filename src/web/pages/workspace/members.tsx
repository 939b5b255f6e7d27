import { useState } from 'preact/hooks';
import { ask } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { change } from '../../api/identity.ts';
import { useChange } from '../../api/use-change.ts';
import { useLoad } from '../../api/use-load.ts';
import { Page } from '../../components/page.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { type ManagedProps, managed } from '../../manage/managed.tsx';
import { type End, EndDialog } from '../../manage/members/end-dialog.tsx';
import { InviteForm } from '../../manage/members/invite-form.tsx';
import { MemberRow } from '../../manage/members/member-row.tsx';
import { PairingDialog } from '../../manage/members/pairing-dialog.tsx';
import { RoleDialog } from '../../manage/members/role-dialog.tsx';
import { type Done, Notice } from '../../manage/notice.tsx';
import { texts as shared } from '../../texts/manage.ts';
import { texts } from '../../texts/members.ts';

type Member = Schema<'Member'>;
type Open =
  | { readonly kind: 'form' }
  | { readonly kind: 'pair'; readonly member: Member; readonly made: Schema<'Pairing'> | null }
  | { readonly kind: 'role' | End; readonly member: Member };

/** Who belongs to the workspace, and in which role. */
function Members({ workspace: { slug, role } }: ManagedProps) {
  const members = useLoad(slug, () => ask('get', '/v1/workspaces/{workspace}/members', { path: { workspace: slug } }), [
    'members',
  ]);
  const [open, setOpen] = useState<Open | null>(null);
  const [done, setDone] = useState<Done | null>(null);
  const roleChange = useChange();
  const close = (): void => setOpen(null);
  const setRole = async (member: Member, role: Member['role']): Promise<void> => {
    const input = { path: { workspace: slug, email: member.email }, body: { role } };
    const made = await roleChange.make(() => change('patch', '/v1/workspaces/{workspace}/members/{email}', input));
    if (made !== null) changed(made.data);
  };
  const changed = ({ member, invitation }: Schema<'MemberAnswer'>, undo?: () => unknown): void => {
    void members.reload();
    setDone({ text: texts.isNow(member.name, texts.roles[member.role]), ...(undo && { undo }) });
    // What they are signed in with does not reach so far: they need the link that came with it.
    if (invitation !== null) setOpen({ kind: 'pair', member, made: invitation });
  };
  return (
    <Page
      title={texts.title}
      actions={
        <button type="button" class="primary" onClick={() => setOpen({ kind: 'form' })}>
          {texts.invite}
        </button>
      }
    >
      <p class="about">{texts.about}</p>
      {roleChange.problem !== null && <ProblemNote problem={roleChange.problem} />}
      {members.problem !== null && <ProblemNote problem={members.problem} retry={members.reload} />}
      {members.data === null && members.problem === null && <Skeleton label={texts.loading} />}
      {members.data !== null && (
        <ul class="list">
          {members.data.members.map((member) => (
            <MemberRow
              key={`${member.email} ${member.role}`}
              member={member}
              isOwner={role === 'owner'}
              onAsk={(kind) => setOpen(kind === 'pair' ? { kind, member, made: null } : { kind, member })}
            />
          ))}
        </ul>
      )}
      {open?.kind === 'form' && (
        <InviteForm
          workspace={slug}
          isOwner={role === 'owner'}
          onAdded={({ member, invitation }) => {
            setOpen({ kind: 'pair', member, made: invitation });
            void members.reload();
          }}
          onClose={close}
        />
      )}
      {open?.kind === 'role' && (
        <RoleDialog
          workspace={slug}
          member={open.member}
          isOwner={role === 'owner'}
          onDone={(answer) => changed(answer, () => setRole(answer.member, open.member.role))}
          onClose={close}
        />
      )}
      {open?.kind === 'pair' && (
        <PairingDialog workspace={slug} member={open.member} made={open.made} onClose={close} />
      )}
      {(open?.kind === 'remove' || open?.kind === 'signOut') && (
        <EndDialog
          end={open.kind}
          workspace={slug}
          member={open.member}
          onDone={(text) => {
            setDone({ text });
            void members.reload();
          }}
          onClose={close}
        />
      )}
      <Notice done={done} undoText={shared.undo} />
    </Page>
  );
}

export default managed(Members);
