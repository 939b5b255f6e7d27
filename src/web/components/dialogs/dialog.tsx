import './dialog.css';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

interface Props {
  readonly title: string;
  /** Esc, or a button of `<form method="dialog">`. */
  readonly onClose: () => void;
  /** Only the dialog's own button closes it, since what it shows is gone afterwards. */
  readonly mustAnswer?: boolean;
  /** Leaves room for keys and commands. */
  readonly wide?: boolean;
  /** The text of the only button, which closes it; absent: the dialog has its own buttons. */
  readonly done?: string;
  readonly children: ComponentChildren;
}

/** A dialog that is open as long as it is rendered. The browser keeps the focus inside, and returns it afterwards. */
export function Dialog({ title, onClose, mustAnswer = false, wide = false, done, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    // The buttons are always in sight, so one that has the focus needs no scrolling. A text begins at its start.
    if (document.activeElement?.closest('.dialog-actions') != null) dialog.current?.scrollTo(0, 0);
    // Browsers do not return the focus from a dialog that is removed without being closed. Before the removal nothing
    // outside can have it, and the next key already needs it.
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
          <button type="button" class="primary" onClick={onClose}>
            {done}
          </button>
        </div>
      )}
    </dialog>
  );
}
