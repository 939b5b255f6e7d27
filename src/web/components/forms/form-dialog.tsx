import type { ComponentChildren, VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Answer, Problem } from '../../api/problem.ts';
import { useChange } from '../../api/use-change.ts';
import { common } from '../../texts/common.ts';
import { Button } from '../button.tsx';
import { Dialog } from '../dialogs/dialog.tsx';
import { ProblemNote } from '../problem-note.tsx';
import { Field, FieldErrors } from './fields.tsx';
import { dataOf, textOf } from './form.ts';

interface EndProps {
  readonly label: string;
  readonly problem: Problem | null;
  readonly isWorking: boolean;
  readonly onClose: () => void;
}

interface Props<T> {
  readonly title: string;
  /** Introduces the form, above its fields. */
  readonly about?: string | undefined;
  /** The button that sends the form. */
  readonly label: string;
  /** Tells whether the form can be sent. If not, a field says why. */
  readonly isSendable?: (form: FormData) => boolean;
  readonly send: (form: FormData) => Promise<Answer<T>>;
  readonly onDone: (data: T) => void;
  readonly onClose: () => void;
  /** Whether what the form needs is there. */
  readonly isReady?: boolean;
  /** The fields. `make`: makes another call that ends the form. */
  readonly children: ComponentChildren | ((form: Pick<EndProps, 'isWorking'> & { readonly make: Make<T> }) => VNode);
}

type Make<T> = (call: () => Promise<Answer<T>>) => Promise<void>;

/** A form in a dialog. Its fields show the server's errors, and it stays open until its call has succeeded. */
export function FormDialog<T>({ title, about, label, send, onDone, onClose, children, ...props }: Props<T>) {
  const { isSendable = () => true, isReady = true } = props;
  const change = useChange();
  const { problem } = change;
  const isWorking = change.isWorking || !isReady;
  const make: Make<T> = async (call) => {
    const made = await change.make(call);
    if (made !== null) onDone(made.data);
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = dataOf(event);
    if (isSendable(form) && isReady) void make(() => send(form));
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {about && <p class="dialog-text">{about}</p>}
      <form class="form" onSubmit={submit}>
        <FieldErrors.Provider value={problem?.fields ?? {}}>
          {typeof children === 'function' ? children({ isWorking, make }) : children}
        </FieldErrors.Provider>
        <FormEnd {...{ label, problem, isWorking, onClose }} />
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
        <Button text={common.actions.cancel} onClick={onClose} />
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
    const update = (): void => {
      const errors = place.current?.closest('form')?.querySelectorAll('.field-error') ?? [];
      const shown = [...errors].map(({ textContent }) => textContent);
      const wrong = Object.values(problem?.fields ?? {});
      setOtherErrors(wrong.filter((text) => !shown.includes(text)).join(' '));
    };
    // Fields get their errors by context, which is drawn after this and before the next paint.
    queueMicrotask(update);
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
  return (
    <FormDialog title={title} label={action} send={(form) => call(textOf(form, 'name'))} {...{ onDone, onClose }}>
      <Field label={label} hint={hint} field="name">
        <input name="name" dir="auto" required maxLength={255} autocomplete="off" defaultValue={name} />
      </Field>
    </FormDialog>
  );
}
