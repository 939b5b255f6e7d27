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
}

/** For what ends something: asks first. */
export function ConfirmButton({ label, question, children, act }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="danger" onClick={() => setOpen(true)}>
        {label}
      </button>
      {isOpen && (
        <ConfirmDialog
          title={question}
          action={label}
          call={act}
          onDone={() => undefined}
          onClose={() => setOpen(false)}
        >
          {children}
        </ConfirmDialog>
      )}
    </>
  );
}
