/** A rota's fields in requests, and their faults. */
import type { ApiSchema } from '../api-types.ts';
import type { FieldProblem } from '../names.ts';
import { isTimezone } from '../timezones.ts';
import { dateOf, dayOf, localClock } from './local-clock.ts';
import type { Handover } from './rota.ts';

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
export const MOST_SHIFT_DAYS = 92;
export const MOST_FUTURE_OVERRIDES = 200;
const LONGEST_OVERRIDE_DAYS = 31;
/** Moved shifts are compared up to then. */
export const MOVED_WITHIN_MS = MOST_SHIFT_DAYS * DAY_MS;

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

type AskedHandover = ApiSchema<'HandoverRule'>;

export const HANDOVER_BY_DEFAULT: AskedHandover = { every: 'week', at: '09:00' };

/** Returns the rule, or its fault. Without a weekday: Monday. */
export function plannedHandover({ every, count = 1, weekday, at }: AskedHandover): Handover | FieldProblem {
  if (every !== 'day' && every !== 'week') return fault('handover.every', 'must be day or week');
  if (!Number.isInteger(count) || count < 1 || count > MOST_PERIODS)
    return fault('handover.count', `must be a whole number from 1 to ${MOST_PERIODS}`);
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(at) ?? [];
  if (hours === undefined) return fault('handover.at', 'must be a time of the day, such as 09:00');
  if (every === 'day' && weekday !== undefined) return fault('handover.weekday', 'is for weeks alone');
  const place = WEEKDAYS.indexOf(weekday ?? 'mon');
  if (place === -1) return fault('handover.weekday', `must be one of ${WEEKDAYS.join(', ')}`);
  return { every, count, weekday: place, minute: 60 * Number(hours) + Number(minutes) };
}

export function shownHandover({ every, count, weekday, minute }: Handover): ShownRota['handover'] {
  const [hours, minutes] = [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0'));
  return { every, count, ...(every === 'week' && { weekday: WEEKDAYS[weekday] ?? 'mon' }), at: `${hours}:${minutes}` };
}

/** Returns the list's fault; null: none. */
export function membersProblem(members: readonly string[]): FieldProblem | null {
  if (members.length === 0) return fault('members', 'must name at least one person');
  if (members.length > MOST_MEMBERS) return fault('members', `must not name more than ${MOST_MEMBERS} people`);
  const twice = members.find((member, place) => members.indexOf(member) !== place);
  return twice === undefined ? null : fault('members', `names ${twice} more than once`);
}

export function timezoneProblem(timezone: string): FieldProblem | null {
  return isTimezone(timezone) ? null : fault('timezone', 'must be a time zone, such as Europe/Berlin');
}

/** Returns a date's day since 1970-01-01, or the fault. Default: today on the rota's clock. */
export function startDay(date: string | undefined, timezone: string, nowMs: number): number | FieldProblem {
  if (date === undefined) return localClock(timezone).dayAt(nowMs);
  const day = /^20\d\d-\d\d-\d\d$/.test(date) ? dayOf(date) : Number.NaN;
  return dateOfDay(day) === date ? day : fault('starts_on', 'must be a date, such as 2027-01-04');
}

function dateOfDay(day: number): string | null {
  return Number.isNaN(day) ? null : dateOf(day);
}

export interface Range {
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
  if (untilMs === undefined) return fault('until', 'is required');
  if (untilMs <= (askedMs ?? nowMs)) return fault('until', 'must be after the start');
  if (untilMs <= nowMs) return fault('until', 'must be in the future');
  if (untilMs - fromMs <= LONGEST_OVERRIDE_DAYS * DAY_MS) return { fromMs, untilMs };
  return fault('until', `must be at most ${LONGEST_OVERRIDE_DAYS} days after the start`);
}

/** Returns the range of a list of shifts, or the fault. Default: from now on, 92 days. */
export function shiftRange({ fromMs: askedMs, untilMs: endMs }: AskedRange, nowMs: number): Range | FieldProblem {
  const fromMs = askedMs ?? nowMs;
  const untilMs = endMs ?? fromMs + MOST_SHIFT_DAYS * DAY_MS;
  if (untilMs <= fromMs) return fault('until', 'must be after from');
  if (untilMs - fromMs <= MOST_SHIFT_DAYS * DAY_MS) return { fromMs, untilMs };
  return fault('until', `must be at most ${MOST_SHIFT_DAYS} days after from`);
}

export function fault(field: string, rule: string): FieldProblem {
  return { field, message: `The ${field} field ${rule}.` };
}
