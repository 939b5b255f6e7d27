import type { ApiSchema, BodyOf } from './api-types.ts';
import { type FieldProblem, fieldProblem } from './details.ts';
import { DAYS, isTimezone, localTimes } from './timezones.ts';

/** How a channel insists, in seconds. */
export type InsistPolicy = NonNullable<ApiSchema<'Channel'>['insist']>;

const MOST_REPEATS = 50;

const RANGES = {
  'insist.repeat': [60, 3_600],
  'insist.until': [300, 86_400],
  'insist.ring_after': [0, 900],
  'insist.escalate.after': [60, 86_400],
  'insist.on_call.widen_after': [60, 86_400],
} as const;

/** After a burst of twenty messages with a notification, Google lets one through to a device in three minutes. */
export const LEAST_REPEAT_OF_NOTIFICATIONS_S = 180;

const DEFAULTS = { repeat: 120, until: 3_600, ring_after: 0 } as const;
const WIDEN_AFTER_S = 300;

export function withDefaults({ on_call, ...asked }: NonNullable<BodyOf<'updateChannel'>['insist']>): InsistPolicy {
  return { ...DEFAULTS, ...asked, ...(on_call && { on_call: { widen_after: WIDEN_AFTER_S, ...on_call } }) };
}

/** Returns a policy's fault; null: none. The store checks the channel. */
export function insistProblem({ repeat, until, ring_after, escalate, on_call }: InsistPolicy): FieldProblem | null {
  const given = {
    'insist.repeat': repeat,
    'insist.until': until,
    'insist.ring_after': ring_after,
    ...(escalate !== undefined && { 'insist.escalate.after': escalate.after }),
    ...(on_call !== undefined && { 'insist.on_call.widen_after': on_call.widen_after }),
  };
  for (const [field, seconds] of Object.entries(given) as [keyof typeof RANGES, number][]) {
    const [least, most] = RANGES[field];
    if (Number.isSafeInteger(seconds) && seconds >= least && seconds <= most) continue;
    return fieldProblem(field, 'whole_seconds', { least, most });
  }
  if (on_call !== undefined && on_call.widen_after > until) {
    return fieldProblem('insist.on_call.widen_after', 'beyond_until', { most: until });
  }
  if (until / repeat <= MOST_REPEATS) return null;
  const least = Math.ceil(until / MOST_REPEATS);
  return fieldProblem('insist.repeat', 'too_many_reminders', { least, most: MOST_REPEATS });
}

/** Hours in which `standard` events make no sound, as stored. */
export type QuietHours = NonNullable<ApiSchema<'Channel'>['quiet']>;

type Unchecked = { readonly [Field in keyof QuietHours]: unknown };

const NAMES: readonly string[] = DAYS;

const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$/;
const AREA_AND_PLACE = /^(?:UTC|[A-Z_]+(?:\/[\w+-]+)+)$/i;

/** Returns all faults. Does not trust types of outside values. */
export function quietProblems({ from, to, timezone, days }: Unchecked): readonly FieldProblem[] {
  return [
    ...(isMatch(TIME, from) ? [] : [fieldProblem('quiet.from', 'time_of_day')]),
    ...(isMatch(TIME, to) ? [] : [fieldProblem('quiet.to', 'time_of_day')]),
    ...(isMatch(AREA_AND_PLACE, timezone) && isTimezone(timezone) ? [] : [NO_TIMEZONE]),
    ...(days === undefined || isListOfDays(days) ? [] : [fieldProblem('quiet.days', 'some_of', { values: DAYS })]),
  ];
}

const NO_TIMEZONE = fieldProblem('quiet.timezone', 'timezone');

function isMatch(pattern: RegExp, value: unknown): value is string {
  return typeof value === 'string' && pattern.test(value);
}

function isListOfDays(days: unknown): boolean {
  return Array.isArray(days) && days.length > 0 && days.every((day) => NAMES.includes(day));
}

/** Returns JSON with distinct days in order. */
export function storedQuietHours({ from, to, timezone, days }: QuietHours): string {
  return JSON.stringify({ from, to, timezone, ...(days && { days: DAYS.filter((day) => days.includes(day)) }) });
}

/**
 * Tells whether a time is quiet: never in a skipped hour, twice in a repeated one. Nothing is quiet in a zone unknown
 * to this Node: better a sound too many than a refused event.
 */
export function quietTimes(): (hours: QuietHours, atMs: number) => boolean {
  const localTime = localTimes();

  return ({ from, to, timezone, days }, atMs) => {
    const local = localTime(timezone, atMs);
    if (local === null) return false;
    const { day, time } = local;
    const isOverMidnight = from >= to;
    const isWithin = isOverMidnight ? time >= from || time < to : time >= from && time < to;
    if (!isWithin || days === undefined) return isWithin;
    const today = NAMES.indexOf(day);
    const began = isOverMidnight && time < from ? (today + 6) % 7 : today;
    return days.some((name) => name === NAMES[began]);
  };
}

/** `22:00 to 07:00 (Europe/Berlin), beginning on mon, tue` */
export function quietInWords({ from, to, timezone, days }: QuietHours): string {
  return `${from} to ${to} (${timezone})${days === undefined ? '' : `, beginning on ${days.join(', ')}`}`;
}

/** A channel rings at most `at_most` times in `per` seconds. */
export type Rings = NonNullable<ApiSchema<'Channel'>['rings']>;

const RING_RANGES = { at_most: [1, 1_000], per: [10, 3_600] } as const;

export const PROPOSED_RINGS: Rings = { at_most: 10, per: 60 };

export function ringsProblem(rings: Rings): FieldProblem | null {
  for (const name of ['at_most', 'per'] as const) {
    const [least, most] = RING_RANGES[name];
    if (Number.isSafeInteger(rings[name]) && rings[name] >= least && rings[name] <= most) continue;
    return fieldProblem(`rings.${name}`, 'whole_number', { least, most });
  }
  return null;
}

export function ringsInWords({ at_most: times, per }: Rings): string {
  return `at most ${times === 1 ? 'once' : `${times} times`} in ${per} s`;
}
