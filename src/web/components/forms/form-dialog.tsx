import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Answer, Problem } from '../../api/problem.ts';
import { useChange } from '../../api/use-change.ts';
import { common } from '../../texts/common.ts';
import { Dialog } from '../dialogs/dialog.tsx';
import { ProblemNote } from '../problem-note.tsx';
import { Field } from './fields.tsx';
import { textOf } from './form.ts';

interface EndProps {
  readonly label: string;
  readonly problem: Problem | null;
  readonly isWorking: boolean;
  readonly onClose: () => void;
}

interface Props extends EndProps {
  readonly title: string;
  /** Introduces the form, above its fields. */
  readonly about?: string;
  readonly onSubmit: (event: SubmitEvent) => unknown;
  readonly children: ComponentChildren;
}

export function FormDialog({ title, about, onSubmit, children, ...end }: Props) {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    onSubmit(event);
  };
  return (
    <Dialog title={title} onClose={end.onClose}>
      {about && <p class="dialog-text">{about}</p>}
      <form class="form" onSubmit={submit}>
        {children}
        <FormEnd {...end} />
      </form>
    </Dialog>
  );
}

/** Ends dialog forms: the problem, and buttons to leave and submit. */
export function FormEnd({ label, problem, isWorking, onClose }: EndProps) {
  return (
    <>
      <FormProblem problem={problem} />
      <div class="dialog-actions">
        <button type="button" onClick={onClose}>
          {common.actions.cancel}
        </button>
        <button type="submit" class="primary" aria-disabled={isWorking}>
          {label}
        </button>
      </div>
    </>
  );
}

/**
 * Shows a problem unless a field does: the server may name a field missing here. The form's button retries with the
 * current values.
 */
export function FormProblem({ problem }: Pick<EndProps, 'problem'>) {
  const place = useRef<HTMLDivElement>(null);
  const [otherErrors, setOtherErrors] = useState('');
  useLayoutEffect(() => {
    const errors = place.current?.closest('form')?.querySelectorAll('.field-error') ?? [];
    const shown = [...errors].map(({ textContent }) => textContent);
    const wrong = Object.values(problem?.fields ?? {});
    setOtherErrors(wrong.filter((text) => !shown.includes(text)).join(' '));
  }, [problem]);
  const message = Object.keys(problem?.fields ?? {}).length > 0 ? otherErrors : (problem?.message ?? '');
  return <div ref={place}>{message !== '' && <ProblemNote problem={{ message }} />}</div>;
}

interface RenameDialogProps {
  readonly title: string;
  readonly hint: string;
  readonly label: string;
  readonly action: string;
  readonly name: string;
  readonly call: (name: string) => Promise<Answer<unknown>>;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function RenameDialog({ title, hint, label, action, name, call, onDone, onClose }: RenameDialogProps) {
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
