import type { Lane, Route } from '../../../push.ts';
import type { QueueDeps } from '../../queue/planning.ts';
import type { Db, TransactionHooks } from '../transaction.ts';

/** All ways into the queue run one of these triggers. */
const ARRIVALS = `
  CREATE TEMP TRIGGER IF NOT EXISTS fan_out_comes AFTER INSERT ON main.fan_out BEGIN
    SELECT wake(new.route, new.lane, new.workspace_id);
  END;
  CREATE TEMP TRIGGER IF NOT EXISTS fan_out_comes_back AFTER UPDATE OF lane ON main.fan_out BEGIN
    SELECT wake(new.route, new.lane, new.workspace_id);
  END;
  CREATE TEMP TRIGGER IF NOT EXISTS retry_comes AFTER INSERT ON main.delivery WHEN new.state = 'pending' BEGIN
    SELECT wake(new.route, new.lane, new.workspace_id);
  END;
  CREATE TEMP TRIGGER IF NOT EXISTS retry_changes AFTER UPDATE OF state, lane, due_at ON main.delivery
  WHEN new.state = 'pending' BEGIN
    SELECT wake(new.route, new.lane, new.workspace_id);
  END`;

/**
 * The first three triggers cover every revocation of a device's right to a push, cascades included: the device leaves a
 * channel, is removed, or gets another address, owner or route. Its old address may belong to another user now. A
 * deleted channel's or workspace's rows are removed later, so its claimed pushes are revoked at once. A workspace sends
 * nothing while suspended, or while a former member's devices await removal: its claimed pushes return to the queue. A
 * cancelled event is revoked for all devices. If a mark covers more alerts than follow at once, the workspace's claimed
 * pushes return to the queue, and their next claim applies the mark.
 */
const REVOCATIONS = `
  CREATE TEMP TRIGGER IF NOT EXISTS subscription_ends AFTER DELETE ON main.subscription BEGIN
    SELECT revoke(NULL, old.device_id, old.channel_id, NULL);
  END;
  CREATE TEMP TRIGGER IF NOT EXISTS device_ends AFTER DELETE ON main.device BEGIN
    SELECT revoke(NULL, old.id, NULL, NULL);
  END;
  CREATE TEMP TRIGGER IF NOT EXISTS device_moves AFTER UPDATE OF token, keys, generation ON main.device
  WHEN old.token <> new.token OR old.keys IS NOT new.keys OR old.generation <> new.generation BEGIN
    SELECT revoke(NULL, old.id, NULL, NULL);
  END;
  CREATE TEMP TRIGGER IF NOT EXISTS channel_ends AFTER DELETE ON main.channel
  WHEN EXISTS (SELECT 1 FROM workspace WHERE id = old.workspace_id) BEGIN
    SELECT revoke(NULL, NULL, old.id, NULL);
  END;
  CREATE TEMP TRIGGER IF NOT EXISTS cleanup_job_starts_to_hold AFTER UPDATE OF holds ON main.cleanup_job WHEN new.holds = 1 BEGIN
    SELECT revoke(new.workspace_id, NULL, NULL, NULL);
  END;
  CREATE TEMP TRIGGER IF NOT EXISTS workspace_ends AFTER DELETE ON main.workspace BEGIN
    SELECT revoke(old.id, NULL, NULL, NULL);
  END;
  CREATE TEMP TRIGGER IF NOT EXISTS workspace_pauses AFTER UPDATE OF status ON main.workspace
  WHEN old.status = 'active' AND new.status = 'suspended' BEGIN
    SELECT revoke(old.id, NULL, NULL, NULL);
  END;
  CREATE TEMP TRIGGER IF NOT EXISTS alert_mark_is_left AFTER UPDATE OF is_left ON main.alert_mark WHEN new.is_left = 1 BEGIN
    SELECT revoke(new.workspace_id, NULL, NULL, NULL);
  END;
  CREATE TEMP TRIGGER IF NOT EXISTS event_is_cancelled AFTER UPDATE OF cancelled_at ON main.event
  WHEN new.cancelled_at IS NOT NULL BEGIN
    SELECT revoke(NULL, NULL, NULL, new.id);
  END`;

/** Wakes workspaces with new work. Reports the revocations that concern claimed pushes; others are checked at claims. */
export function watchQueue(
  db: Db,
  { claims, turns }: Pick<QueueDeps, 'claims' | 'turns'>,
  hooks: Pick<TransactionHooks, 'reportRevocation'>,
): void {
  type Id = number | null;
  db.function('wake', (route: Route, lane: Lane, workspaceId: number) => {
    turns.wake({ route, lane }, workspaceId);
    return null;
  });
  db.function('revoke', (workspaceId: Id, deviceId: Id, channelId: Id, eventId: Id) => {
    if (!claims.isEmpty) hooks.reportRevocation({ workspaceId, deviceId, channelId, eventId, upTo: claims.lastOrder });
    return null;
  });
  db.exec(ARRIVALS);
  db.exec(REVOCATIONS);
}
