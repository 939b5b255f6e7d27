/** A rota's fields in requests, and their faults. */
import type { ApiSchema } from '../api-types.ts';
import { type FieldProblem, fieldProblem } from '../details.ts';
import { DAYS, isTimezone } from '../timezones.ts';
import { dateOf, dayOf, localClock } from './local-clock.ts';
import type { Handover, Rota } from './rota.ts';

/** A rota in the API. */
export type ShownRota = ApiSchema<'Rota'>;
/** Somebody's time on call. */
export type OnCallShift = ApiSchema<'OnCallShift'>;
export type OnCallPerson = OnCallShift['person'];
export type ShownOverride = ApiSchema<'RotaOverride'>;
/** A time in which a change puts another person on call. */
export type MovedShift = ApiSchema<'MovedShift'>;

export const MOST_ROTAS = 50;
const MOST_MEMBERS = 30;
const MOST_PERIODS = 14;
const DAY_MS = 86_400_000;
const MOST_SHIFT_DAYS = 92;
export const MOST_FUTURE_OVERRIDES = 200;
const LONGEST_OVERRIDE_DAYS = 31;
/** Moved shifts are compared up to then. */
export const MOVED_WITHIN_MS = MOST_SHIFT_DAYS * DAY_MS;

type AskedHandover = ApiSchema<'HandoverRule'>;

export const HANDOVER_BY_DEFAULT: AskedHandover = { every: 'week', at: '09:00' };

/** Returns the rule, or its fault. Without a weekday: Monday. */
export function plannedHandover({ every, count = 1, weekday, at }: AskedHandover): Handover | FieldProblem {
  if (every !== 'day' && every !== 'week') return fieldProblem('handover.every', 'one_of', { values: ['day', 'week'] });
  if (!Number.isInteger(count) || count < 1 || count > MOST_PERIODS)
    return fieldProblem('handover.count', 'whole_number', { least: 1, most: MOST_PERIODS });
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(at) ?? [];
  if (hours === undefined) return fieldProblem('handover.at', 'time_of_day');
  if (every === 'day' && weekday !== undefined) return fieldProblem('handover.weekday', 'for_weeks');
  const place = DAYS.indexOf(weekday ?? 'mon');
  if (place === -1) return fieldProblem('handover.weekday', 'one_of', { values: DAYS });
  return { every, count, weekday: place, minute: 60 * Number(hours) + Number(minutes) };
}

export function shownHandover({ every, count, weekday, minute }: Handover): ShownRota['handover'] {
  const [hours, minutes] = [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0'));
  return { every, count, ...(every === 'week' && { weekday: DAYS[weekday] ?? 'mon' }), at: `${hours}:${minutes}` };
}

/** Returns the list's fault; null: none. */
export function membersProblem(members: readonly string[]): FieldProblem | null {
  if (members.length === 0) return fieldProblem('members', 'no_entry');
  if (members.length > MOST_MEMBERS) return fieldProblem('members', 'max_entries', { most: MOST_MEMBERS });
  const twice = members.find((member, place) => members.indexOf(member) !== place);
  return twice === undefined ? null : fieldProblem('members', 'person_twice', { member: twice });
}

export function timezoneProblem(timezone: string): FieldProblem | null {
  return isTimezone(timezone) ? null : fieldProblem('timezone', 'timezone');
}

/**
 * Returns a date's day since 1970-01-01, or the fault. Default: the last day on which the time of the handover has come,
 * so somebody is on call at once.
 */
export function startDay(
  date: string | undefined,
  { timezone, handover }: Pick<Rota, 'timezone' | 'handover'>,
  nowMs: number,
): number | FieldProblem {
  if (date === undefined) {
    const clock = localClock(timezone);
    const today = clock.dayAt(nowMs);
    return clock.instantOf(today, handover.minute) > nowMs ? today - 1 : today;
  }
  const day = /^20\d\d-\d\d-\d\d$/.test(date) ? dayOf(date) : Number.NaN;
  return dateOfDay(day) === date ? day : fieldProblem('starts_on', 'date');
}

function dateOfDay(day: number): string | null {
  return Number.isNaN(day) ? null : dateOf(day);
}

interface Range {
  readonly fromMs: number;
  readonly untilMs: number;
}
interface AskedRange {
  readonly fromMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

/** Returns an override's times, or the fault. A start in the past becomes now. */
export function plannedOverride({ fromMs: askedMs, untilMs }: AskedRange, nowMs: number): Range | FieldProblem {
  const fromMs = Math.max(askedMs ?? nowMs, nowMs);
  if (untilMs === undefined) return fieldProblem('until', 'required');
  if (untilMs <= (askedMs ?? nowMs)) return fieldProblem('until', 'after_start');
  if (untilMs <= nowMs) return fieldProblem('until', 'in_future');
  if (untilMs - fromMs <= LONGEST_OVERRIDE_DAYS * DAY_MS) return { fromMs, untilMs };
  return fieldProblem('until', 'ends_after_days', { most: LONGEST_OVERRIDE_DAYS });
}

/** Returns the range of a list of shifts, or the fault. Default: from now on, 92 days. */
export function shiftRange({ fromMs: askedMs, untilMs: endMs }: AskedRange, nowMs: number): Range | FieldProblem {
  const fromMs = askedMs ?? nowMs;
  const untilMs = endMs ?? fromMs + MOST_SHIFT_DAYS * DAY_MS;
  if (untilMs <= fromMs) return fieldProblem('until', 'after_start');
  if (untilMs - fromMs <= MOST_SHIFT_DAYS * DAY_MS) return { fromMs, untilMs };
  return fieldProblem('until', 'ends_after_days', { most: MOST_SHIFT_DAYS });
}
