import type { ApiSchema } from './api-types.ts';
import { cronProblem, nextOf } from './cron.ts';
import { type FieldProblem, fieldProblem } from './details.ts';
import { textProblem } from './names.ts';
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
const LONGEST_BY_CRON_H = 24;
const LONGEST_CHARACTERS = { only: 255, note: 500 } as const;

/** Times of a window, excluding `untilMs`. Cron: the active occurrence or the next. */
interface WindowTimes {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** A window's recurrence. `lengthS`: of each occurrence. */
interface Recurrence {
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
  if (asked.timezone !== undefined) return fieldProblem('timezone', 'with_cron');
  const fromMs = Math.max(asked.fromMs ?? wallMs, wallMs);
  if (asked.fromMs !== undefined && asked.fromMs < wallMs - SLACK_MS) return fieldProblem('from', 'in_past');
  if (fromMs > wallMs + FURTHEST_DAYS * DAY_MS) return fieldProblem('from', 'days_ahead', { most: FURTHEST_DAYS });
  if ((asked.untilMs === undefined) === (asked.for === undefined)) {
    return fieldProblem(asked.untilMs === undefined ? 'for' : 'until', 'until_or_for');
  }
  if (!Number.isSafeInteger(asked.for ?? 0))
    return fieldProblem('for', 'whole_seconds', { least: SHORTEST_S, most: LONGEST_DAYS * 86_400 });
  const untilMs = asked.untilMs ?? fromMs + 1_000 * (asked.for ?? 0);
  const field = asked.untilMs === undefined ? 'for' : 'until';
  const fault = lengthProblem(field, untilMs - fromMs, isByKey);
  return fault ?? { fromMs, untilMs, recurrence: null };
}

function planByCron(asked: AskedTimes, given: string, wallMs: number): PlannedWindow | FieldProblem {
  const wrong = (['fromMs', 'untilMs'] as const).find((field) => asked[field] !== undefined);
  if (wrong !== undefined) return fieldProblem(wrong.slice(0, -2), 'not_with', { other: 'cron' });
  const recurrence = { cron: plainCron(given), timezone: asked.timezone ?? 'UTC', lengthS: asked.for ?? 0 };
  const fault = recurrenceProblem(recurrence);
  if (fault !== null) return fault;
  const times = nextTimes(recurrence, wallMs);
  return times === null ? fieldProblem('cron', 'cron_never') : { ...times, recurrence };
}

/** Returns changed times, or the fault. An active window keeps its start; `until` ends this occurrence. */
export function changeWindow(before: PlannedWindow, asked: AskedTimes, wallMs: number): PlannedWindow | FieldProblem {
  const isOn = before.fromMs <= wallMs;
  if (before.recurrence === null) return changeOnce(before, asked, wallMs, isOn);
  if (asked.fromMs !== undefined) return fieldProblem('from', 'not_with', { other: 'cron' });
  if (asked.untilMs !== undefined && !isOn) return fieldProblem('until', 'occurrence');
  const recurrence = {
    cron: asked.cron === undefined ? before.recurrence.cron : plainCron(asked.cron),
    timezone: asked.timezone ?? before.recurrence.timezone,
    lengthS: asked.for ?? before.recurrence.lengthS,
  };
  const fault = recurrenceProblem(recurrence);
  if (fault !== null) return fault;
  if (!isOn) {
    const times = nextTimes(recurrence, wallMs);
    return times === null ? fieldProblem('cron', 'cron_never') : { ...times, recurrence };
  }
  const { fromMs } = before;
  const byLengthMs = asked.for === undefined ? before.untilMs : fromMs + 1_000 * asked.for;
  const untilMs = Math.max(asked.untilMs ?? byLengthMs, wallMs);
  if (untilMs - fromMs > LONGEST_BY_CRON_H * HOUR_MS)
    return fieldProblem('until', 'ends_after_hours', { most: LONGEST_BY_CRON_H });
  return { fromMs, untilMs, recurrence };
}

function changeOnce(
  before: PlannedWindow,
  asked: AskedTimes,
  wallMs: number,
  isOn: boolean,
): PlannedWindow | FieldProblem {
  const wrong = (['cron', 'timezone'] as const).find((field) => asked[field] !== undefined);
  if (wrong !== undefined) return fieldProblem(wrong, 'made_with');
  if (isOn && asked.fromMs !== undefined) return fieldProblem('from', 'has_begun');
  const { fromMs, untilMs } = before;
  if (!isOn) {
    const startMs = Math.max(asked.fromMs ?? fromMs, wallMs);
    const isAsLong = asked.untilMs === undefined && asked.for === undefined;
    const end = isAsLong ? { untilMs: startMs + untilMs - fromMs } : { untilMs: asked.untilMs, for: asked.for };
    return planWindow({ fromMs: asked.fromMs ?? fromMs, ...end }, wallMs);
  }
  if (asked.untilMs !== undefined && asked.for !== undefined)
    return fieldProblem('until', 'not_with', { other: 'for' });
  const asksMs = asked.untilMs ?? (asked.for === undefined ? untilMs : fromMs + 1_000 * asked.for);
  const endMs = Math.max(asksMs, wallMs);
  if (endMs - fromMs > LONGEST_DAYS * DAY_MS) return fieldProblem('until', 'ends_after_days', { most: LONGEST_DAYS });
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
  if (Number.isSafeInteger(lengthS) && lengthS >= SHORTEST_S && lengthS <= 3_600 * LONGEST_BY_CRON_H) return null;
  return fieldProblem('for', 'whole_seconds', { least: SHORTEST_S, most: 3_600 * LONGEST_BY_CRON_H });
}

function lengthProblem(field: 'for' | 'until', lengthMs: number, isByKey: boolean): FieldProblem | null {
  if (!Number.isSafeInteger(lengthMs) || lengthMs < 1_000 * SHORTEST_S) {
    return fieldProblem(field, 'ends_too_soon');
  }
  if (isByKey && lengthMs > LONGEST_BY_KEY_H * HOUR_MS)
    return fieldProblem(field, 'ends_after_hours', { most: LONGEST_BY_KEY_H });
  if (lengthMs <= LONGEST_DAYS * DAY_MS) return null;
  return fieldProblem(field, 'ends_after_days', { most: LONGEST_DAYS });
}

/** Returns the texts' fault; null: none. */
export function windowTextProblem(texts: {
  readonly only?: string | null | undefined;
  readonly note?: string | null | undefined;
}): FieldProblem | null {
  for (const field of ['only', 'note'] as const) {
    const text = texts[field];
    const problem = text === undefined || text === null ? null : textProblem(field, text, LONGEST_CHARACTERS[field]);
    if (problem !== null) return problem;
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
