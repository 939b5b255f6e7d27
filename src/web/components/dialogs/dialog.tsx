import './dialog.css';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

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
          <button type="button" class="primary" onClick={onClose}>
            {done}
          </button>
        </div>
      )}
    </dialog>
  );
}
