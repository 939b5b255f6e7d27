import { useEffect, useRef, useState } from 'preact/hooks';
import { connection } from './connection.ts';
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

interface Try {
  readonly on: string;
  /** Ends the wait for the user, who does something else. */
  giveUp(): void;
}

/**
 * If the server cannot be reached, the problem has a `retry`, and `make` waits for it: what its caller does afterwards is
 * done then. `shown`: if that changes, nobody has to wait for the answer, and no retry is offered: the change has come to
 * it, or came too late.
 */
export function useChange(shown = ''): Change {
  const [working, setWorking] = useState<Try | null>(null);
  const [failed, setFailed] = useState<{ readonly on: string; readonly problem: Problem } | null>(null);
  const latest = useRef<Try | null>(null);
  const isWorking = working?.on === shown;
  const isOfTrouble = failed?.problem.isOfTrouble === true;
  useEffect(() => {
    if (!isOfTrouble) return;
    return connection.restored.listen(() => {
      latest.current?.giveUp();
      setFailed(null);
    });
  }, [isOfTrouble]);
  return {
    isWorking,
    problem: failed?.on === shown ? failed.problem : null,
    async make(call) {
      if (isWorking) return null;
      latest.current?.giveUp();
      for (;;) {
        const own: Try = { on: shown, giveUp: () => undefined };
        latest.current = own;
        setWorking(own);
        const answer = await call();
        if (latest.current !== own) return answer.ok ? answer : null;
        setWorking(null);
        if (answer.ok) {
          setFailed(null);
          return answer;
        }
        const { problem } = answer;
        const isWanted = await new Promise<boolean>((decide) => {
          own.giveUp = () => decide(false);
          const isUnreachable = problem.kind === 'offline' || problem.kind === 'away';
          setFailed({ on: shown, problem: isUnreachable ? { ...problem, retry: () => decide(true) } : problem });
          if (!isUnreachable) decide(false);
        });
        if (!isWanted) return null;
      }
    },
  };
}
