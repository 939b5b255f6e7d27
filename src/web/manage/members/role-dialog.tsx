import { change } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { useChange } from '../../api/use-change.ts';
import { textOf } from '../../components/forms/form.ts';
import { FormDialog } from '../../components/forms/form-dialog.tsx';
import { members as texts } from '../../texts/members.ts';
import { RoleChoice } from './role-choice.tsx';

type Member = Schema<'Member'>;

interface Props {
  readonly workspace: string;
  readonly member: Member;
  readonly isOwner: boolean;
  readonly onDone: (changed: Schema<'MemberAnswer'>) => void;
  readonly onClose: () => void;
}

export function RoleDialog({ workspace, member, isOwner, onDone, onClose }: Props) {
  const { problem, isWorking, make } = useChange();
  const submit = async (event: SubmitEvent): Promise<void> => {
    const role = textOf(event, 'role') as Member['role'];
    if (role === member.role) return onClose();
    const input = { path: { workspace, email: member.email }, body: { role } };
    const made = await make(() => change('patch', '/v1/workspaces/{workspace}/members/{email}', input));
    if (made === null) return;
    onClose();
    onDone(made.data);
  };
  return (
    <FormDialog
      title={texts.roleTitle(member.name)}
      label={texts.setRole}
      onSubmit={submit}
      {...{ problem, isWorking, onClose }}
    >
      <RoleChoice isOwner={isOwner} current={member.role} error={problem?.fields.role} />
    </FormDialog>
  );
}
