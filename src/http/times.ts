import { parseDurationMs } from '../config/units.ts';
import { fieldProblem } from '../contract/details.ts';
import type { Clock } from '../process/clock.ts';
import { fromTimestamp } from '../values/timestamp.ts';
import { fieldError } from './errors.ts';

/** The fields with the store's arguments in place of times. */
export type Timed<Fields> = Omit<Fields, 'since' | 'from' | 'until' | 'expiresAt'> &
  ('since' extends keyof Fields ? { readonly sinceMs?: number } : unknown) &
  ('from' extends keyof Fields ? { readonly fromMs?: number } : unknown) &
  ('until' extends keyof Fields ? { readonly untilMs?: number } : unknown) &
  ('expiresAt' extends keyof Fields ? { readonly expires?: { readonly atMs: number } } : unknown);

/**
 * Reads times: `since`, `from` and `until` are times or durations; schemas have checked `expiresAt`. Throws
 * FieldsError.
 */
export function timed<Fields extends object>(fields: Fields, clock: Clock): Timed<Fields> {
  const { since, from, until, expiresAt, ...others } = fields as Readonly<Record<string, unknown>>;
  const times = {
    ...(since !== undefined && { sinceMs: momentOf('since', String(since), clock) }),
    ...(from !== undefined && { fromMs: momentOf('from', String(from), clock) }),
    ...(until !== undefined && { untilMs: momentOf('until', String(until), clock) }),
    ...(expiresAt !== undefined && { expires: { atMs: Date.parse(String(expiresAt)) } }),
  };
  return { ...others, ...times } as Timed<Fields>;
}

/** Reads a blank as the unescaped plus of an offset. */
function momentOf(field: string, text: string, clock: Clock): number {
  const backMs = parseDurationMs(text);
  const atMs = backMs === null ? fromTimestamp(text.replace(' ', '+')) : clock.wallMs() - backMs;
  if (atMs !== null) return atMs;
  throw fieldError(fieldProblem(field, 'time_back'));
}
