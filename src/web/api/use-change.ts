import { useEffect, useRef, useState } from 'preact/hooks';
import { connection } from './connection.ts';
import type { Answer, Problem } from './problem.ts';

/**
 * A call that the user makes on a page, to change something or to load more. Says whether it is under way, and what
 * went wrong.
 */
export interface Change {
  /** Shown by `aria-disabled` of the control: a control that is disabled itself loses the focus. */
  readonly isWorking: boolean;
  readonly problem: Problem | null;
  /**
   * Makes the call, unless one is under way. Returns its result; null: the call was not made, or its problem is shown
   * now.
   */
  make<T>(call: () => Promise<Answer<T>>): Promise<{ readonly data: T } | null>;
}

interface Try {
  readonly on: string;
  /** Ends the wait, since the user does something else. */
  giveUp(): void;
}

/**
 * If the server cannot be reached, the problem has a `retry`, and `make` waits for it: its caller continues after the
 * retry. If `shown` changes, nobody waits for the answer, and no retry is offered: the change has arrived, or came too
 * late.
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
