import type { Config } from '../../config/config.ts';

const DAY_MS = 86_400_000;

/**
 * When a backup is due after the newest, as wall time; `null`: there is none, so one is due at once. At a time of day it
 * is due on the first such time in the last day of the interval, whatever time of day the one before was made at: one
 * that was made up for moves no others.
 */
export function dueAtMs(
  newestMs: number | null,
  { at, everyMs }: Pick<NonNullable<Config['backup']>, 'at' | 'everyMs'>,
): number {
  if (newestMs === null) return 0;
  return at === null ? newestMs + everyMs : firstAfter(newestMs + everyMs - DAY_MS, at);
}

/** The first time at which clocks here show `at`; where they leave it out that day, what they show instead. */
function firstAfter(atMs: number, at: string): number {
  const [hours = 0, minutes = 0] = at.split(':').map(Number);
  const day = new Date(atMs);
  const on = (days: number) =>
    new Date(day.getFullYear(), day.getMonth(), day.getDate() + days, hours, minutes).getTime();
  return on(0) > atMs ? on(0) : on(1);
}
