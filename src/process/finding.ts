import type { Check, Severity } from './severities.ts';

/** Advice on a wrong clock. */
export const SET_CLOCK =
  'synchronize the clock: timedatectl set-ntp true; if that is on already: timedatectl timesync-status';

/** Advice on a full disk. */
export const FREE_SPACE = 'free some space, or shorten [retention] in the configuration';

/**
 * A checked condition. `advice`: the remedy, unless all is well. `stops`: what it blocks in a running server. `files`:
 * unusable ones.
 */
export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
  readonly advice: string | null;
  readonly stops?: Stopped;
  readonly files?: readonly string[];
}

/** `events`: none are taken. `deliveries`: none go out, though possible. */
export type Stopped = 'events' | 'deliveries';

export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message, advice: null };
}

/** Makes a finding of something to do before it fails. */
export function warn(check: Check<'warn'>, message: string, advice: string): Finding {
  return { check, status: 'warn', message, advice };
}

/** Makes a finding of a failure or danger. */
export function fail(check: Check<'fail'>, message: string, advice: string): Finding {
  return { check, status: 'fail', message, advice };
}

/** Makes a finding whose severity grows: see severities.ts. */
export function graded(
  severity: Severity,
  check: Check<'warn'> & Check<'fail'>,
  message: string,
  advice: string,
): Finding {
  return { check, status: severity, message, advice };
}
