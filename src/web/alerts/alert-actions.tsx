import { useState } from 'preact/hooks';
import { acknowledge, resolve } from '../api/alert-changes.ts';
import type { Alert } from '../api/alerts.ts';
import { connection } from '../api/connection.ts';
import type { Answer } from '../api/problem.ts';
import { useChange } from '../api/use-change.ts';
import { nowMs } from '../clock.ts';
import { ProblemNote } from '../components/problem-note.tsx';
import { useShared } from '../shared.ts';
import { useKeys } from '../shell/use-keys.ts';
import { texts } from '../texts/alerts.ts';
import { failedTap } from './failed-tap.ts';
import { useOwnName } from './own-name.ts';
import { SnoozeDialog } from './snooze-dialog.tsx';
import { SNOOZES, snoozeLabel } from './snoozes.ts';
import { type Act, isLive, whyNot } from './standing.ts';
import { useSettled } from './use-settled.ts';

interface Props {
  readonly alert: Alert;
  /** It is so now. */
  readonly onChange: (alert: Alert) => void;
  /** It may have changed meanwhile. */
  readonly onProblem: () => unknown;
}

/**
 * What can be done about an alert: on a phone at the bottom edge, in reach of the thumb. Each button has a place of its own,
 * in alerts.css, where it stays whatever becomes of the alert: a tap that was aimed at one never hits another.
 */
export function AlertActions({ alert, onChange, onProblem }: Props) {
  const { id } = alert;
  // A banner above the page moves what is below it.
  const banners = `${useShared(connection.trouble)} ${useShared(failedTap)}`;
  const { isSettled, expect } = useSettled(`${stateOf(alert)} ${banners}`);
  const { isWorking, problem, make } = useChange(stateOf(alert));
  const own = useOwnName();
  const now = useShared(nowMs);
  const [isSnoozing, setSnoozing] = useState(false);
  const [isChoosing, setChoosing] = useState(false);
  const [asked, setAsked] = useState<Act | null>(null);
  const isBusy = isWorking || !isSettled;
  const made = (next: Alert): void => {
    setSnoozing(false);
    expect(`${stateOf(next)} ${banners}`);
    onChange(next);
  };
  const act = (call: () => Promise<Answer<Alert>>) =>
    make(async () => {
      const answer = await call();
      setSnoozing(false);
      if (answer.ok) made(answer.data);
      else onProblem();
      return answer;
    });
  /** Presses a button, or its key. */
  const press = (name: Act, call: () => unknown): void => {
    const isPossible = whyNot(name, alert, own) === null;
    setAsked(isPossible ? null : name);
    if (isPossible && !isBusy) call();
  };
  const snooze = (): void => press('snooze', () => setSnoozing(!isSnoozing));
  const end = (): void => press('resolve', () => void act(() => resolve(id)));
  useKeys(isLive(alert) ? { e: end, s: snooze } : {});
  const place = (name: Act) => {
    const why = whyNot(name, alert, own);
    return {
      type: 'button',
      class: `alert-${name}`,
      title: why ?? undefined,
      'aria-disabled': isBusy || why !== null,
    } as const;
  };
  return (
    <div class="alert-actions">
      <div class="alert-notes">
        <ProblemNote problem={problem} />
        <p class="alert-why" role="status">
          {asked !== null && whyNot(asked, alert, own)}
        </p>
      </div>
      <button
        {...place('take')}
        class="alert-take primary"
        onClick={() => press('take', () => void act(() => acknowledge(id)))}
      >
        {texts.take}
      </button>
      <button {...place('snooze')} aria-expanded={isSnoozing} onClick={snooze}>
        {texts.snooze}
      </button>
      {isSnoozing && (isLive(alert) || !isSettled) && (
        <div class="alert-snoozes">
          {(Object.keys(SNOOZES) as (keyof typeof SNOOZES)[]).map((name) => (
            <button
              key={name}
              type="button"
              aria-disabled={isBusy}
              onClick={() => press('snooze', () => void act(() => acknowledge(id, { forS: SNOOZES[name]() })))}
            >
              {snoozeLabel(name, now)}
            </button>
          ))}
          <button type="button" aria-disabled={isBusy} onClick={() => press('snooze', () => setChoosing(true))}>
            {texts.snoozeOther}
          </button>
        </div>
      )}
      <button {...place('resolve')} onClick={end}>
        {texts.resolve}
      </button>
      {isChoosing && <SnoozeDialog id={id} onDone={made} onFailed={onProblem} onClose={() => setChoosing(false)} />}
    </div>
  );
}

/** What a user decides by. How often it has reminded is no reason to wait. */
function stateOf({ state, acknowledged_by, snoozed_until }: Alert): string {
  return JSON.stringify([state, acknowledged_by, snoozed_until]);
}
