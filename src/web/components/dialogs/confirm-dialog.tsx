import type { ComponentChildren } from 'preact';
import type { Answer } from '../../api/problem.ts';
import { useChange } from '../../api/use-change.ts';
import { common } from '../../texts/common.ts';
import { ProblemNote } from '../problem-note.tsx';
import { Dialog } from './dialog.tsx';

interface Props<T> {
  readonly title: string;
  /** The effects, and that they are final. */
  readonly children: ComponentChildren;
  readonly action: string;
  readonly call: () => Promise<Answer<T>>;
  readonly onDone?: (data: T) => void;
  readonly onClose: () => void;
}

export function ConfirmDialog<T>({ title, children, action, call, onDone, onClose }: Props<T>) {
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
        <button type="button" onClick={onClose}>
          {common.actions.cancel}
        </button>
        <button type="button" class="danger" aria-disabled={isWorking} onClick={() => void confirm()}>
          {action}
        </button>
      </div>
    </Dialog>
  );
}
