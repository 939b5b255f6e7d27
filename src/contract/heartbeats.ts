import type { ApiSchema, BodyOf } from './api-types.ts';
import { cronProblem, nextOf } from './cron.ts';
import { type FieldProblem, fieldProblem } from './details.ts';

/** `late`: due, within the grace; stored as `up`. */
export const HEARTBEAT_STATES = ['new', 'up', 'late', 'down', 'paused'] as const;
export type HeartbeatState = (typeof HEARTBEAT_STATES)[number];

/** Expected pings: `every` in seconds, or `cron` in a time zone; the other is null. */
export type Schedule = Pick<ApiSchema<'Heartbeat'>, 'every' | 'cron' | 'timezone' | 'grace' | 'failures'>;

/** A schedule's change. Absent fields stay. */
export type ScheduleChange = Pick<BodyOf<'updateHeartbeat'>, keyof Schedule>;

export const SCHEDULE_BY_DEFAULT: Schedule = { every: 86_400, cron: null, timezone: null, grace: 3_600, failures: 1 };
const TIMEZONE_BY_DEFAULT = 'UTC';
const SHORTEST_S = 60;
const LONGEST_S = 31_536_000;
const MOST_FAILURES = 10;

/** The end of a ping's text is kept. */
export const OUTPUT_CHARACTERS = 1_000;

/** Returns the changed schedule, or the fault. */
export function changedSchedule(before: Schedule, asked: ScheduleChange): Schedule | FieldProblem {
  if (asked.every !== undefined && asked.cron !== undefined) {
    return fieldProblem('cron', 'cron_or_every');
  }
  const { grace = before.grace, failures = before.failures } = asked;
  const problem = spanProblem('grace', grace) ?? failuresProblem(failures);
  const cron = asked.every === undefined ? (asked.cron?.trim().replaceAll(/\s+/g, ' ') ?? before.cron) : null;
  if (cron === null) {
    if (asked.timezone !== undefined) return fieldProblem('timezone', 'with_cron');
    const every = asked.every ?? before.every ?? 0;
    return spanProblem('every', every) ?? problem ?? { every, cron, timezone: null, grace, failures };
  }
  const timezone = asked.timezone ?? before.timezone ?? TIMEZONE_BY_DEFAULT;
  return cronProblem(cron, timezone) ?? problem ?? { every: null, cron, timezone, grace, failures };
}

function spanProblem(field: string, seconds: number): FieldProblem | null {
  if (Number.isInteger(seconds) && seconds >= SHORTEST_S && seconds <= LONGEST_S) return null;
  return fieldProblem(field, 'whole_seconds', { least: SHORTEST_S, most: LONGEST_S });
}

function failuresProblem(failures: number): FieldProblem | null {
  if (Number.isInteger(failures) && failures >= 1 && failures <= MOST_FAILURES) return null;
  return fieldProblem('failures', 'whole_number', { least: 1, most: MOST_FAILURES });
}

/** Returns the time to the next ping after one then; null: never. */
export function dueInMs(
  { every, cron, timezone }: Pick<Schedule, 'every' | 'cron' | 'timezone'>,
  wallMs: number,
): number | null {
  if (cron === null) return (every ?? 0) * 1_000;
  const next = nextOf(cron, timezone ?? TIMEZONE_BY_DEFAULT, wallMs);
  return next === null ? null : next - wallMs;
}

/** Returns "every 1 day", or cron fields with the time zone. */
export function scheduleInWords({ every, cron, timezone }: Schedule): string {
  return cron === null ? `every ${inWords((every ?? 0) * 1_000)}` : `by ${cron} (${timezone})`;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns a UUID's canonical form, or null. */
export function uuidIn(text: string): string | null {
  const uuid = text.toLowerCase();
  return UUID.test(uuid) ? uuid : null;
}

/** Returns the address of pings. `baseUrl`: the API's. */
export function pingUrl(baseUrl: string, uuid: string): string {
  return `${baseUrl.replace(/\/api$/, '')}/ping/${uuid}`;
}

/** Replaces a heartbeat's UUID by the ping address; null: hidden from the caller. */
export function withPingUrl<T extends { readonly uuid: string | null }>({ uuid, ...heartbeat }: T, baseUrl: string) {
  return uuid === null ? heartbeat : { ...heartbeat, ping_url: pingUrl(baseUrl, uuid) };
}

const UNITS = [
  ['day', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** Formats a duration in two units: "2 h 5 min". */
export function inWords(ms: number): string {
  let left = Math.max(0, Math.round(ms / 1_000));
  const parts: string[] = [];
  for (const [name, seconds] of UNITS) {
    const count = Math.floor(left / seconds);
    if (count > 0 && parts.length < 2) parts.push(`${count} ${name === 'day' && count > 1 ? 'days' : name}`);
    else if (parts.length > 0) break;
    left -= count * seconds;
  }
  return parts.join(' ') || '0 s';
}
