import { useState } from 'preact/hooks';
import { type Inbox, type InboxFilter, loadInbox } from '../api/events.ts';
import type { Problem } from '../api/problem.ts';
import { ProblemNote } from '../components/problem-note.tsx';
import { msOf, times } from '../format/time.ts';
import { texts } from '../texts/inbox.ts';

interface Props {
  readonly filter: InboxFilter;
  readonly next: string | null;
  /** How far a search came. */
  readonly searchedTo: string | null | undefined;
  /** `from`: the `next` that the page was asked with. */
  readonly add: (page: Inbox, from: string) => void;
}

/** The end of the list, or the way on. */
export function Earlier({ filter, next, searchedTo, add }: Props) {
  const [isLoading, setLoading] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  if (next === null) return <p class="end">{texts.end}</p>;
  const load = async (): Promise<void> => {
    setLoading(true);
    const answer = await loadInbox(filter, { before: next });
    setLoading(false);
    setProblem(answer.ok ? null : answer.problem);
    if (answer.ok) add(answer.data, next);
  };
  return (
    <div class="end">
      {problem !== null && <ProblemNote problem={problem} />}
      {searchedTo && <p>{texts.searchedTo(times.exact(msOf(searchedTo)))}</p>}
      <button type="button" disabled={isLoading} onClick={() => void load()}>
        {texts.earlier}
      </button>
    </div>
  );
}
