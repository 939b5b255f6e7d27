import { useRef, useState } from 'preact/hooks';
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

/** `shown`: if that changes meanwhile, nobody has to wait for the answer: the change has come to it, or came too late. */
export function useChange(shown = ''): Change {
  const [working, setWorking] = useState<{ readonly on: string } | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const latest = useRef<object | null>(null);
  const isWorking = working?.on === shown;
  return {
    isWorking,
    problem,
    async make(call) {
      if (isWorking) return null;
      const own = { on: shown };
      latest.current = own;
      setWorking(own);
      const answer = await call();
      if (latest.current === own) {
        setWorking(null);
        setProblem(answer.ok ? null : answer.problem);
      }
      return answer.ok ? answer : null;
    },
  };
}
