import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Answer } from '../../api/problem.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

interface Props {
  /** The action in one word, also for confirming. */
  readonly label: string;
  readonly question: string;
  /** The effects and their limits. */
  readonly children: ComponentChildren;
  readonly act: () => Promise<Answer<unknown>>;
  /** Shows the result before the dialog closes. */
  readonly reload?: () => Promise<void>;
}

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
