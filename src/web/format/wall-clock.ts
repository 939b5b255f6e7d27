import { timeZone } from './locale.ts';

const DAY_MS = 86_400_000;

/** The shown times' zone. */
export const zoneHere = timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;

/**
 * Returns when a wall clock shows a `datetime-local` value (`2026-11-22T09:30`). Shown twice: the first time. Skipped:
 * later by the skipped time.
 */
export function instantOf(local: string, zone: string): Date {
  const wallMs = Date.parse(`${local}Z`);
  const offsets = [wallMs - DAY_MS, wallMs + DAY_MS].map((atMs) => wallMsAt(atMs, zone) - atMs);
  const shown = offsets.map((offsetMs) => wallMs - offsetMs).filter((atMs) => wallMsAt(atMs, zone) === wallMs);
  return new Date(shown.length > 0 ? Math.min(...shown) : wallMs - (offsets[0] ?? 0));
}

/** Returns a wall clock's time for a `datetime-local` field. */
export function wallTime(at: Date, zone: string): string {
  return new Date(wallMsAt(at.getTime(), zone)).toISOString().slice(0, 16);
}

/** Returns a wall clock's time as if UTC. */
function wallMsAt(atMs: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' }).format(atMs);
  return Date.parse(`${parts.replace(' ', 'T')}Z`);
}
