import { useEffect, useRef, useState } from 'preact/hooks';
import { connection } from './connection.ts';
import type { Answer, Problem } from './problem.ts';

/** A user's call on a page: whether it runs, and its problem. */
export interface Change {
  /** Shown by `aria-disabled`: disabled controls lose the focus. */
  readonly isWorking: boolean;
  readonly problem: Problem | null;
  /** Makes the call, unless one runs. Returns its result; null: not made, or its problem is shown. */
  make<T>(call: () => Promise<Answer<T>>): Promise<{ readonly data: T } | null>;
}

interface Try {
  readonly on: string;
  /** Ends the wait: the user moved on. */
  giveUp(): void;
}

/**
 * An unreachable server's problems have a `retry`, awaited by `make` and its caller. If `shown` changes, no retry is
 * offered: the change arrived, or came too late.
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
