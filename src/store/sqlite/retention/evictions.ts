import { eventPurge } from '../../handlers/retention/purges.ts';
import { FINISHED, type Sweep } from '../../handlers/retention/retention.ts';
import { sqlOver } from '../sql.ts';
import type { Db, TransactionHooks } from '../transaction.ts';
import { auditTrim } from './audit-trim.ts';
import { REMOVAL } from './removal.ts';
import { type Census, shareCensus } from './shares.ts';

/** No idempotency key or change is forgotten sooner, however full the disk. */
const SAFE_MS = 86_400_000;
/** A census's life, less removals since. */
const CENSUS_HOLDS_MS = 3_600_000;
/** The audit log's share of the largest size. All else has the rest, untouched by audit entries. */
const AUDIT_PART = 1 / 10;

export interface SizeLimit {
  readonly maxBytes: number;
  usedBytes(): number;
}
/** A workspace's eviction so far. `last`: last examined event; `isSpent`: nothing more may go. */
interface EvictionProgress {
  last: number;
  isSpent: boolean;
}

/** Columns that decide on an event's removal. */
interface EventAge {
  readonly id: number;
  readonly receivedAtMs: number;
  readonly finished: 0 | 1;
}

/**
 * Removes data early if the database is too large: the oldest events of the workspaces that keep more than the average,
 * starting with the one that keeps most. So a growing workspace displaces only its own events. Events make room for
 * events only, and audit entries for audit entries.
 */
export function evictions(
  db: Db,
  deliveriesRetentionMs: number,
  { maxBytes, usedBytes }: SizeLimit,
  hooks: Pick<TransactionHooks, 'onRollback'>,
): Sweep {
  const oldestAtMs = db
    .prepare<[], number | null>(`
      SELECT min(at) FROM (
        SELECT * FROM (SELECT received_at AS at FROM event ORDER BY id LIMIT 1)
        UNION ALL SELECT * FROM (SELECT at FROM audit ORDER BY id LIMIT 1))
    `)
    .pluck();
  const begin = shareCensus(db, deliveriesRetentionMs);
  const trim = auditTrim(db);
  const take = eventEviction(db);
  const eventBytes = maxBytes * (1 - AUDIT_PART);
  let census: Census | null = null;
  let givers = new Map<number, EvictionProgress>();

  function trimSome({ entries }: Census, beforeMs: number, limit: number): number {
    if (entries.bytes() <= maxBytes * AUDIT_PART) return 0;
    for (const holder of entries.aboveAverage()) {
      const trimmed = trim(holder, beforeMs, limit);
      entries.lessen(holder, trimmed.bytes);
      if (trimmed.entries > 0) return trimmed.entries;
    }
    return 0;
  }

  async function evictSome(from: Census, beforeMs: number, limit: number): Promise<number> {
    if (usedBytes() - from.entries.bytes() <= eventBytes) return 0;
    for (const workspaceId of from.events.aboveAverage()) {
      const giver = givers.get(workspaceId) ?? { last: 0, isSpent: false };
      givers.set(workspaceId, giver);
      const work = await take(from, giver, workspaceId, beforeMs, limit);
      if (work > 0) return work;
    }
    return 0;
  }

  return async ({ wallMs }, limit) => {
    const beforeMs = wallMs - SAFE_MS;
    if (usedBytes() <= eventBytes || (oldestAtMs.get() ?? beforeMs) >= beforeMs) return 0;
    if (census === null || Math.abs(wallMs - census.takenAtMs) > CENSUS_HOLDS_MS) {
      census = begin(wallMs);
      givers = new Map();
    }
    // Rows return, but the census no longer counts them.
    hooks.onRollback(() => {
      census = null;
    });
    const uncounted = [census.events, census.entries].find((shares) => !shares.isCounted());
    if (uncounted === undefined) return trimSome(census, beforeMs, limit) || (await evictSome(census, beforeMs, limit));
    uncounted.countSome();
    return limit;
  };
}

/** Removes some of a workspace's oldest events; returns how many rows. */
function eventEviction(db: Db) {
  const oldest = db.prepare<[number, number, number], EventAge>(
    `SELECT id, received_at AS receivedAtMs, ${FINISHED} AS finished FROM event
     WHERE workspace_id = ? AND id > ? ORDER BY id LIMIT ?`,
  );
  const purge = eventPurge(sqlOver(db), REMOVAL);

  return async (
    { events, bytesOf }: Census,
    giver: EvictionProgress,
    workspaceId: number,
    beforeMs: number,
    limit: number,
  ): Promise<number> => {
    let work = 0;
    for (const { id, receivedAtMs, finished } of giver.isSpent ? [] : oldest.all(workspaceId, giver.last, limit)) {
      if (receivedAtMs >= beforeMs) break;
      if (work >= limit) return work;
      const bytes = bytesOf(id);
      const removed = finished === 1 ? await purge([id], limit - work) : 1;
      if (finished === 0 || removed < limit - work) giver.last = id;
      if (finished === 1 && removed < limit - work) events.lessen(workspaceId, bytes);
      work += removed;
    }
    giver.isSpent = work < limit;
    return work;
  };
}
