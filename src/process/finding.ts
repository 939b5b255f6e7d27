import type { Check, Severity } from './severities.ts';

/** Advice on a wrong clock. */
export const SET_CLOCK =
  'synchronize the clock: timedatectl set-ntp true; if that is on already: timedatectl timesync-status';

/**
 * One thing that was looked at. `advice`: what to do about it, where all is not well. `stops`: what does not go on
 * because of it, in a running server. `files`: those that cannot be used, if it is about them.
 */
export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
  readonly advice: string | null;
  readonly stops?: Stopped;
  readonly files?: readonly string[];
}

/** `events`: none are taken. `deliveries`: none go out, though they could. */
export type Stopped = 'events' | 'deliveries';

export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message, advice: null };
}

/** It works, but something should be done before it no longer does. */
export function warn(check: Check<'warn'>, message: string, advice: string): Finding {
  return { check, status: 'warn', message, advice };
}

/** It does not work, or is not safe. */
export function fail(check: Check<'fail'>, message: string, advice: string): Finding {
  return { check, status: 'fail', message, advice };
}

/** A warning that becomes a failure: severities.ts says when. */
export function graded(
  severity: Severity,
  check: Check<'warn'> & Check<'fail'>,
  message: string,
  advice: string,
): Finding {
  return { check, status: severity, message, advice };
}
