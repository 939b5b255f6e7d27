import type { Clock } from '../clock.ts';
import { parseDurationMs } from '../config/units.ts';
import { timestampMs } from '../contract/fields.ts';
import type { SearchFilter } from '../store/calls.ts';
import { fieldError } from './errors.ts';
import { PAGE, queryReader } from './query.ts';
import type { Context } from './request-state.ts';

interface EventsQuery extends Omit<SearchFilter, 'sinceMs' | 'limit'> {
  readonly workspace?: string;
  readonly since?: string;
  readonly limit?: number;
}

/** Which events a list is to hold. */
export type AskedEvents = SearchFilter & Pick<EventsQuery, 'workspace'>;

/** Reads the filters of a list of events, all of them: a list that does not know one ignores it. */
export function eventFilterReader(clock: Clock): (context: Context) => AskedEvents {
  const read = queryReader<EventsQuery>('events-query');
  return (context) => {
    const { since, limit = PAGE, ...filter } = read(context);
    const period = since === undefined ? {} : { sinceMs: sinceMs(since, clock.wallMs()) };
    return { limit, ...filter, ...period };
  };
}

/** A time, or how far back. An unescaped plus of an offset has become a blank. */
function sinceMs(since: string, nowMs: number): number {
  const backMs = parseDurationMs(since);
  const atMs = backMs === null ? timestampMs(since.replace(' ', '+')) : nowMs - backMs;
  if (atMs !== null) return atMs;
  const wanted = 'a time such as 2026-11-21T09:30:00Z or how far back, such as 24h';
  throw fieldError('since', `The since field must be ${wanted}.`);
}
