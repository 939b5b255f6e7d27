import type { Db, TransactionHooks } from '../transaction.ts';
import type { ClaimedBatch, ClaimedPart, Claims } from './claims.ts';

/**
 * An end of a device's rights comes down to one of the first three, in cascade as well: the device leaves a channel, or it
 * is removed; or it has another address, and whoever holds the old one now is none of its concern. The rows of what is
 * deleted as a whole go later, so with a channel or a workspace all that is handed out of it ends. A workspace that is
 * suspended, or waits for the devices of a former member to be removed, has nothing sent, so what is handed out of it comes
 * back into the queue. An event that is cancelled has lost the right for all.
 */
const TRIGGERS = `
  CREATE TEMP TRIGGER IF NOT EXISTS subscription_ends AFTER DELETE ON main.subscription BEGIN
    SELECT recall(NULL, old.device_id, old.channel_id, NULL);
  END;
  CREATE TEMP TRIGGER IF NOT EXISTS device_ends AFTER DELETE ON main.device BEGIN
    SELECT recall(NULL, old.id, NULL, NULL);
  END;
  CREATE TEMP TRIGGER IF NOT EXISTS device_moves AFTER UPDATE OF token, environment ON main.device
  WHEN old.token <> new.token OR old.route <> new.route BEGIN
    SELECT recall(NULL, old.id, NULL, NULL);
  END;
  CREATE TEMP TRIGGER IF NOT EXISTS channel_ends AFTER DELETE ON main.channel
  WHEN EXISTS (SELECT 1 FROM workspace WHERE id = old.workspace_id) BEGIN
    SELECT recall(NULL, NULL, old.id, NULL);
  END;
  CREATE TEMP TRIGGER IF NOT EXISTS remains_hold AFTER UPDATE OF holds ON main.remains WHEN new.holds = 1 BEGIN
    SELECT recall(new.workspace_id, NULL, NULL, NULL);
  END;
  CREATE TEMP TRIGGER IF NOT EXISTS workspace_ends AFTER DELETE ON main.workspace BEGIN
    SELECT recall(old.id, NULL, NULL, NULL);
  END;
  CREATE TEMP TRIGGER IF NOT EXISTS workspace_pauses AFTER UPDATE OF status ON main.workspace
  WHEN old.status = 'active' AND new.status = 'suspended' BEGIN
    SELECT recall(old.id, NULL, NULL, NULL);
  END;
  CREATE TEMP TRIGGER IF NOT EXISTS event_is_cancelled AFTER UPDATE OF cancelled_at ON main.event
  WHEN new.cancelled_at IS NOT NULL BEGIN
    SELECT recall(NULL, NULL, NULL, new.id);
  END`;

/**
 * What may no longer be sent: of a workspace, to a device, from a channel, of an event; null: any. What was handed out later than
 * `lastNumber` was judged after that.
 */
interface End {
  readonly workspaceId: number | null;
  readonly deviceId: number | null;
  readonly channelId: number | null;
  readonly eventId: number | null;
  readonly lastNumber: number;
}

/**
 * Recalls what is handed out when it may no longer be sent: once that is on the disk, and before anybody hears of it. Who may have what is not claimed yet is asked at the claim.
 */
export function watchEnds(db: Db, claims: Claims, hooks: TransactionHooks): void {
  const ends: End[] = [];
  const recall = () => mark(claims.batches.values(), ends.splice(0));
  const forget = () => void ends.pop();

  type Id = number | null;
  db.function('recall', (workspaceId: Id, deviceId: Id, channelId: Id, eventId: Id) => {
    if (claims.batches.size === 0) return null;
    const end = { workspaceId, deviceId, channelId, eventId, lastNumber: claims.lastNumber };
    if (ends.push(end) === 1) hooks.onCommit(recall);
    hooks.onRollback(forget);
    return null;
  });
  db.exec(TRIGGERS);
}

/** One pass over all that is handed out: that is bounded, and an end is rare. */
function mark(batches: Iterable<ClaimedBatch>, ends: readonly End[]): void {
  const byDevice = Map.groupBy(ends, ({ deviceId }) => deviceId);
  for (const batch of batches) {
    for (const [index, part] of batch.openPart.entries()) {
      if (part === null) continue;
      const deviceId = batch.deviceIds[index] ?? null;
      const concerning = [...(byDevice.get(deviceId) ?? []), ...(byDevice.get(null) ?? [])];
      if (concerning.some((end) => isOf(end, batch, part))) Atomics.store(batch.recalls, index, 1);
    }
  }
}

function isOf(
  { workspaceId, channelId, eventId, lastNumber }: End,
  { number }: ClaimedBatch,
  part: ClaimedPart,
): boolean {
  return (
    number <= lastNumber &&
    (workspaceId === null || workspaceId === part.workspaceId) &&
    (channelId === null || channelId === part.channelId) &&
    (eventId === null || eventId === part.eventId)
  );
}
