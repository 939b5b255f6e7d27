import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Answer } from '../../api/problem.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

interface Props {
  /** What the button does, in one word: also on the button that confirms. */
  readonly label: string;
  readonly question: string;
  /** What then happens, and what does not. */
  readonly children: ComponentChildren;
  readonly act: () => Promise<Answer<unknown>>;
  /** Shows what came of it, before the dialog closes. */
  readonly reload?: () => Promise<void>;
}

/** For what ends something: asks first. */
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
