import type { Schema } from '../../api/client.ts';
import { change } from '../../api/identity.ts';
import { useChange } from '../../api/use-change.ts';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { Field } from '../../components/forms/field.tsx';
import { textOf } from '../../components/forms/form.ts';
import { FormEnd } from '../../components/forms/form-end.tsx';
import { given } from '../../components/forms/given.ts';
import { texts } from '../../texts/members.ts';
import { RoleChoice } from './role-choice.tsx';

type Member = Schema<'Member'>;

interface Props {
  readonly workspace: string;
  readonly isOwner: boolean;
  readonly onAdded: (added: Schema<'MemberAnswer'>) => void;
  readonly onClose: () => void;
}

export function InviteForm({ workspace, isOwner, onAdded, onClose }: Props) {
  const { problem, isWorking, make } = useChange();
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const body = {
      email: textOf(event, 'email'),
      role: textOf(event, 'role') as Member['role'],
      ...given('name', textOf(event, 'name')),
    };
    const added = await make(() => change('post', '/v1/workspaces/{workspace}/members', { path: { workspace }, body }));
    if (added !== null) onAdded(added.data);
  };
  return (
    <Dialog title={texts.inviteTitle} onClose={onClose}>
      <form class="form" onSubmit={(event) => void submit(event)}>
        <Field label={texts.email} error={problem?.fields.email}>
          <input name="email" type="email" required autocomplete="off" />
        </Field>
        <Field label={texts.name} hint={texts.nameHint} error={problem?.fields.name}>
          <input name="name" maxLength={255} autocomplete="off" />
        </Field>
        <RoleChoice isOwner={isOwner} current="member" error={problem?.fields.role} />
        <FormEnd label={texts.add} problem={problem} isWorking={isWorking} onClose={onClose} />
      </form>
    </Dialog>
  );
}
