import type { Config } from '../../config/config.ts';

const DAY_MS = 86_400_000;

/**
 * Returns when a backup is due after the newest (wall time); `null`: there is none, so one is due at once. At a time of
 * day, it is due on the first such time in the interval's last day, whenever the previous one was made. So a backup
 * that was made up for moves no others.
 */
export function dueAtMs(
  newestMs: number | null,
  { at, everyMs }: Pick<NonNullable<Config['backup']>, 'at' | 'everyMs'>,
): number {
  if (newestMs === null) return 0;
  return at === null ? newestMs + everyMs : firstAfter(newestMs + everyMs - DAY_MS, at);
}

/** Returns when clocks first show `at`, or what they show for a skipped time. */
function firstAfter(atMs: number, at: string): number {
  const [hours = 0, minutes = 0] = at.split(':').map(Number);
  const day = new Date(atMs);
  const on = (days: number) =>
    new Date(day.getFullYear(), day.getMonth(), day.getDate() + days, hours, minutes).getTime();
  return on(0) > atMs ? on(0) : on(1);
}
