import type { Moment } from '../../../process/clock.ts';
import type { StoreSettings } from '../../settings.ts';
import type { Awaitable, Sql } from '../../sql.ts';
import { alertMarks } from '../alerts/marks.ts';
import type { ImportDeps } from '../devices/import-steps.ts';
import { importSweep } from '../devices/imports.ts';
import { resendSteps } from '../events/resend-steps.ts';
import { UNFINISHED } from '../events/states.ts';
import { forgetting } from '../webhooks/forgetting.ts';
import { type AgedMoment, ageMark } from './age-mark.ts';
import { cleanupJobs } from './cleanup-jobs.ts';
import { deliveryPurge, EVENTS_AT_ONCE, eventPurge, type PurgeAll, type RemovalDeps } from './purges.ts';

/** Removes up to `limit` outdated rows; returns how much there was. */
export type Sweep = (now: AgedMoment, limit: number) => Awaitable<number>;

interface SweepDeps extends RemovalDeps {
  readonly imports: ImportDeps;
}

/** A sweep step's result. `left`: rest of its limit; 0 or less: more to do. `aged`: the step's moment. */
interface Swept {
  readonly left: number;
  readonly aged: AgedMoment;
  /** A command or members wait. */
  readonly isPressing: boolean;
  /** Only time at work makes rows old, since the clock was set forward. */
  readonly isHeld: boolean;
}

/**
 * Events with waiting pushes are never removed: those expire first. Nor are scheduled events, or those of live alerts.
 */
export const FINISHED = `(NOT (${UNFINISHED}) AND kind IS DISTINCT FROM 'scheduled' AND NOT (
  alert_id IS NOT NULL AND EXISTS (
    SELECT 1 FROM alert WHERE alert.event_id = event.alert_id AND state IN ('open', 'acknowledged')
  )
))`;

/** The last backup's entry stays. Otherwise `status` would report no backup instead of an old one. */
export const REMOVABLE_ENTRY = `id IS DISTINCT FROM (SELECT max(id) FROM audit WHERE action = 'backup.make')`;

/** The next entries, perhaps with the one that stays. Looking further would read the whole log. */
const OLD_ENTRIES = `${REMOVABLE_ENTRY} AND at < :beforeMs
  AND id <= (SELECT min(id) FROM audit WHERE ${REMOVABLE_ENTRY}) + CAST(:limit AS BIGINT)`;

/** A rota's last shift goes on. */
const OLD_SHIFTS = `from_at < :beforeMs AND EXISTS (
  SELECT 1 FROM on_call_shift AS later WHERE later.rota_id = on_call_shift.rota_id AND later.from_at > on_call_shift.from_at
    AND later.from_at < :beforeMs
)`;

/** The next events, as ids grow with time, and which of them may go: none that still waits. */
const OLD_EVENTS = `
  SELECT id, CASE WHEN received_at < :beforeMs THEN 1 ELSE 0 END AS "isOld", CASE WHEN ${FINISHED} THEN 1 ELSE 0 END AS "isOver"
  FROM event WHERE id > :after ORDER BY id LIMIT CAST(:limit AS BIGINT)`;

/** The next events with deliveries, a seek each, even without the event. */
const OLD_DELIVERIES = `
  WITH RECURSIVE walked AS (
    SELECT * FROM (SELECT event_id, 1 AS steps FROM delivery WHERE event_id > :after ORDER BY event_id LIMIT 1) AS nearest
    UNION ALL
    SELECT (SELECT event_id FROM delivery WHERE event_id > walked.event_id ORDER BY event_id LIMIT 1), steps + 1
    FROM walked WHERE event_id IS NOT NULL AND steps < CAST(:limit AS BIGINT)
  )
  SELECT event_id AS id, CASE WHEN received_at >= :beforeMs THEN 0 ELSE 1 END AS "isOld",
    CASE WHEN id IS NULL OR ${FINISHED} THEN 1 ELSE 0 END AS "isOver"
  FROM walked LEFT JOIN event ON event.id = event_id WHERE event_id IS NOT NULL ORDER BY event_id`;

interface Aged {
  readonly id: number;
  readonly isOld: 0 | 1;
  readonly isOver: 0 | 1;
}

/** Removes what deletions left and what is too old, oldest first, and continues imports and resends. */
export function sweeps(
  sql: Sql,
  settings: StoreSettings,
  deps: SweepDeps,
): (now: Moment, limit: number, passedMs?: number) => Promise<Swept> {
  const { eventsRetentionMs, deliveriesRetentionMs, auditRetentionMs, statsRetentionMs } = settings;
  const { limited } = deps;
  const continueImports = importSweep(sql, deps.imports);
  const resends = resendSteps(sql, settings);
  const marks = alertMarks(sql);
  const forget = forgetting(sql);
  const cleanUp = cleanupJobs(sql, deps);
  const moveOn = ageMark(sql);
  const pressing: readonly Sweep[] = [
    (_, limit) => marks.follow(limit),
    (_, limit) => forget(limit),
    (now, limit) => continueImports(now, limit),
    (now, limit) => resends.sweep(limit, now),
    (_, limit) => cleanUp(limit),
  ];
  const byAge: readonly Sweep[] = [
    ofOldEvents(sql, OLD_EVENTS, eventsRetentionMs, eventPurge(sql, deps)),
    ofOldEvents(sql, OLD_DELIVERIES, deliveriesRetentionMs, deliveryPurge(sql, deps)),
    ofOld(sql, auditRetentionMs, limited('audit', 'id', OLD_ENTRIES)),
    ofOld(sql, auditRetentionMs, limited('on_call_shift', 'rota_id, from_at', OLD_SHIFTS)),
    ofOld(sql, auditRetentionMs, limited('rota_override', 'id', 'until_at < :beforeMs')),
    ofOld(sql, statsRetentionMs, limited('tally', TALLY_KEY, 'hour < :beforeMs')),
    ofOld(sql, 0, limited('session', 'token_hash', 'expires_at <= :beforeMs')),
    ofOld(sql, 0, limited('pairing_code', 'code_hash', 'expires_at <= :beforeMs')),
  ];

  return async (now, limit, passedMs = 0) => {
    const { isHeld, ...aged } = await moveOn(now, passedMs);
    let left = limit;
    for (const sweep of [...pressing, ...byAge]) {
      left -= await sweep(aged, left);
      if (left <= 0) return { left, aged, isPressing: pressing.includes(sweep), isHeld };
    }
    return { left, aged, isPressing: false, isHeld };
  };
}

/** `node_id`: PostgreSQL. */
const TALLY_KEY = 'hour, workspace_id, channel_id, route, measure, reason, node_id';

/** Skips old waiting events, examined again in the next round. */
function ofOldEvents(sql: Sql, text: string, retentionMs: number, purge: PurgeAll): Sweep {
  const next = sql.all<{ beforeMs: number; after: number; limit: number }, Aged>(text);
  let passed = 0;

  async function purgeAll(ids: readonly number[], limit: number): Promise<number> {
    let work = 0;
    for (let nth = 0; nth < ids.length && work < limit; nth += EVENTS_AT_ONCE) {
      work += await purge(ids.slice(nth, nth + EVENTS_AT_ONCE), limit - work);
    }
    return work;
  }

  return async ({ agedMs }, limit) => {
    let work = 0;
    for (;;) {
      const asked = limit - work;
      const looked = await next({ beforeMs: agedMs - retentionMs, after: passed, limit: asked });
      const old = looked.filter(({ isOld }) => isOld === 1);
      const over = old.filter(({ isOver }) => isOver === 1).map(({ id }) => id);
      work += await purgeAll(over, asked);
      if (work >= limit) return work;
      const last = old.at(-1);
      if (last === undefined || old.length < asked) {
        passed = 0;
        return work;
      }
      work += old.length - over.length;
      passed = last.id;
      if (work >= limit) return work;
    }
  };
}

function ofOld(sql: Sql, retentionMs: number, text: string): Sweep {
  const remove = sql.run<{ beforeMs: number; limit: number }>(text);
  return ({ agedMs }, limit) => remove({ beforeMs: agedMs - retentionMs, limit });
}
