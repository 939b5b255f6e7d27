/**
 * One thing that was looked at. `advice`: what to do about it, where all is not well. `stops`: what does not go on
 * because of it, in a running server.
 */
export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
  readonly advice: string | null;
  readonly stops?: Stopped;
}

/** `events`: none are taken. `deliveries`: none go out, though they could. */
export type Stopped = 'events' | 'deliveries';

export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message, advice: null };
}

/** It works, but something should be done before it no longer does. */
export function warn(check: string, message: string, advice: string): Finding {
  return { check, status: 'warn', message, advice };
}

/** It does not work, or is not safe. */
export function fail(check: string, message: string, advice: string): Finding {
  return { check, status: 'fail', message, advice };
}
