import type { Handlers } from '../transaction.ts';
import type { QueueDeps } from './deps.ts';
import { everyLane } from './round-robin.ts';

/**
 * For how long each lane has had something to send and did not: since the acceptance of its oldest fresh event, or the
 * time at which its first retry fell due. Suspended workspaces wait on purpose and do not count, nor does what is held
 * of suspects. A seek a workspace, however long the queue.
 */
export function queueAge({ roundRobin, fresh, deferred, headOf }: QueueDeps): Handlers<'queueAge'>['queueAge'] {
  return (_, { wallMs, steadyMs }) =>
    everyLane()
      .filter(({ lane }) => lane !== 'suspect')
      .flatMap(({ route, lane }) => {
        let ageMs: number | null = null;
        for (const workspaceId of roundRobin.activeWorkspaces({ route, lane })) {
          const [first] = fresh.behind({ route, lane }, workspaceId, 0);
          const head = first && headOf(first.eventId);
          const dueMs = deferred.nextDue({ route, lane }, workspaceId);
          if (head) ageMs = Math.max(ageMs ?? 0, wallMs - head.receivedAtMs);
          if (dueMs !== undefined && dueMs <= steadyMs) ageMs = Math.max(ageMs ?? 0, steadyMs - dueMs);
        }
        return ageMs === null ? [] : [{ route, lane, ageMs }];
      });
}
