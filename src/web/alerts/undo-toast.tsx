import '../components/toast.css';
import { useEffect } from 'preact/hooks';
import { liveAlerts, reopen } from '../api/alerts.ts';
import { useChange } from '../api/use-change.ts';
import { Button } from '../components/button.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { session } from '../session.ts';
import { Shared } from '../shared.ts';
import { useKeys } from '../shell/keys.ts';
import { undo as texts } from '../texts/alerts.ts';

interface Undoable {
  readonly text: string;
  /** One of the alerts. */
  readonly id: string;
  readonly reload: () => unknown;
}

/** The last act, for a minute, on every page. */
export const undoable = new Shared<Undoable | null>(null);

// Hides everything from the next person.
session.state.listen(() => {
  if (session.state.value.kind === 'out') undoable.value = null;
});

/** The server's minute for undoing began just before its answer. */
const OFFERED_MS = 59_000;

export function UndoToast({ done }: { readonly done: Undoable }) {
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
          <Button text={texts.undo} isWorking={isWorking} onClick={undo} />
        </div>
      )}
    </>
  );
}

function forget(done: Undoable): void {
  if (undoable.value === done) undoable.value = null;
}
