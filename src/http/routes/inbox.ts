import { fieldProblem } from '../../contract/details.ts';
import { bodyReader } from '../body/body-fields.ts';
import type { Routes } from '../request-state.ts';
import type { Service } from '../service.ts';
import { unwrap } from '../unwrap.ts';

const TWO_WAYS = fieldProblem('events', 'events_or_up_to');

export function inboxRoutes({ authenticate }: Service) {
  const readMark = bodyReader('markInboxRead', ({ events, upTo }) => (events && upTo !== undefined ? [TWO_WAYS] : []));
  return {
    /**
     * Answers PUT /v1/inbox/read. Writes no more often than events arrive or become unread, so it is not a daily
     * change.
     */
    async markInboxRead(context) {
      const { store, user } = await authenticate(context, 'mark');
      const { events, workspace = '', upTo = '', ...among } = await readMark(context);
      if (events !== undefined) await store.markEventsRead({ userId: user.id, events });
      else unwrap(await store.markInboxRead({ userId: user.id, workspace, upTo, ...among }), 'workspace_not_found');
      return { status: 204 };
    },
  } satisfies Routes;
}
