import type { Schema } from '../../api/client.ts';
import { change } from '../../api/identity.ts';
import { useChange } from '../../api/use-change.ts';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { textOf } from '../../components/forms/form.ts';
import { FormEnd } from '../../components/forms/form-end.tsx';
import { texts } from '../../texts/members.ts';
import { RoleChoice } from './role-choice.tsx';

type Member = Schema<'Member'>;

interface Props {
  readonly workspace: string;
  readonly member: Member;
  readonly isOwner: boolean;
  readonly onDone: (changed: Schema<'MemberAnswer'>) => void;
  readonly onClose: () => void;
}

/** Gives a member another role, and says what it lets them do. */
export function RoleDialog({ workspace, member, isOwner, onDone, onClose }: Props) {
  const { problem, isWorking, make } = useChange();
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const role = textOf(event, 'role') as Member['role'];
    if (role === member.role) return onClose();
    const input = { path: { workspace, email: member.email }, body: { role } };
    const made = await make(() => change('patch', '/v1/workspaces/{workspace}/members/{email}', input));
    if (made === null) return;
    onClose();
    onDone(made.data);
  };
  return (
    <Dialog title={texts.roleTitle(member.name)} onClose={onClose}>
      <form class="form" onSubmit={(event) => void submit(event)}>
        <RoleChoice isOwner={isOwner} current={member.role} error={problem?.fields.role} />
        <FormEnd label={texts.setRole} problem={problem} isWorking={isWorking} onClose={onClose} />
      </form>
    </Dialog>
  );
}
