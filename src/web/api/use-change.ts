import { useState } from 'preact/hooks';
import type { Answer, Problem } from './problem.ts';

/** What the user does on a page by a call, a change or to load more: whether it is under way, and what went wrong with it. */
export interface Change {
  readonly isWorking: boolean;
  readonly problem: Problem | null;
  /** Makes it; answers what came of it, null where that is the problem which is shown now. */
  make<T>(call: () => Promise<Answer<T>>): Promise<{ readonly data: T } | null>;
}

export function useChange(): Change {
  const [isWorking, setWorking] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  return {
    isWorking,
    problem,
    async make(call) {
      setWorking(true);
      const answer = await call();
      setWorking(false);
      setProblem(answer.ok ? null : answer.problem);
      return answer.ok ? { data: answer.data } : null;
    },
  };
}
