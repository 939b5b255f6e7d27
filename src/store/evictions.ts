import { eventDrain, type Sweep } from './drains.ts';
import { EVENT_AGE, type EventAge } from './event-age.ts';
import type { Db } from './handlers.ts';
import { type Shares, shareCensus } from './shares.ts';

/** No idempotency key is forgotten within this time, however full the disk. */
const SAFE_MS = 86_400_000;
/** For so long it is believed who keeps how much, less what has gone since. */
const CENSUS_HOLDS_MS = 3_600_000;

/** Who had to give, from where on to look, and whether there is nothing more that may go. */
interface Giver {
  last: number;
  isSpent: boolean;
}

/**
 * Events that go before their time because the database is too large: the oldest of the workspaces that keep more than the
 * average, of the one that keeps most first, and of no others. So whoever grows displaces only what is their own, and nobody
 * who keeps to their share loses anything. Audit entries count, but are not displaced: nobody should be able to flush them.
 */
export function evictions(db: Db, deliveriesRetentionMs: number): Sweep {
  const firstReceivedAt = db.prepare<[], number>('SELECT received_at FROM event ORDER BY id LIMIT 1').pluck();
  const oldest = db.prepare<[number, number, number], EventAge>(
    `${EVENT_AGE} WHERE workspace_id = ? AND id > ? ORDER BY id LIMIT ?`,
  );
  const begin = shareCensus(db, deliveriesRetentionMs);
  const drain = eventDrain(db);
  let shares: Shares | null = null;
  let givers = new Map<number, Giver>();

  /** Removes some of the oldest events of a workspace, and answers how many rows that were. */
  function take(from: Shares, workspaceId: number, beforeMs: number, limit: number): number {
    const giver = givers.get(workspaceId) ?? { last: 0, isSpent: false };
    givers.set(workspaceId, giver);
    let work = 0;
    const events = giver.isSpent ? [] : oldest.all(workspaceId, giver.last, limit);
    for (const { id, receivedAtMs, finished } of events) {
      if (receivedAtMs >= beforeMs) break;
      if (work >= limit) return work;
      const bytes = from.bytesOf(id);
      const removed = finished === 1 ? drain(id, limit - work) : 1;
      if (finished === 0 || removed < limit - work) giver.last = id;
      if (finished === 1 && removed < limit - work) from.lessen(workspaceId, bytes);
      work += removed;
    }
    giver.isSpent = work < limit;
    return work;
  }

  return (wallMs, limit) => {
    const beforeMs = wallMs - SAFE_MS;
    if ((firstReceivedAt.get() ?? beforeMs) >= beforeMs) return 0;
    if (shares === null || Math.abs(wallMs - shares.takenAtMs) > CENSUS_HOLDS_MS) {
      shares = begin(wallMs);
      givers = new Map();
    }
    if (!shares.isCounted()) {
      shares.countSome();
      return limit;
    }
    for (const workspaceId of shares.aboveAverage()) {
      const work = take(shares, workspaceId, beforeMs, limit);
      if (work > 0) return work;
    }
    return 0;
  };
}
