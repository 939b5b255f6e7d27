import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Answer } from '../../api/problem.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

interface Props {
  /** The action in one word, also for the button that confirms. */
  readonly label: string;
  readonly question: string;
  /** Says what happens then, and what does not. */
  readonly children: ComponentChildren;
  readonly act: () => Promise<Answer<unknown>>;
  /** Shows what came of it, before the dialog closes. */
  readonly reload?: () => Promise<void>;
}

/** A button that asks before it ends something. */
export function ConfirmButton({ label, question, children, act, reload }: Props) {
  const [isOpen, setOpen] = useState(false);
  const call = async (): Promise<Answer<unknown>> => {
    const answer = await act();
    if (answer.ok) await reload?.();
    return answer;
  };
  return (
    <>
      <button type="button" class="danger" onClick={() => setOpen(true)}>
        {label}
      </button>
      {isOpen && (
        <ConfirmDialog title={question} action={label} call={call} onClose={() => setOpen(false)}>
          {children}
        </ConfirmDialog>
      )}
    </>
  );
}
