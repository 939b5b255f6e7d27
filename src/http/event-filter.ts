import { fieldProblem } from '../contract/details.ts';
import type { Clock } from '../process/clock.ts';
import type { SearchFilter } from '../store/calls.ts';
import { fieldError } from './errors.ts';
import { type Query, queryReader } from './query.ts';
import type { Context } from './request-state.ts';
import { timed } from './times.ts';

type EventsQuery = Query<'listEvents'> & Query<'listWorkspaceEvents'>;

export type AskedEvents = SearchFilter & Pick<EventsQuery, 'workspace' | 'unread'>;

export function eventFilterReader(
  operation: 'listEvents' | 'listWorkspaceEvents',
  clock: Clock,
  caller?: 'key',
): (context: Context) => AskedEvents {
  const read: (context: Context) => EventsQuery = queryReader(operation, caller);
  return (context) => {
    const asked = read(context);
    const { since, until, after, q } = asked;
    if (asked.before !== undefined && after !== undefined) throw fieldError(fieldProblem('after', 'cursors'));
    const among = { since, until, after, q };
    const [conflict] = Object.entries(among).filter(([, value]) => value !== undefined);
    if (asked.scheduled && conflict !== undefined) throw fieldError(fieldProblem(conflict[0], 'not_with_scheduled'));
    return timed(asked, clock);
  };
}
