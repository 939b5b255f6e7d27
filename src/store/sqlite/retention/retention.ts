import type { PruneAnswer } from '../../calls.ts';
import type { StoreSettings } from '../../settings.ts';
import { importSweep } from '../../verbs/devices/imports.ts';
import { resendSteps } from '../../verbs/events/resend-steps.ts';
import type { Verbs } from '../../verbs/verb.ts';
import { sqlOver } from '../sql.ts';
import { importDeps } from '../staged-lines.ts';
import type { Db } from '../transaction.ts';
import { EVENT_AGE, type EventAge, evictions } from './evictions.ts';
import { deliveryPurge, eventPurge, STEP_ROWS, type Sweep } from './purges.ts';
import { remainsPurge } from './remains.ts';

const STEP_PAGES = 100;
/** Free pages up to this share of the file wait for their next use instead of being given back. */
const SLACK = 0.2;
const SLACK_PAGES = 2_048;

/**
 * Removes what is too old, the oldest first, in small steps; beyond `[retention] max_size` also what is younger
 * (evictions.ts). An event with pushes that still wait is never removed: they end by its time to live first.
 */
export function retention(db: Db, settings: StoreSettings): Verbs<'pruneStep'> {
  const { eventsRetentionMs, deliveriesRetentionMs, auditRetentionMs, statsRetentionMs, maxSizeBytes } = settings;
  const removeRemains = remainsPurge(db);
  const resends = resendSteps(sqlOver(db), settings);
  /** Work that a command or other members are waiting for. */
  const pressing: readonly Sweep[] = [
    importSweep(sqlOver(db), importDeps(db)),
    (wallMs, limit, steadyMs) => resends.sweep(limit, { wallMs, steadyMs }),
    (_, limit) => removeRemains(limit),
  ];
  const byAge: readonly Sweep[] = [
    eventSweep(db, eventsRetentionMs),
    deliverySweep(db, deliveriesRetentionMs),
    ...smallSweeps(db, auditRetentionMs, statsRetentionMs),
  ];
  const pages = pageCounts(db);
  const maxBytes = maxSizeBytes ?? Number.POSITIVE_INFINITY;
  const evict = evictions(db, deliveriesRetentionMs, { maxBytes, usedBytes: pages.usedBytes });

  return {
    async pruneStep(_, { wallMs, steadyMs }): Promise<PruneAnswer> {
      let left = STEP_ROWS;
      for (const sweep of [...pressing, ...byAge]) {
        left -= await sweep(wallMs, left, steadyMs);
        if (left <= 0) return { done: false, isPressing: pressing.includes(sweep), isTooLarge: false };
      }
      if ((await evict(wallMs, left, steadyMs)) > 0) return { done: false, isPressing: false, isTooLarge: false };
      return { done: !pages.giveBack(), isPressing: false, isTooLarge: pages.usedBytes() > maxBytes };
    },
  };
}

/** Ids grow with time, so the sweep ends at the first event that is young enough. */
function eventSweep(db: Db, retentionMs: number): Sweep {
  const oldest = db.prepare<[number, number], EventAge>(`${EVENT_AGE} WHERE id > ? ORDER BY id LIMIT ?`);
  const purge = eventPurge(db);
  const passed = new Passed();
  return (wallMs, limit) => {
    let work = 0;
    for (const event of oldest.all(passed.last, limit)) {
      if (event.receivedAtMs >= wallMs - retentionMs) break;
      if (work >= limit) return work;
      work += event.finished ? purge(event.id, limit - work) : passed.by(event.id);
    }
    return passed.endedAfter(work, limit);
  };
}

/** The event stays, with the counts that stand on it. */
function deliverySweep(db: Db, retentionMs: number): Sweep {
  const nextEvent = db
    .prepare<[number], number>('SELECT event_id FROM delivery WHERE event_id > ? ORDER BY event_id LIMIT 1')
    .pluck();
  const event = db.prepare<[number], EventAge>(`${EVENT_AGE} WHERE id = ?`);
  const purge = deliveryPurge(db);
  const passed = new Passed();
  return (wallMs, limit) => {
    let work = 0;
    while (work < limit) {
      const id = nextEvent.get(passed.last);
      const age = id === undefined ? undefined : event.get(id);
      if (id === undefined || (age && age.receivedAtMs >= wallMs - retentionMs)) break;
      work += age?.finished === 0 ? passed.by(id) : purge(id, limit - work);
    }
    return passed.endedAfter(work, limit);
  };
}

/** Skips events that are old but still wait; the next round looks at them again. */
class Passed {
  last = 0;

  by(id: number): number {
    this.last = id;
    return 1;
  }

  endedAfter(work: number, limit: number): number {
    if (work < limit) this.last = 0;
    return work;
  }
}

function smallSweeps(db: Db, auditMs: number, statsMs: number): readonly Sweep[] {
  const audit = db.prepare<[number, number]>('DELETE FROM audit WHERE at < ? AND id < (SELECT min(id) FROM audit) + ?');
  const tally = db.prepare<[number, number]>('DELETE FROM tally WHERE hour < ? LIMIT ?');
  const sessions = db.prepare<[number, number]>('DELETE FROM session WHERE expires_at <= ? LIMIT ?');
  const codes = db.prepare<[number, number]>('DELETE FROM pairing_code WHERE expires_at <= ? LIMIT ?');
  return [
    (wallMs, limit) => audit.run(wallMs - auditMs, limit).changes,
    (wallMs, limit) => tally.run(wallMs - statsMs, limit).changes,
    (wallMs, limit) => sessions.run(wallMs, limit).changes,
    (wallMs, limit) => codes.run(wallMs, limit).changes,
  ];
}

function pageCounts(db: Db) {
  const number = (pragma: string) => Number(db.pragma(pragma, { simple: true }));
  const pageBytes = number('page_size');
  // Only this mode can give pages back (database.ts). In any other, free ones wait for their next use.
  const canShrink = number('auto_vacuum') === 2;
  return {
    usedBytes: () => (number('page_count') - number('freelist_count')) * pageBytes,
    /** Gives some free pages back to the file system where there are too many. Returns whether there were. */
    giveBack(): boolean {
      const tooMany = number('freelist_count') > Math.max(SLACK_PAGES, number('page_count') * SLACK);
      if (!tooMany || !canShrink) return false;
      db.pragma(`incremental_vacuum(${STEP_PAGES})`);
      return true;
    },
  };
}
