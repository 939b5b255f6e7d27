import { useEffect, useState } from 'preact/hooks';
import { type Alert, type Assignee, acknowledge, loadAssignees, reassign, reopen, resolve } from '../api/alerts.ts';
import type { Answer } from '../api/problem.ts';
import { useChange } from '../api/use-change.ts';
import { nowMs } from '../clock.ts';
import { Button } from '../components/button.tsx';
import { Field, SelectField } from '../components/forms/fields.tsx';
import { FormDialog } from '../components/forms/form-dialog.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { useOwnId, usePerson } from '../session.ts';
import { useShared } from '../shared.ts';
import { bannerHeight } from '../shell/banners.tsx';
import { useKeys } from '../shell/keys.ts';
import { alerts as texts, undo as undoTexts } from '../texts/alerts.ts';
import { SNOOZES, secondsOf, snoozeLabel } from './snoozes.ts';
import { type Act, isLive, type Reader, whyNot } from './standing.ts';
import { undoable } from './undo-toast.tsx';

interface Props {
  readonly alert: Alert;
  readonly onChange: (alert: Alert) => void;
  /** Called on failures: the alert may have changed. */
  readonly onProblem: () => unknown;
}

/**
 * Renders an alert's actions, on phones at the bottom. Buttons have fixed places (alerts.css): no change diverts a tap.
 */
export function AlertActions({ alert, onChange, onProblem }: Props) {
  const { id } = alert;
  const { isSettled, expect } = useSettled(stateOf(alert));
  const { isWorking, problem, make } = useChange(stateOf(alert));
  const [isSnoozing, setSnoozing] = useState(false);
  const [isChoosing, setChoosing] = useState(false);
  const [people, setPeople] = useState<readonly Assignee[] | null>(null);
  const [asked, setAsked] = useState<Act | null>(null);
  const reader = useReader(alert.workspace);
  const now = useShared(nowMs);
  const why = (name: Act) => whyNot(name, alert, reader, now);
  const isBusy = isWorking || !isSettled;
  /** `undoText`: names what can be undone. */
  const made = (next: Alert, undoText?: string): void => {
    setSnoozing(false);
    setPeople(null);
    expect(stateOf(next));
    onChange(next);
    undoable.value = undoText === undefined ? null : { text: undoText, id, reload: onProblem };
  };
  const act = (call: () => Promise<Answer<Alert>>, undoText?: string) =>
    make(async () => {
      const answer = await call();
      setSnoozing(false);
      setPeople(null);
      if (answer.ok) made(answer.data, undoText);
      else onProblem();
      return answer;
    });
  const press = (name: Act, call: () => unknown): void => {
    const isPossible = why(name) === null;
    setAsked(isPossible ? null : name);
    if (isPossible && !isBusy) call();
  };
  const snooze = (): void =>
    press('snooze', () => {
      setPeople(null);
      setSnoozing(!isSnoozing);
    });
  const choosePerson = async (): Promise<void> => {
    setSnoozing(false);
    const loaded = people === null ? await make(() => loadAssignees(id)) : null;
    setPeople(loaded?.data ?? null);
  };
  const end = (): void => press('resolve', () => void act(() => resolve(id), undoTexts.resolved));
  useKeys(isLive(alert) ? { e: end, s: snooze } : {});
  const place = (name: Act) => {
    const reason = why(name);
    return {
      type: 'button',
      class: `alert-${name}`,
      title: reason ?? undefined,
      'aria-disabled': isBusy || reason !== null,
    } as const;
  };
  return (
    <div class="alert-actions">
      <div class="alert-notes">
        <ProblemNote problem={problem} />
        <p class="alert-why" role="status">
          {asked !== null && why(asked)}
        </p>
      </div>
      <button
        {...place('take')}
        class="alert-take primary"
        onClick={() => press('take', () => void act(() => acknowledge(id), undoTexts.taken))}
      >
        {texts.take}
      </button>
      <button {...place('snooze')} aria-expanded={isSnoozing} onClick={snooze}>
        {texts.snooze}
      </button>
      {isSnoozing && (isLive(alert) || !isSettled) && (
        <div class="alert-snoozes">
          {(Object.keys(SNOOZES) as (keyof typeof SNOOZES)[]).map((name) => (
            <Button
              key={name}
              text={snoozeLabel(name, now)}
              isWorking={isBusy}
              onClick={() =>
                press('snooze', () => void act(() => acknowledge(id, { forS: SNOOZES[name]() }), undoTexts.snoozed))
              }
            />
          ))}
          <Button
            text={texts.snoozeOther}
            isWorking={isBusy}
            onClick={() => press('snooze', () => setChoosing(true))}
          />
        </div>
      )}
      <button {...place('resolve')} onClick={end}>
        {texts.resolve}
      </button>
      {isChoosing && (
        <SnoozeDialog
          id={id}
          isSettled={isSettled}
          onDone={(next) => made(next, undoTexts.snoozed)}
          onFailed={onProblem}
          onClose={() => setChoosing(false)}
        />
      )}
      <button
        {...place('reassign')}
        aria-expanded={people !== null}
        onClick={() => press('reassign', () => void choosePerson())}
      >
        {texts.reassign}
      </button>
      {people !== null && isLive(alert) && (
        <Assignees
          people={people}
          isBusy={isBusy}
          onChoose={(to) => press('reassign', () => void act(() => reassign(id, to)))}
        />
      )}
      <button {...place('reopen')} onClick={() => press('reopen', () => void act(() => reopen(id)))}>
        {texts.reopen}
      </button>
    </div>
  );
}

function stateOf({ state, acknowledged_by, snoozed_by, snoozed_until, assigned_until, person_ids }: Alert): string {
  // Future times come from two clocks per response and may differ by 1 ms.
  const [snoozedTo, assignedTo] = [snoozed_until, assigned_until].map((at) => at?.slice(0, MINUTE));
  return JSON.stringify([state, acknowledged_by, snoozed_by, snoozedTo, assignedTo, person_ids]);
}

/** The length of a timestamp to its minute. */
const MINUTE = 'yyyy-mm-ddThh:mm'.length;

interface AssigneesProps {
  readonly people: readonly Assignee[];
  readonly isBusy: boolean;
  readonly onChoose: (id: string) => void;
}

function Assignees({ people, isBusy, onChoose }: AssigneesProps) {
  return (
    <div class="alert-people">
      <p>{people.length === 0 ? texts.noAssignees : texts.toWhom}</p>
      {people.map(({ id, name }) => (
        <button key={id} type="button" aria-disabled={isBusy} dir="auto" onClick={() => onChoose(id)}>
          {name}
        </button>
      ))}
    </div>
  );
}

interface SnoozeDialogProps {
  readonly id: string;
  /** Whether the user had time to see the alert's state. */
  readonly isSettled: boolean;
  readonly onDone: (alert: Alert) => void;
  /** The alert may have changed meanwhile. */
  readonly onFailed: () => unknown;
  readonly onClose: () => void;
}

/** Asks for another snooze time than the buttons'. */
function SnoozeDialog({ id, isSettled, onDone, onFailed, onClose }: SnoozeDialogProps) {
  const send = async (form: FormData): Promise<Answer<Alert>> => {
    const answer = await acknowledge(id, { forS: secondsOf(form) });
    if (!answer.ok) onFailed();
    return answer;
  };
  return (
    <FormDialog
      title={texts.snoozeTitle}
      label={texts.snooze}
      isReady={isSettled}
      onDone={(alert) => {
        onClose();
        onDone(alert);
      }}
      {...{ send, onClose }}
    >
      <div class="field-pair">
        <Field label={texts.snoozeFor} hint={texts.snoozeHint} field="for">
          <input name="count" type="number" inputMode="numeric" required min={1} max={1_440} defaultValue="45" />
        </Field>
        <SelectField name="unit" label={texts.snoozeUnit} of={texts.snoozeUnits} />
      </div>
    </FormDialog>
  );
}

export function useReader(workspace: string): Reader {
  const id = useOwnId();
  const role = usePerson()?.workspaces.find(({ slug }) => slug === workspace)?.role ?? 'member';
  return { id, runs: role !== 'member' };
}

/** Earlier taps after a change were aimed at the previous contents. */
const SETTLES_MS = 700;

/**
 * Tells whether the user had time to see `shown` and any move by a banner. Their own changes are passed to `expect`.
 * Applies to taps, clicks and keys.
 */
export function useSettled(shown: string): { readonly isSettled: boolean; expect(shown: string): void } {
  const height = useShared(bannerHeight);
  const now = `${shown} ${height}`;
  const [seen, setSeen] = useState(now);
  useEffect(() => {
    if (seen === now) return;
    const timer = setTimeout(() => setSeen(now), SETTLES_MS);
    return () => clearTimeout(timer);
  }, [seen, now]);
  return { isSettled: seen === now, expect: (next) => setSeen(`${next} ${height}`) };
}
