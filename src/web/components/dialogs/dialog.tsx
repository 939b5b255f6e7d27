import './dialog.css';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

interface Props {
  readonly title: string;
  /** Esc, or a button of `<form method="dialog">`. */
  readonly onClose: () => void;
  /** What it shows is gone when it closes: only its own button does that. */
  readonly mustAnswer?: boolean;
  /** For keys and commands. */
  readonly wide?: boolean;
  /** On the only button, which closes it; absent: it has buttons of its own. */
  readonly done?: string;
  readonly children: ComponentChildren;
}

/** A dialog that is open as long as it is shown. The browser keeps the focus inside, and gives it back afterwards. */
export function Dialog({ title, onClose, mustAnswer = false, wide = false, done, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    // A dialog that is taken away without being closed does not give it back. Once it is gone, as nothing outside of it
    // can have the focus before, and at once, as the next key is for what has it then.
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
