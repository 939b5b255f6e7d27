import './dialog.css';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Answer } from '../../api/problem.ts';
import { useChange } from '../../api/use-change.ts';
import { common } from '../../texts/common.ts';
import { Button } from '../button.tsx';
import { ProblemNote } from '../problem-note.tsx';

interface Props {
  readonly title: string;
  /** Esc, or a button of `<form method="dialog">`. */
  readonly onClose: () => void;
  /** Only its own button closes it, since the contents are then gone. */
  readonly mustAnswer?: boolean;
  /** Leaves room for keys and commands. */
  readonly wide?: boolean;
  /** The only button's text; absent: the dialog has its own buttons. */
  readonly done?: string;
  readonly children: ComponentChildren;
}

/** A dialog, open while rendered. The browser traps and returns the focus. */
export function Dialog({ title, onClose, mustAnswer = false, wide = false, done, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    // Buttons are always in sight, so only texts scroll to their start.
    if (document.activeElement?.closest('.dialog-actions') != null) dialog.current?.scrollTo(0, 0);
    // Browsers do not return the focus from a removed, unclosed dialog. Before the removal nothing outside can have it,
    // and the next key needs it.
    return () => {
      if (opener instanceof HTMLElement) queueMicrotask(() => opener.focus());
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={wide ? 'dialog-wide' : undefined}
      aria-labelledby={id}
      closedby={mustAnswer ? 'none' : 'closerequest'}
      onCancel={(event) => {
        if (mustAnswer) event.preventDefault();
      }}
      onClose={onClose}
    >
      <h2 id={id} dir="auto">
        {title}
      </h2>
      {children}
      {done !== undefined && (
        <div class="dialog-actions">
          <Button text={done} class="primary" onClick={onClose} />
        </div>
      )}
    </dialog>
  );
}

interface ConfirmDialogProps<T> {
  readonly title: string;
  /** The effects, and that they are final. */
  readonly children: ComponentChildren;
  readonly action: string;
  readonly call: () => Promise<Answer<T>>;
  readonly onDone?: (data: T) => void;
  readonly onClose: () => void;
}

export function ConfirmDialog<T>({ title, children, action, call, onDone, onClose }: ConfirmDialogProps<T>) {
  const { problem, isWorking, make } = useChange();
  const confirm = async (): Promise<void> => {
    const made = await make(call);
    if (made === null) return;
    onClose();
    onDone?.(made.data);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="dialog-text">{children}</div>
      <ProblemNote problem={problem} />
      <div class="dialog-actions">
        <Button text={common.actions.cancel} onClick={onClose} />
        <Button text={action} class="danger" isWorking={isWorking} onClick={confirm} />
      </div>
    </Dialog>
  );
}

interface ConfirmButtonProps {
  /** The action in one word, also for confirming. */
  readonly label: string;
  readonly question: string;
  /** The effects and their limits. */
  readonly children: ComponentChildren;
  readonly act: () => Promise<Answer<unknown>>;
  /** Shows the result before the dialog closes. */
  readonly reload?: () => Promise<void>;
}

export function ConfirmButton({ label, question, children, act, reload }: ConfirmButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const call = async (): Promise<Answer<unknown>> => {
    const answer = await act();
    if (answer.ok) await reload?.();
    return answer;
  };
  return (
    <>
      <Button text={label} class="danger" onClick={() => setOpen(true)} />
      {isOpen && (
        <ConfirmDialog title={question} action={label} call={call} onClose={() => setOpen(false)}>
          {children}
        </ConfirmDialog>
      )}
    </>
  );
}
