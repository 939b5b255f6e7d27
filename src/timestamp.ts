/** Times as people and programs read them. Everything is UTC: months and hours have no other zone here. */

const HOUR_MS = 3_600_000;

/** ISO 8601 with milliseconds and an explicit offset: `2026-11-21T09:30:00.123+00:00`. */
export function toTimestamp(atMs: number): string {
  return new Date(atMs).toISOString().replace('Z', '+00:00');
}

/** To be part of a file's name: `20261121T093000Z`. */
export function toFileStamp(atMs: number): string {
  return new Date(atMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
}

export function toTimestampOrNull(atMs: number | null): string | null {
  return atMs === null ? null : toTimestamp(atMs);
}

/** The calendar month of a time, `monthsBefore` months earlier: `2026-11`. */
export function monthOf(wallMs: number, monthsBefore = 0): string {
  const month = new Date(monthStartMs(wallMs, -monthsBefore));
  return `${month.getUTCFullYear()}-${String(month.getUTCMonth() + 1).padStart(2, '0')}`;
}

/** The first millisecond of the month after the one of `wallMs`: when a monthly allowance is whole again. */
export function nextMonthMs(wallMs: number): number {
  return monthStartMs(wallMs, 1);
}

/** The first millisecond of the hour of a time. */
export function hourOf(wallMs: number): number {
  return Math.floor(wallMs / HOUR_MS) * HOUR_MS;
}

function monthStartMs(wallMs: number, monthsLater: number): number {
  const date = new Date(wallMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + monthsLater);
}
