import type { ApiSchema, BodyOf } from './api-types.ts';
import { cronProblem, nextOf } from './cron.ts';
import type { FieldProblem } from './names.ts';

/** `late`: due, and within the grace. The store holds it as `up`. */
export const HEARTBEAT_STATES = ['new', 'up', 'late', 'down', 'paused'] as const;
export type HeartbeatState = (typeof HEARTBEAT_STATES)[number];

/** When pings are expected: one `every` so many seconds, or by the fields of `cron` in a time zone. The other is null. */
export type Schedule = Pick<ApiSchema<'Heartbeat'>, 'every' | 'cron' | 'timezone' | 'grace' | 'failures'>;

/** A change of a schedule. Absent fields stay. */
export type ScheduleChange = Pick<BodyOf<'updateHeartbeat'>, keyof Schedule>;

export const SCHEDULE_BY_DEFAULT: Schedule = { every: 86_400, cron: null, timezone: null, grace: 3_600, failures: 1 };
const TIMEZONE_BY_DEFAULT = 'UTC';
const SHORTEST_S = 60;
const LONGEST_S = 31_536_000;
const MOST_FAILURES = 10;

/** The end of a ping's text is kept. */
export const OUTPUT_CHARACTERS = 1_000;

/** The schedule as it is to be, or what is wrong with it. */
export function changedSchedule(before: Schedule, asked: ScheduleChange): Schedule | FieldProblem {
  if (asked.every !== undefined && asked.cron !== undefined) {
    return { field: 'cron', message: 'The cron and every fields must not be used together.' };
  }
  const { grace = before.grace, failures = before.failures } = asked;
  const problem = spanProblem('grace', grace) ?? failuresProblem(failures);
  const cron = asked.every === undefined ? (asked.cron?.trim().replaceAll(/\s+/g, ' ') ?? before.cron) : null;
  if (cron === null) {
    if (asked.timezone !== undefined)
      return { field: 'timezone', message: 'The timezone field can be used only with cron.' };
    const every = asked.every ?? before.every ?? 0;
    return spanProblem('every', every) ?? problem ?? { every, cron, timezone: null, grace, failures };
  }
  const timezone = asked.timezone ?? before.timezone ?? TIMEZONE_BY_DEFAULT;
  return cronProblem(cron, timezone) ?? problem ?? { every: null, cron, timezone, grace, failures };
}

function spanProblem(field: string, seconds: number): FieldProblem | null {
  if (Number.isInteger(seconds) && seconds >= SHORTEST_S && seconds <= LONGEST_S) return null;
  return { field, message: `The ${field} field must be from ${SHORTEST_S} seconds to a year.` };
}

function failuresProblem(failures: number): FieldProblem | null {
  if (Number.isInteger(failures) && failures >= 1 && failures <= MOST_FAILURES) return null;
  return { field: 'failures', message: `The failures field must be a whole number from 1 to ${MOST_FAILURES}.` };
}

/** How long until the next ping is due, after one at that time; null: none ever is. */
export function dueInMs(
  { every, cron, timezone }: Pick<Schedule, 'every' | 'cron' | 'timezone'>,
  wallMs: number,
): number | null {
  if (cron === null) return (every ?? 0) * 1_000;
  const next = nextOf(cron, timezone ?? TIMEZONE_BY_DEFAULT, wallMs);
  return next === null ? null : next - wallMs;
}

/** "every 1 day", or the fields of a schedule with their time zone. */
export function scheduleInWords({ every, cron, timezone }: Schedule): string {
  return cron === null ? `every ${inWords((every ?? 0) * 1_000)}` : `by ${cron} (${timezone})`;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The canonical form of a UUID, or null. */
export function uuidIn(text: string): string | null {
  const uuid = text.toLowerCase();
  return UUID.test(uuid) ? uuid : null;
}

/** The address of a heartbeat's pings. `baseUrl`: that of the API. */
export function pingUrl(baseUrl: string, uuid: string): string {
  return `${baseUrl.replace(/\/api$/, '')}/ping/${uuid}`;
}

/** Returns a heartbeat with the address of its pings in place of its UUID; null: the caller may not see the address. */
export function withPingUrl<T extends { readonly uuid: string | null }>({ uuid, ...heartbeat }: T, baseUrl: string) {
  return uuid === null ? heartbeat : { ...heartbeat, ping_url: pingUrl(baseUrl, uuid) };
}

const UNITS = [
  ['day', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** Formats a duration by its two largest units: "2 h 5 min". */
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
