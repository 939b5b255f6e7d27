import type { ApiSchema } from './api-types.ts';
import { cronProblem, nextOf } from './cron.ts';
import type { FieldProblem } from './names.ts';
import { isTimezone } from './timezones.ts';

export type Maintenance = ApiSchema<'Maintenance'>;

export const MOST_WINDOWS = 20;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const FURTHEST_DAYS = 30;
const LONGEST_DAYS = 7;
/** Earlier starts are mistakes, not slow requests. */
const SLACK_MS = 5 * MINUTE_MS;
const LONGEST_BY_KEY_H = 4;
const SHORTEST_S = 60;
const LONGEST_BY_CRON_S = 86_400;
const LONGEST_CHARACTERS = { only: 255, note: 500 } as const;

/** Times of a window, excluding `untilMs`. Cron: the active occurrence or the next. */
export interface WindowTimes {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** A window's recurrence. `lengthS`: of each occurrence. */
export interface Recurrence {
  readonly cron: string;
  readonly timezone: string;
  readonly lengthS: number;
}

/** The fields of a request. `for`: seconds. */
export interface AskedTimes {
  readonly fromMs?: number | undefined;
  readonly untilMs?: number | undefined;
  readonly for?: number | undefined;
  readonly cron?: string | undefined;
  readonly timezone?: string | undefined;
}

export interface PlannedWindow extends WindowTimes {
  /** Null: the window is once. */
  readonly recurrence: Recurrence | null;
}

/** Returns a new window's times, or the fault. `isByKey`: immediate and short. */
export function planWindow(asked: AskedTimes, wallMs: number, isByKey = false): PlannedWindow | FieldProblem {
  if (asked.cron !== undefined) return planByCron(asked, asked.cron, wallMs);
  if (asked.timezone !== undefined) return problem('timezone', 'is for cron alone');
  const fromMs = Math.max(asked.fromMs ?? wallMs, wallMs);
  if (asked.fromMs !== undefined && asked.fromMs < wallMs - SLACK_MS) return problem('from', 'must not be in the past');
  if (fromMs > wallMs + FURTHEST_DAYS * DAY_MS) return problem('from', `must be at most ${FURTHEST_DAYS} days ahead`);
  if ((asked.untilMs === undefined) === (asked.for === undefined)) {
    return problem(
      asked.untilMs === undefined ? 'for' : 'until',
      'is needed, or the other of until and for, but not both',
    );
  }
  if (!Number.isSafeInteger(asked.for ?? 0)) return problem('for', 'must be a whole number of seconds');
  const untilMs = asked.untilMs ?? fromMs + 1_000 * (asked.for ?? 0);
  const field = asked.untilMs === undefined ? 'for' : 'until';
  const fault = lengthProblem(field, untilMs - fromMs, isByKey);
  return fault ?? { fromMs, untilMs, recurrence: null };
}

function planByCron(asked: AskedTimes, given: string, wallMs: number): PlannedWindow | FieldProblem {
  const wrong = (['fromMs', 'untilMs'] as const).find((field) => asked[field] !== undefined);
  if (wrong !== undefined) return problem(wrong.slice(0, -2), 'cannot be combined with cron');
  const recurrence = { cron: plainCron(given), timezone: asked.timezone ?? 'UTC', lengthS: asked.for ?? 0 };
  const fault = recurrenceProblem(recurrence);
  if (fault !== null) return fault;
  const times = nextTimes(recurrence, wallMs);
  return times === null ? problem('cron', 'never comes') : { ...times, recurrence };
}

/** Returns changed times, or the fault. An active window keeps its start; `until` ends this occurrence. */
export function changeWindow(before: PlannedWindow, asked: AskedTimes, wallMs: number): PlannedWindow | FieldProblem {
  const isOn = before.fromMs <= wallMs;
  if (before.recurrence === null) return changeOnce(before, asked, wallMs, isOn);
  if (asked.fromMs !== undefined) return problem('from', 'cannot be combined with cron');
  if (asked.untilMs !== undefined && !isOn) return problem('until', 'is for an occurrence that is on');
  const recurrence = {
    cron: asked.cron === undefined ? before.recurrence.cron : plainCron(asked.cron),
    timezone: asked.timezone ?? before.recurrence.timezone,
    lengthS: asked.for ?? before.recurrence.lengthS,
  };
  const fault = recurrenceProblem(recurrence);
  if (fault !== null) return fault;
  if (!isOn) {
    const times = nextTimes(recurrence, wallMs);
    return times === null ? problem('cron', 'never comes') : { ...times, recurrence };
  }
  const { fromMs } = before;
  const byLengthMs = asked.for === undefined ? before.untilMs : fromMs + 1_000 * asked.for;
  const untilMs = Math.max(asked.untilMs ?? byLengthMs, wallMs);
  if (untilMs - fromMs > 1_000 * LONGEST_BY_CRON_S) return problem('until', 'must be within 24 hours of the start');
  return { fromMs, untilMs, recurrence };
}

function changeOnce(
  before: PlannedWindow,
  asked: AskedTimes,
  wallMs: number,
  isOn: boolean,
): PlannedWindow | FieldProblem {
  const wrong = (['cron', 'timezone'] as const).find((field) => asked[field] !== undefined);
  if (wrong !== undefined) return problem(wrong, 'is for a window that was made with it');
  if (isOn && asked.fromMs !== undefined) return problem('from', 'cannot change, as the window has begun');
  const { fromMs, untilMs } = before;
  if (!isOn) {
    const lengthS = (untilMs - fromMs) / 1_000;
    const end =
      asked.untilMs === undefined ? { for: asked.for ?? lengthS } : { untilMs: asked.untilMs, for: asked.for };
    return planWindow({ fromMs: asked.fromMs ?? fromMs, ...end }, wallMs);
  }
  if (asked.untilMs !== undefined && asked.for !== undefined) return problem('until', 'cannot be combined with for');
  const asksMs = asked.untilMs ?? (asked.for === undefined ? untilMs : fromMs + 1_000 * asked.for);
  const endMs = Math.max(asksMs, wallMs);
  if (endMs - fromMs > LONGEST_DAYS * DAY_MS)
    return problem('until', `must be within ${LONGEST_DAYS} days of the start`);
  return { fromMs, untilMs: endMs, recurrence: null };
}

/**
 * Returns the active or next occurrence after one that ended at `endedMs`; null: none. Skips starts within the ended
 * one and occurrences that are over.
 */
export function followingTimes(recurrence: Recurrence, endedMs: number, wallMs: number): WindowTimes | null {
  return nextTimes(recurrence, Math.max(endedMs - 1, wallMs - 1_000 * recurrence.lengthS));
}

/** Returns the next occurrence after that time; null: none. */
export function nextTimes({ cron, timezone, lengthS }: Recurrence, afterMs: number): WindowTimes | null {
  const fromMs = nextOf(cron, timezone, afterMs);
  return fromMs === null ? null : { fromMs, untilMs: fromMs + 1_000 * lengthS };
}

function recurrenceProblem({ cron, timezone, lengthS }: Recurrence): FieldProblem | null {
  const fault = cronProblem(cron, timezone);
  if (fault !== null) return fault;
  if (Number.isSafeInteger(lengthS) && lengthS >= SHORTEST_S && lengthS <= LONGEST_BY_CRON_S) return null;
  return problem('for', `must be a whole number of seconds from ${SHORTEST_S} to ${LONGEST_BY_CRON_S}, beside cron`);
}

function lengthProblem(field: 'for' | 'until', lengthMs: number, isByKey: boolean): FieldProblem | null {
  if (!Number.isSafeInteger(lengthMs) || lengthMs < 1_000 * SHORTEST_S) {
    return problem(field, 'must end the window at least a minute after its start');
  }
  if (isByKey && lengthMs > LONGEST_BY_KEY_H * HOUR_MS)
    return problem(field, `must be at most ${LONGEST_BY_KEY_H} hours`);
  if (lengthMs <= LONGEST_DAYS * DAY_MS) return null;
  return problem(field, `must end the window at most ${LONGEST_DAYS} days after its start`);
}

/** Returns the texts' fault; null: none. */
export function windowTextProblem(texts: {
  readonly only?: string | null | undefined;
  readonly note?: string | null | undefined;
}): FieldProblem | null {
  for (const field of ['only', 'note'] as const) {
    const text = texts[field];
    if (text === undefined || text === null) continue;
    const most = LONGEST_CHARACTERS[field];
    if (text.trim() === '' || text.length > most) return problem(field, `must have 1 to ${most} characters`);
  }
  return null;
}

/** Returns `2026-11-29 14:00 (UTC)` in the window's time zone. */
export function windowTimeInWords(atMs: number, timezone: string | null): string {
  const zone = timezone !== null && isTimezone(timezone) ? timezone : 'UTC';
  const options = { timeZone: zone, dateStyle: 'short', timeStyle: 'short' } as const;
  return `${new Intl.DateTimeFormat('sv-SE', options).format(atMs)} (${zone})`;
}

/** Describes a window: `until 2026-11-29T14:00:00.000+00:00`, or `by 0 3 * * * (UTC)`. */
export function windowInWords({
  cron,
  timezone,
  from,
  until,
}: Pick<Maintenance, 'cron' | 'timezone' | 'from' | 'until'>) {
  return cron === null ? `${from} to ${until}` : `by ${cron} (${timezone})`;
}

function plainCron(cron: string): string {
  return cron.trim().replaceAll(/\s+/g, ' ');
}

function problem(field: string, rule: string): FieldProblem {
  return { field, message: `The ${field} field ${rule}.` };
}
