import type { Db, TransactionHooks } from '../handlers.ts';
import type { ClaimedBatch, Claims } from './claims.ts';

/**
 * Every end of a device's rights comes down to one of these, in cascade as well: the device leaves a channel, or it is
 * removed; or it has another address, and whoever holds the old one now is none of its concern.
 */
const TRIGGERS = `
  CREATE TEMP TRIGGER IF NOT EXISTS subscription_ends AFTER DELETE ON main.subscription BEGIN
    SELECT recall(old.device_id, old.channel_id);
  END;
  CREATE TEMP TRIGGER IF NOT EXISTS device_ends AFTER DELETE ON main.device BEGIN
    SELECT recall(old.id, NULL);
  END;
  CREATE TEMP TRIGGER IF NOT EXISTS device_moves AFTER UPDATE OF token, environment ON main.device
  WHEN old.token <> new.token OR old.route <> new.route BEGIN
    SELECT recall(old.id, NULL);
  END`;

/**
 * A device's right to what a channel has for it has ended; `channelId` null: to everything, or under the address it had.
 * What was handed out later than `lastBatchId` was judged after that.
 */
interface End {
  readonly deviceId: number;
  readonly channelId: number | null;
  readonly lastBatchId: number;
}

/**
 * Recalls what is handed out to a device when its right to it ends: once that is on the disk, and before anybody hears of
 * it. Who may have what is not claimed yet is asked at the claim.
 */
export function watchEnds(db: Db, claims: Claims, hooks: TransactionHooks): void {
  const ends: End[] = [];
  const recall = () => mark(claims.batches.values(), ends.splice(0));
  const forget = () => void ends.pop();

  db.function('recall', (deviceId: number, channelId: number | null) => {
    if (claims.batches.size === 0) return null;
    if (ends.push({ deviceId, channelId, lastBatchId: claims.lastBatchId }) === 1) hooks.onCommit(recall);
    hooks.onRollback(forget);
    return null;
  });
  db.exec(TRIGGERS);
}

/** One pass over all that is handed out: that is bounded, and an end is rare. */
function mark(batches: Iterable<ClaimedBatch>, ends: readonly End[]): void {
  const byDevice = Map.groupBy(ends, ({ deviceId }) => deviceId);
  for (const batch of batches) {
    for (const [index, deviceId] of batch.deviceIds.entries()) {
      const concerning = byDevice.get(deviceId)?.some((end) => concerns(end, batch));
      if (concerning) Atomics.store(batch.recalls, index, 1);
    }
  }
}

function concerns(end: End, batch: ClaimedBatch): boolean {
  return batch.batchId <= end.lastBatchId && (end.channelId === null || end.channelId === batch.channelId);
}
