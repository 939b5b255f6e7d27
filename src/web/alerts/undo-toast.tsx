import { useEffect } from 'preact/hooks';
import { useChange } from '../api/use-change.ts';
import { ProblemNote } from '../components/problem-note.tsx';
import { useKeys } from '../shell/use-keys.ts';
import { type Undoable, undoable } from './undoable.ts';
import './undo-toast.css';
import { liveAlerts, reopen } from '../api/alerts.ts';
import { undo as texts } from '../texts/alerts.ts';

/** The server's minute for undoing began just before its answer. */
const OFFERED_MS = 59_000;

export default function UndoToast({ done }: { readonly done: Undoable }) {
  const { isWorking, problem, make } = useChange();
  useEffect(() => {
    const timer = setTimeout(() => forget(done), OFFERED_MS);
    return () => clearTimeout(timer);
  }, [done]);
  const undo = async (): Promise<void> => {
    if ((await make(() => reopen(done.id, { all: true }))) === null) return;
    forget(done);
    void done.reload();
    void liveAlerts.value?.reload();
  };
  useKeys({ z: () => void undo() });
  const isRefused = problem !== null && problem.retry === undefined;
  return (
    <>
      <ProblemNote problem={problem} />
      {!isRefused && (
        <div class="note note-done">
          <p>{done.text}</p>
          <button type="button" aria-disabled={isWorking} onClick={() => void undo()}>
            {texts.undo}
          </button>
        </div>
      )}
    </>
  );
}

function forget(done: Undoable): void {
  if (undoable.value === done) undoable.value = null;
}
