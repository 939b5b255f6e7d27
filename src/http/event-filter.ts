import type { Clock } from '../clock.ts';
import type { SearchFilter } from '../store/calls.ts';
import { PAGE, queryReader } from './query.ts';
import type { Context } from './request-state.ts';
import { periodOf } from './since.ts';

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
    return { limit, ...filter, ...periodOf(since, clock) };
  };
}
