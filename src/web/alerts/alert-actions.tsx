import { useState } from 'preact/hooks';
import { acknowledge, resolve } from '../api/alert-changes.ts';
import type { Alert } from '../api/alerts.ts';
import type { Answer } from '../api/problem.ts';
import { useChange } from '../api/use-change.ts';
import { ProblemNote } from '../components/problem-note.tsx';
import { useKeys } from '../shell/use-keys.ts';
import { texts } from '../texts/alerts.ts';
import { SNOOZES } from './snoozes.ts';

interface Props {
  readonly alert: Alert;
  /** It is so now. */
  readonly onChange: (alert: Alert) => void;
  /** It may have changed meanwhile. */
  readonly onProblem: () => unknown;
}

/** What can be done about an alert that lives: on a phone at the bottom edge, in reach of the thumb. */
export function AlertActions({ alert: { id, state }, onChange, onProblem }: Props) {
  const { isWorking, problem, make } = useChange();
  const [isSnoozing, setSnoozing] = useState(false);
  const act = (call: () => Promise<Answer<Alert>>) =>
    make(async () => {
      const answer = await call();
      setSnoozing(false);
      if (answer.ok) onChange(answer.data);
      else onProblem();
      return answer;
    });
  useKeys({ e: () => void act(() => resolve(id)), s: () => setSnoozing(!isSnoozing) });
  return (
    <div class="alert-actions">
      <ProblemNote problem={problem} />
      {isSnoozing && (
        <div class="alert-buttons">
          {(Object.keys(SNOOZES) as (keyof typeof SNOOZES)[]).map((name) => (
            <button
              key={name}
              type="button"
              aria-disabled={isWorking}
              onClick={() => void act(() => acknowledge(id, { forS: SNOOZES[name]() }))}
            >
              {texts.snoozes[name]}
            </button>
          ))}
        </div>
      )}
      <div class="alert-buttons">
        {state === 'open' && (
          <button
            type="button"
            class="primary"
            aria-disabled={isWorking}
            onClick={() => void act(() => acknowledge(id))}
          >
            {texts.take}
          </button>
        )}
        <button type="button" aria-expanded={isSnoozing} onClick={() => setSnoozing(!isSnoozing)}>
          {texts.snooze}
        </button>
        <button type="button" aria-disabled={isWorking} onClick={() => void act(() => resolve(id))}>
          {texts.resolve}
        </button>
      </div>
    </div>
  );
}
