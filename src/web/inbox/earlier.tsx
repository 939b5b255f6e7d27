import { type Inbox, type InboxFilter, loadInbox } from '../api/events.ts';
import { useChange } from '../api/use-change.ts';
import { ProblemNote } from '../components/problem-note.tsx';
import { msOf, times } from '../format/time.ts';
import { inbox as texts } from '../texts/inbox.ts';

interface Props {
  readonly filter: InboxFilter;
  readonly next: string | null;
  /** How far back the search went. */
  readonly searchedTo: string | null | undefined;
  /** `from`: the requested `next`. */
  readonly add: (page: Inbox, from: string) => void;
}

/** The list's end, or the way on. */
export function Earlier({ filter, next, searchedTo, add }: Props) {
  const { isWorking, problem, make } = useChange();
  if (next === null) return <p class="end">{texts.end}</p>;
  const load = async (): Promise<void> => {
    const loaded = await make(() => loadInbox(filter, { before: next }));
    if (loaded !== null) add(loaded.data, next);
  };
  return (
    <div class="end">
      <ProblemNote problem={problem} />
      {searchedTo && <p>{texts.searchedTo(times.exact(msOf(searchedTo)))}</p>}
      <button type="button" aria-disabled={isWorking} onClick={() => void load()}>
        {texts.earlier}
      </button>
    </div>
  );
}
