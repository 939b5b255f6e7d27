/** Formats times for people and programs, all in UTC. */

const HOUR_MS = 3_600_000;

const ISO_8601 = /^\d{4}-\d\d-\d\dT(?!24)\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i;
const WITHOUT_SECONDS = /^.{16}(?!:)/;
const LEAP_SECOND = /^(.{17})60/;
/** Up to `LAST_MS`, years have four digits. */
const FIRST_MS = Date.parse('0000-01-01T00:00:00.000Z');
export const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** Writes ISO 8601 with milliseconds and offset: `2026-11-21T09:30:00.123+00:00`. */
export function toTimestamp(atMs: number): string {
  return `${isoWithoutZone(atMs)}+00:00`;
}

let second = Number.NaN;
let inSecond = '';

/** Formats a second once: events ask for the same one thousands of times. */
export function isoWithoutZone(atMs: number): string {
  const wholeMs = Math.trunc(atMs);
  const ms = wholeMs % 1_000;
  if (ms < 0 || wholeMs - ms !== second) {
    const iso = new Date(atMs).toISOString().slice(0, -'Z'.length);
    if (ms < 0) return iso;
    second = wholeMs - ms;
    inSecond = iso.slice(0, -3);
  }
  return inSecond + String(ms).padStart(3, '0');
}

/** Parses RFC 3339 (section 5.6) to Unix ms; null: invalid. A leap second, only at 23:59:60 UTC, counts as the next. */
export function fromRfc3339(text: string): number | null {
  if (WITHOUT_SECONDS.test(text)) return null;
  if (!LEAP_SECOND.test(text)) return fromTimestamp(text);
  const atMs = fromTimestamp(text.replace(LEAP_SECOND, '$159'));
  if (atMs === null || new Date(atMs).toISOString().slice(11, 19) !== '23:59:59') return null;
  return atMs + 1_000;
}

/** Parses ISO 8601 with an offset; seconds are optional, leap seconds invalid. */
export function fromTimestamp(text: string): number | null {
  if (!ISO_8601.test(text) || !isDay(text.slice(0, 10))) return null;
  const atMs = Date.parse(text.toUpperCase());
  return atMs >= FIRST_MS && atMs <= LAST_MS ? atMs : null; // NaN is neither
}

/** Formats for file names: `20261121T093000Z`. */
export function toFileStamp(atMs: number): string {
  return new Date(atMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
}

export function toTimestampOrNull(atMs: number | null): string | null {
  return atMs === null ? null : toTimestamp(atMs);
}

let hourMs = Number.NaN;
let monthOfHour = '';

/** Returns the month `monthsBefore` earlier: `2026-11`. Formats the hour's month once: each event asks for it. */
export function monthOf(wallMs: number, monthsBefore = 0): string {
  if (monthsBefore !== 0) return monthText(wallMs, monthsBefore);
  const hour = hourOf(wallMs);
  if (hour !== hourMs) {
    monthOfHour = monthText(wallMs, 0);
    hourMs = hour;
  }
  return monthOfHour;
}

function monthText(wallMs: number, monthsBefore: number): string {
  const month = new Date(monthStartMs(wallMs, -monthsBefore));
  return `${month.getUTCFullYear()}-${String(month.getUTCMonth() + 1).padStart(2, '0')}`;
}

/** Returns the next month's first millisecond, when monthly allowances renew. */
export function nextMonthMs(wallMs: number): number {
  return monthStartMs(wallMs, 1);
}

export function hourOf(wallMs: number): number {
  return Math.floor(wallMs / HOUR_MS) * HOUR_MS;
}

function monthStartMs(wallMs: number, monthsLater: number): number {
  const date = new Date(wallMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + monthsLater);
}

/** Rejects the 30th of February, which `Date.parse` takes for the 2nd of March. */
function isDay(date: string): boolean {
  const atMs = Date.parse(date);
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(date);
}
