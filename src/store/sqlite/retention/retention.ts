import type { PruneAnswer } from '../../calls.ts';
import type { Handlers } from '../../handlers/handler.ts';
import { eventPurge, type RemovalDeps, STEP_ROWS } from '../../handlers/retention/purges.ts';
import { FINISHED, REMOVABLE_ENTRY, type Sweep, sweeps } from '../../handlers/retention/retention.ts';
import type { StoreSettings } from '../../settings.ts';
import { ID_LIST, ROUTES_IN_SQL } from '../../sql.ts';
import { sqlOver } from '../sql.ts';
import { importDeps } from '../staged-lines.ts';
import type { Db, TransactionHooks } from '../transaction.ts';
import { type Census, ENTRY_SIZE, shareCensus } from './shares.ts';

const STEP_PAGES = 100;
/** Free pages kept for reuse, up to this share of the file. */
const SLACK = 0.2;
const SLACK_PAGES = 2_048;

/** Beyond `[retention] max_size`, younger rows are removed too. */
export function retention(db: Db, settings: StoreSettings, hooks: TransactionHooks): Handlers<'pruneStep'> {
  const { deliveriesRetentionMs, maxSizeBytes } = settings;
  const sql = sqlOver(db);
  const sweepAll = sweeps(sql, settings, { ...REMOVAL, imports: importDeps(db) });
  const pages = pageCounts(db);
  const maxBytes = maxSizeBytes ?? Number.POSITIVE_INFINITY;
  const evict = evictions(db, deliveriesRetentionMs, { maxBytes, usedBytes: pages.usedBytes }, hooks);

  return {
    async pruneStep({ passedMs }, now): Promise<PruneAnswer> {
      const { left, aged, ...swept } = await sweepAll(now, STEP_ROWS, passedMs);
      if (left <= 0 || (await evict(aged, left)) > 0) return { done: false, ...swept, isTooLarge: false };
      return { done: !pages.giveBack(), ...swept, isPressing: false, isTooLarge: pages.usedBytes() > maxBytes };
    },
  };
}

function pageCounts(db: Db) {
  const number = (pragma: string) => Number(db.pragma(pragma, { simple: true }));
  const pageBytes = number('page_size');
  // Only this mode can return pages (database.ts). Otherwise they await reuse.
  const canShrink = number('auto_vacuum') === 2;
  return {
    usedBytes: () => (number('page_count') - number('freelist_count')) * pageBytes,
    /** Returns some excess free pages to the file system, and whether there were any. */
    giveBack(): boolean {
      const hasTooMany = number('freelist_count') > Math.max(SLACK_PAGES, number('page_count') * SLACK);
      if (!hasTooMany || !canShrink) return false;
      db.pragma(`incremental_vacuum(${STEP_PAGES})`);
      return true;
    },
  };
}

/** No idempotency key or change is forgotten sooner, however full the disk. */
const SAFE_MS = 86_400_000;
/** A census's life, less removals since. */
const CENSUS_HOLDS_MS = 3_600_000;
/** The audit log's share of the largest size. All else has the rest, untouched by audit entries. */
const AUDIT_PART = 1 / 10;

interface SizeLimit {
  readonly maxBytes: number;
  usedBytes(): number;
}
/** Progress of a holder's evictions. `last`: last examined row; `isSpent`: nothing more may go. */
interface EvictionProgress {
  last: number;
  isSpent: boolean;
}

/** Rows before `beforeMs` may go. Rows behind `wallMs` are dated ahead of a clock that was set back: they are skipped. */
interface EvictionTime {
  readonly beforeMs: number;
  readonly wallMs: number;
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
function evictions(
  db: Db,
  deliveriesRetentionMs: number,
  { maxBytes, usedBytes }: SizeLimit,
  hooks: Pick<TransactionHooks, 'onRollback'>,
): Sweep {
  const firstAtMs = db
    .prepare<[], number>(`
      SELECT * FROM (SELECT received_at FROM event ORDER BY id LIMIT 1)
      UNION ALL SELECT * FROM (SELECT at FROM audit ORDER BY id LIMIT 1)
    `)
    .pluck();
  const begin = shareCensus(db, deliveriesRetentionMs);
  const trim = auditTrim(db);
  const take = eventEviction(db);
  const eventBytes = maxBytes * (1 - AUDIT_PART);
  let census: Census | null = null;
  /** Keyed by a workspace's id, or by the holder of audit entries. */
  let givers = new Map<number | string, EvictionProgress>();

  function giverOf(key: number | string): EvictionProgress {
    const giver = givers.get(key) ?? { last: 0, isSpent: false };
    givers.set(key, giver);
    return giver;
  }

  function trimSome({ entries }: Census, time: EvictionTime, limit: number): number {
    if (entries.bytes() <= maxBytes * AUDIT_PART) return 0;
    for (const holder of entries.aboveAverage()) {
      const trimmed = trim(giverOf(holder), holder, time, limit);
      entries.lessen(holder, trimmed.bytes);
      if (trimmed.work > 0) return trimmed.work;
    }
    return 0;
  }

  async function evictSome(from: Census, time: EvictionTime, limit: number): Promise<number> {
    if (usedBytes() - from.entries.bytes() <= eventBytes) return 0;
    for (const workspaceId of from.events.aboveAverage()) {
      const work = await take(from, giverOf(workspaceId), workspaceId, time, limit);
      if (work > 0) return work;
    }
    return 0;
  }

  function isAllYoung({ beforeMs, wallMs }: EvictionTime): boolean {
    return firstAtMs.all().every((atMs) => atMs >= beforeMs && atMs <= wallMs);
  }

  return async ({ agedMs, wallMs }, limit) => {
    const time = { beforeMs: agedMs - SAFE_MS, wallMs };
    if (usedBytes() <= eventBytes || isAllYoung(time)) return 0;
    if (census === null || Math.abs(agedMs - census.takenAtMs) > CENSUS_HOLDS_MS) {
      census = begin(agedMs);
      givers = new Map();
    }
    // Rows return, but the census no longer counts them.
    hooks.onRollback(() => {
      census = null;
    });
    const uncounted = [census.events, census.entries].find((shares) => !shares.isCounted());
    if (uncounted === undefined) return trimSome(census, time, limit) || (await evictSome(census, time, limit));
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
    { beforeMs, wallMs }: EvictionTime,
    limit: number,
  ): Promise<number> => {
    let work = 0;
    for (const { id, receivedAtMs, finished } of giver.isSpent ? [] : oldest.all(workspaceId, giver.last, limit)) {
      const isAhead = receivedAtMs > wallMs;
      if (receivedAtMs >= beforeMs && !isAhead) break;
      if (work >= limit) return work;
      const mayGo = finished === 1 && !isAhead;
      const bytes = bytesOf(id);
      const removed = mayGo ? await purge([id], limit - work) : 1;
      if (!mayGo || removed < limit - work) giver.last = id;
      if (mayGo && removed < limit - work) events.lessen(workspaceId, bytes);
      work += removed;
    }
    giver.isSpent = work < limit;
    return work;
  };
}

interface AuditEntry {
  readonly id: number;
  readonly atMs: number;
  readonly bytes: number;
  readonly isRemovable: 0 | 1;
}

/** `work`: examined or removed entries; 0: nothing more may go. */
interface Trimmed {
  readonly work: number;
  readonly bytes: number;
}

const NOTHING: Trimmed = { work: 0, bytes: 0 };

/**
 * Removes some of a holder's oldest audit entries. The last of them becomes an entry that says so, and stands for all
 * entries removed before. So no one can erase their traces unnoticed.
 */
function auditTrim(db: Db): (giver: EvictionProgress, holder: string, time: EvictionTime, limit: number) => Trimmed {
  const next = db.prepare<{ holder: string; after: number; limit: number }, AuditEntry>(`
    SELECT id, at AS atMs, ${ENTRY_SIZE} AS bytes, ${REMOVABLE_ENTRY} AS isRemovable
    FROM audit WHERE holder = :holder AND id > :after ORDER BY id LIMIT :limit
  `);
  const remove = db.prepare<[number]>('DELETE FROM audit WHERE id = ?');
  const replace = db.prepare<{ id: number; object: string }>(`
    UPDATE audit SET actor_kind = 'operator', actor = 'pushctl', address = NULL, action = 'audit.trim', object = :object
    WHERE id = :id
  `);

  return (giver, holder, { beforeMs, wallMs }, limit) => {
    if (giver.isSpent) return NOTHING;
    const most = Math.max(3, limit);
    const looked = next.all({ holder, after: giver.last, limit: most });
    const old = looked.filter(({ atMs, isRemovable }) => atMs < beforeMs && isRemovable === 1);
    const last = old.pop();
    if (last === undefined || old.length === 0) {
      giver.isSpent = looked.length < most || looked.some(({ atMs }) => atMs >= beforeMs && atMs <= wallMs);
      giver.last = looked.at(-1)?.id ?? giver.last;
      return { work: giver.isSpent ? 0 : looked.length, bytes: 0 };
    }
    for (const { id } of old) remove.run(id);
    replace.run({ id: last.id, object: holder.replace(/^:/, '') });
    return { work: old.length, bytes: old.reduce((sum, { bytes }) => sum + bytes, 0) };
  };
}

export const REMOVAL: RemovalDeps = {
  limited: (table, _, condition) => `DELETE FROM ${table} WHERE ${condition} LIMIT CAST(:limit AS BIGINT)`,
  queued: {
    fan_out: `route IN (${ROUTES_IN_SQL}) AND lane IN ('urgent', 'standard', 'dead_letter')
      AND (workspace_id, event_id) IN (SELECT workspace_id, id FROM event WHERE id IN ${ID_LIST})`,
    dead_letter: `event_id IN ${ID_LIST}`,
  },
  usage: ['usage', 'workspace_id, month'],
};
