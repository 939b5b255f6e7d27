import type { Problem } from '../api/problem.ts';
import { common } from '../texts/common.ts';
import { Button } from './button.tsx';

interface Props {
  /** Null: there is no problem. */
  readonly problem: Pick<Problem, 'message' | 'retry'> | null;
  /** The button's retry, unless the problem has its own. */
  readonly retry?: () => unknown;
}

export function ProblemNote({ problem, retry: load }: Props) {
  if (problem === null) return null;
  const retry = problem.retry ?? load;
  return (
    <div class="note note-problem" role="alert">
      <p>{problem.message}</p>
      {retry !== undefined && <Button text={common.actions.tryAgain} onClick={retry} />}
    </div>
  );
}
