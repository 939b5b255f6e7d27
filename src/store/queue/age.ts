import type { Handlers } from '../handlers.ts';
import type { EventHead } from './event-heads.ts';
import type { FanOuts } from './fan-outs.ts';
import type { Retries } from './retries.ts';
import { everyLane, type Turns } from './turns.ts';

interface Parts {
  readonly turns: Turns;
  readonly fresh: FanOuts;
  readonly deferred: Retries;
  readonly headOf: (eventId: number) => EventHead | undefined;
}

/**
 * Since when each lane has had something to send and did not: the acceptance of its oldest fresh event, or the time at which
 * its first retry fell due. Suspended workspaces wait on purpose and do not count. A seek a workspace, however long the queue.
 */
export function queueAge({ turns, fresh, deferred, headOf }: Parts): Handlers<'queueAge'>['queueAge'] {
  return (_, { steadyMs }) =>
    everyLane().flatMap(({ route, lane }) => {
      let sinceMs = Number.POSITIVE_INFINITY;
      for (const workspaceId of turns.activeWorkspaces({ route, lane })) {
        const [first] = fresh.behind({ route, lane }, workspaceId, 0);
        const head = first && headOf(first.eventId);
        const dueMs = deferred.nextDue({ route, lane }, workspaceId);
        if (head) sinceMs = Math.min(sinceMs, head.receivedAtMs);
        if (dueMs !== undefined && dueMs <= steadyMs) sinceMs = Math.min(sinceMs, dueMs);
      }
      return Number.isFinite(sinceMs) ? [{ route, lane, sinceMs }] : [];
    });
}
