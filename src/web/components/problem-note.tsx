import type { Problem } from '../api/problem.ts';
import { common } from '../texts/common.ts';

interface Props {
  /** Null: nothing did. */
  readonly problem: Pick<Problem, 'message' | 'retry'> | null;
  /** What can help, unless the problem itself says so. */
  readonly retry?: () => unknown;
}

/** What went wrong, where it did, with a way on. */
export function ProblemNote({ problem, retry: load }: Props) {
  if (problem === null) return null;
  const retry = problem.retry ?? load;
  return (
    <div class="note note-problem" role="alert">
      <p>{problem.message}</p>
      {retry !== undefined && (
        <button type="button" onClick={() => void retry()}>
          {common.actions.tryAgain}
        </button>
      )}
    </div>
  );
}
