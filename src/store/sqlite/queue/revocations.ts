import type { Claims } from '../../queue/claims.ts';
import type { Db, TransactionHooks } from '../transaction.ts';

/**
 * The first three triggers cover every revocation of a device's right to a push, cascades included: the device leaves a
 * channel, is removed, or gets another address, owner or route. Its old address may belong to another user now. A
 * deleted channel's or workspace's rows are removed later, so its claimed pushes are revoked at once. A workspace sends
 * nothing while suspended, or while a former member's devices await removal: its claimed pushes return to the queue. A
 * cancelled event is revoked for all devices. If a mark covers more alerts than follow at once, the workspace's claimed
 * pushes return to the queue, and their next claim applies the mark.
 */
const TRIGGERS = `
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

/** Reports the revocations that concern claimed pushes. Rights to other pushes are checked at their claim. */
export function watchRevocations(db: Db, claims: Claims, hooks: TransactionHooks): void {
  type Id = number | null;
  db.function('revoke', (workspaceId: Id, deviceId: Id, channelId: Id, eventId: Id) => {
    if (!claims.isEmpty) hooks.reportRevocation({ workspaceId, deviceId, channelId, eventId, upTo: claims.lastOrder });
    return null;
  });
  db.exec(TRIGGERS);
}
