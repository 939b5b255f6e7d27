import { markUnread } from '../api/events.ts';
import { useChange } from '../api/use-change.ts';
import { ProblemNote } from '../components/problem-note.tsx';
import { undoRead as texts } from '../texts/inbox.ts';
import { markedTogether } from './marked-together.ts';

/** Tells how many events were marked as read, with undo. */
export default function UndoRead({ ids }: { readonly ids: readonly string[] }) {
  const { isWorking, problem, make } = useChange();
  const undo = async (): Promise<void> => {
    if ((await make(() => markUnread(ids))) !== null) markedTogether.value = null;
  };
  return (
    <div class="note">
      <p>{texts.wereRead(ids.length)}</p>
      <button type="button" aria-disabled={isWorking} onClick={() => void undo()}>
        {texts.undo}
      </button>
      <ProblemNote problem={problem} />
    </div>
  );
}
