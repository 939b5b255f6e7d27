import { useState } from 'preact/hooks';
import type { Answer, Problem } from './problem.ts';

/** What the user does on a page by a call, a change or to load more: whether it is under way, and what went wrong with it. */
export interface Change {
  /** Said by `aria-disabled` of what makes it: a control that is disabled itself loses the focus. */
  readonly isWorking: boolean;
  readonly problem: Problem | null;
  /**
   * Makes it, unless one is under way. Returns what came of it; null where it was not made, or where that is the problem
   * which is shown now.
   */
  make<T>(call: () => Promise<Answer<T>>): Promise<{ readonly data: T } | null>;
}

export function useChange(): Change {
  const [isWorking, setWorking] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  return {
    isWorking,
    problem,
    async make(call) {
      if (isWorking) return null;
      setWorking(true);
      const answer = await call();
      setWorking(false);
      setProblem(answer.ok ? null : answer.problem);
      return answer.ok ? answer : null;
    },
  };
}
