import { createRequire } from 'node:module';
import type { FieldProblem } from './names.ts';
import { isTimezone } from './timezones.ts';

const require = createRequire(import.meta.url);

/** The library, which is loaded where a schedule of this kind is met, and not before: few have one. */
export function loadCron(): typeof import('croner') {
  return require('croner');
}

const LONGEST_CHARACTERS = 100;

/**
 * When a schedule of five fields is next due after that time; null: never again. In a time zone that this Node does not
 * know, as after a move, it goes by UTC: rather due at another hour than never.
 */
export function nextOf(cron: string, timezone: string, wallMs: number): number | null {
  const { Cron } = loadCron();
  const known = isTimezone(timezone) ? timezone : 'UTC';
  return new Cron(cron, { mode: '5-part', timezone: known }).nextRun(new Date(wallMs))?.getTime() ?? null;
}

const NO_FIELDS: FieldProblem = {
  field: 'cron',
  message: 'The cron field must be five fields: minute, hour, day, month and weekday, such as 0 3 * * *.',
};

/** What is wrong with a schedule and its time zone; null: nothing. */
export function cronProblem(cron: string, timezone: string): FieldProblem | null {
  if (!isTimezone(timezone)) {
    return { field: 'timezone', message: `The timezone field must be a time zone such as Europe/Berlin.` };
  }
  if (cron.length > LONGEST_CHARACTERS || cron.split(' ').length !== 5) return NO_FIELDS;
  try {
    if (nextOf(cron, timezone, 0) !== null) return null;
    return { field: 'cron', message: 'The cron field names a day that never comes, such as 30 February.' };
  } catch {
    return NO_FIELDS;
  }
}
