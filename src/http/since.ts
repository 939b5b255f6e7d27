import { parseDurationMs } from '../config/units.ts';
import type { Clock } from '../process/clock.ts';
import { fromTimestamp } from '../values/timestamp.ts';
import { fieldError } from './errors.ts';

interface Period {
  readonly sinceMs?: number;
  readonly untilMs?: number;
}

/**
 * The period that `since` and `until` of a query ask for, each a time, or how far back; nothing of what is not there.
 * Throws FieldsError. An unescaped plus of an offset arrives as a blank.
 */
export function periodOf(
  { since, until }: { since?: string | undefined; until?: string | undefined },
  clock: Clock,
): Period {
  return {
    ...(since !== undefined && { sinceMs: momentOf('since', since, clock) }),
    ...(until !== undefined && { untilMs: momentOf('until', until, clock) }),
  };
}

function momentOf(field: string, text: string, clock: Clock): number {
  const backMs = parseDurationMs(text);
  const atMs = backMs === null ? fromTimestamp(text.replace(' ', '+')) : clock.wallMs() - backMs;
  if (atMs !== null) return atMs;
  const wanted = 'a time such as 2026-11-21T09:30:00Z or how far back, such as 24h';
  throw fieldError(field, `The ${field} field must be ${wanted}.`);
}
