import { change } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { useChange } from '../../api/use-change.ts';
import { ProblemNote } from '../../components/problem-note.tsx';
import type { Done } from '../../components/toast.tsx';
import { members as texts } from '../../texts/members.ts';
import { EndDialog } from './end-dialog.tsx';
import type { MemberAction } from './member-actions.tsx';
import { PairingDialog } from './pairing-dialog.tsx';
import { RoleDialog } from './role-dialog.tsx';

export type Member = Pick<Schema<'Member'>, 'email' | 'name' | 'role'>;
/** `made`: a link that exists already. */
export interface OpenAction {
  readonly kind: MemberAction;
  readonly member: Member;
  readonly made?: Schema<'Pairing'>;
}

interface Props {
  readonly workspace: string;
  readonly isOwner: boolean;
  readonly open: OpenAction | null;
  readonly setOpen: (open: OpenAction | null) => void;
  /** Reports a change to a member, who must be reloaded. */
  readonly onDone: (done: Done) => void;
}

export function MemberDialogs({ workspace, isOwner, open, setOpen, onDone }: Props) {
  const taken = useChange();
  const close = (): void => setOpen(null);
  const changed = ({ member, invitation }: Schema<'MemberAnswer'>, undo?: () => unknown): void => {
    onDone({ text: texts.isNow(member.name, texts.roles[member.role]), ...(undo && { undo }) });
    // Current sessions lack the new role until its link is opened.
    if (invitation !== null) setOpen({ kind: 'pair', member, made: invitation });
  };
  const takeBack = async ({ email }: Member, role: Member['role']): Promise<void> => {
    const input = { path: { workspace, email }, body: { role } };
    const made = await taken.make(() => change('patch', '/v1/workspaces/{workspace}/members/{email}', input));
    if (made !== null) changed(made.data);
  };
  if (open === null) return <ProblemNote problem={taken.problem} />;
  const { kind, member, made = null } = open;
  if (kind === 'pair') return <PairingDialog workspace={workspace} member={member} made={made} onClose={close} />;
  if (kind === 'role') {
    return (
      <RoleDialog
        workspace={workspace}
        member={member}
        isOwner={isOwner}
        onDone={(answer) => changed(answer, () => takeBack(answer.member, member.role))}
        onClose={close}
      />
    );
  }
  return (
    <EndDialog end={kind} workspace={workspace} member={member} onDone={(text) => onDone({ text })} onClose={close} />
  );
}
