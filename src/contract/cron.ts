import { createRequire } from 'node:module';
import type { Cron } from 'croner';
import { type FieldProblem, fieldProblem } from './details.ts';
import { isTimezone } from './timezones.ts';

const require = createRequire(import.meta.url);

/** Loads the library at the first schedule, as few have one. */
export function loadCron(): typeof import('croner') {
  return require('croner');
}

const LONGEST_CHARACTERS = 100;

/**
 * Returns when a five-field schedule is next due; null: never. Uses UTC if this Node lacks the time zone: a wrong hour
 * is better than never.
 */
export function nextOf(cron: string, timezone: string, wallMs: number): number | null {
  return nextRunOf(parsed(cron, isTimezone(timezone) ? timezone : 'UTC'), wallMs);
}

function parsed(cron: string, timezone: string): Cron {
  const { Cron } = loadCron();
  return new Cron(cron, { mode: '5-part', timezone });
}

function nextRunOf(schedule: Cron, wallMs: number): number | null {
  return schedule.nextRun(new Date(wallMs))?.getTime() ?? null;
}

/** Returns the fault of schedule or time zone; null: none. */
export function cronProblem(cron: string, timezone: string): FieldProblem | null {
  if (!isTimezone(timezone)) return fieldProblem('timezone', 'timezone');
  if (cron.length > LONGEST_CHARACTERS || cron.split(' ').length !== 5) return fieldProblem('cron', 'cron_form');
  try {
    const schedule = parsed(cron, timezone);
    if (isDayEver(cron) && nextRunOf(schedule, 0) !== null) return null;
    return fieldProblem('cron', 'cron_never');
  } catch {
    return fieldProblem('cron', 'cron_form');
  }
}

const MOST_DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** Returns false if no month has the days: the library would search ten centuries. */
function isDayEver(cron: string): boolean {
  const [, , days = '', months = '', weekdays] = cron.split(' ');
  if (weekdays !== '*') return true;
  const first = Math.min(...days.split(',').map((part) => stretchOf(part)[0]));
  const named = months.toUpperCase().replaceAll(/[A-Z]{3}/g, (name) => String(MONTHS.indexOf(name) + 1));
  const longest = named.split(',').flatMap((part) => {
    const [from, to] = part.startsWith('*') ? [1, MONTHS.length] : stretchOf(part);
    return MOST_DAYS.slice(from - 1, to);
  });
  return first <= Math.max(...longest);
}

/** Returns the bounds of `3`, `3-5` or `3-5/2`, otherwise 1 and 12. */
function stretchOf(part: string): readonly [number, number] {
  const [, from, to = from] = /^(\d+)(?:-(\d+)(?:\/\d+)?)?$/.exec(part) ?? [];
  return from === undefined ? [1, MONTHS.length] : [Number(from), Number(to)];
}
