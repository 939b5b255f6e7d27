import './toast.css';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { lists as texts } from '../texts/common.ts';
import { Button } from './button.tsx';

/** A message at the screen's bottom, last in the page. Rendered while empty: only then do screen readers read it. */
export function Toast({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="toast" role="status">
      {children}
    </div>
  );
}

/** A finished act, with undo if possible. */
export interface Done {
  readonly text: string;
  readonly undo?: () => unknown;
}

/** Returns the page's last act, and a function that reports one and reloads. */
export function useDone(reload: () => Promise<void>): readonly [Done | null, finish: (done: Done | null) => void] {
  const [done, setDone] = useState<Done | null>(null);
  const finish = (what: Done | null): void => {
    setDone(what);
    void reload();
  };
  return [done, finish];
}

/** The last part of a page. */
export function Notice({ done }: { readonly done: Done | null }) {
  return (
    <Toast>
      {done !== null && (
        <div class="note note-done">
          <p>{done.text}</p>
          {done.undo !== undefined && <Button text={texts.undo} onClick={() => done.undo?.()} />}
        </div>
      )}
    </Toast>
  );
}
