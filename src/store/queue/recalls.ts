import type { Db, TransactionHooks } from '../handlers.ts';
import type { Claims, Ended } from './claims.ts';

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
 * Recalls what is handed out to a device when its right to it ends: once that is on the disk, and before anybody hears of
 * it. Who may have what is not claimed yet is asked at the claim.
 */
export function watchEnds(db: Db, claims: Claims, hooks: TransactionHooks): void {
  const ended: Ended[] = [];
  const recall = () => claims.recall(ended.splice(0));
  const forget = () => void ended.pop();

  db.function('recall', (deviceId: number, channelId: number | null) => {
    if (claims.isEmpty) return null;
    if (ended.push({ deviceId, channelId, lastBatchId: claims.lastBatchId }) === 1) hooks.onCommit(recall);
    hooks.onRollback(forget);
    return null;
  });
  db.exec(TRIGGERS);
}
