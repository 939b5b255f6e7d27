import type { Handlers } from '../transaction.ts';
import type { QueueParts } from './parts.ts';
import { everyLane } from './turns.ts';

/**
 * Since when each lane has had something to send and did not: the acceptance of its oldest fresh event, or the time at which
 * its first retry fell due. Suspended workspaces wait on purpose and do not count, nor does what is held of suspects. A seek a workspace, however long the queue.
 */
export function queueAge({ turns, fresh, deferred, headOf }: QueueParts): Handlers<'queueAge'>['queueAge'] {
  return (_, { steadyMs }) =>
    everyLane()
      .filter(({ lane }) => lane !== 'suspect')
      .flatMap(({ route, lane }) => {
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
