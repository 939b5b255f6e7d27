import { timeZone } from './locale.ts';

const DAY_MS = 86_400_000;

/** The time zone that times are shown in. */
export const zoneHere = timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;

/**
 * Returns when the clock on a wall shows what a `datetime-local` field has (`2026-11-22T09:30`). If it shows that twice,
 * the first time counts; if the clocks skip it, as much later as they skip.
 */
export function instantOf(local: string, zone: string): Date {
  const wallMs = Date.parse(`${local}Z`);
  const offsets = [wallMs - DAY_MS, wallMs + DAY_MS].map((atMs) => wallMsAt(atMs, zone) - atMs);
  const shown = offsets.map((offsetMs) => wallMs - offsetMs).filter((atMs) => wallMsAt(atMs, zone) === wallMs);
  return new Date(shown.length > 0 ? Math.min(...shown) : wallMs - (offsets[0] ?? 0));
}

/** Returns what the clock on a wall shows, for a `datetime-local` field. */
export function wallTime(at: Date, zone: string): string {
  return new Date(wallMsAt(at.getTime(), zone)).toISOString().slice(0, 16);
}

/** What the clock shows, as if it were UTC. */
function wallMsAt(atMs: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' }).format(atMs);
  return Date.parse(`${parts.replace(' ', 'T')}Z`);
}
