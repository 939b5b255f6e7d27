import type { Clock } from '../clock.ts';
import { parseDurationMs } from '../config/units.ts';
import { fromTimestamp } from '../timestamp.ts';
import { fieldError } from './errors.ts';

/**
 * The period that the `since` of a query asks for: from a time, or how far back; an empty object without it. Throws
 * FieldsError. An unescaped plus of an offset arrives as a blank.
 */
export function periodOf(since: string | undefined, clock: Clock): { readonly sinceMs?: number } {
  if (since === undefined) return {};
  const backMs = parseDurationMs(since);
  const sinceMs = backMs === null ? fromTimestamp(since.replace(' ', '+')) : clock.wallMs() - backMs;
  if (sinceMs !== null) return { sinceMs };
  const wanted = 'a time such as 2026-11-21T09:30:00Z or how far back, such as 24h';
  throw fieldError('since', `The since field must be ${wanted}.`);
}
