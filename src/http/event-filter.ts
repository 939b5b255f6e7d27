import type { Clock } from '../process/clock.ts';
import type { SearchFilter } from '../store/calls.ts';
import { fieldError } from './errors.ts';
import { type Query, queryReader } from './query.ts';
import type { Context } from './request-state.ts';
import { timed } from './times.ts';

type EventsQuery = Query<'listEvents'> & Query<'listWorkspaceEvents'>;

const TWO_CURSORS = 'The after and before fields must not be used together: a page has one start.';

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
    if (asked.before !== undefined && after !== undefined) throw fieldError('after', TWO_CURSORS);
    const among = { since, until, after, q };
    const [conflict] = Object.entries(among).filter(([, value]) => value !== undefined);
    if (asked.scheduled && conflict !== undefined) throw fieldError(conflict[0], notWithScheduled(conflict[0]));
    return timed(asked, clock);
  };
}

function notWithScheduled(field: string): string {
  return `The ${field} field must not be used with scheduled. Use channel, level, event_type or before.`;
}
