import type { Handlers } from '../handlers.ts';
import type { EventHead } from './event-heads.ts';
import type { Retries } from './retries.ts';
import { everyLane, type Turns } from './turns.ts';

/**
 * Since when each lane has had something to send and did not: the acceptance of its oldest fresh event, or the time at which
 * its first retry fell due. Suspended workspaces wait on purpose and do not count. A seek a workspace, however long the queue.
 */
export function queueAge(
  turns: Turns,
  deferred: Retries,
  headOf: (eventId: number) => EventHead | undefined,
): Handlers<'queueAge'>['queueAge'] {
  return (_, { steadyMs }) =>
    everyLane().flatMap(({ route, lane }) => {
      let sinceMs = Number.POSITIVE_INFINITY;
      for (const workspaceId of turns.workspaces({ route, lane }, 0)) {
        const [fresh] = turns.fanOuts({ route, lane }, workspaceId, 0);
        const head = fresh && headOf(fresh.eventId);
        const dueMs = deferred.nextDue({ route, lane }, workspaceId);
        if (head) sinceMs = Math.min(sinceMs, head.receivedAtMs);
        if (dueMs !== undefined && dueMs <= steadyMs) sinceMs = Math.min(sinceMs, dueMs);
      }
      return Number.isFinite(sinceMs) ? [{ route, lane, sinceMs }] : [];
    });
}
