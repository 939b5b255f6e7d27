import type { Answer } from '../../api/problem.ts';
import { useChange } from '../../api/use-change.ts';
import { Field } from '../forms/field.tsx';
import { textOf } from '../forms/form.ts';
import { FormDialog } from '../forms/form-dialog.tsx';

interface Props {
  readonly title: string;
  readonly hint: string;
  readonly label: string;
  readonly action: string;
  readonly name: string;
  readonly call: (name: string) => Promise<Answer<unknown>>;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function RenameDialog({ title, hint, label, action, name, call, onDone, onClose }: Props) {
  const { problem, isWorking, make } = useChange();
  const submit = async (event: SubmitEvent): Promise<void> => {
    if ((await make(() => call(textOf(event, 'name')))) !== null) onDone();
  };
  return (
    <FormDialog title={title} label={action} onSubmit={submit} {...{ problem, isWorking, onClose }}>
      <Field label={label} hint={hint} error={problem?.fields.name}>
        <input name="name" dir="auto" required maxLength={255} autocomplete="off" defaultValue={name} />
      </Field>
    </FormDialog>
  );
}
