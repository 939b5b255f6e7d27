import type { Moment } from '../../../process/clock.ts';
import type { StoreSettings } from '../../settings.ts';
import { type Awaitable, ID_LIST, idList, type Sql } from '../../sql.ts';
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

/** The next entries, as ids grow with time, and which of them may go. */
const NEXT_ENTRIES = `
  SELECT id, at AS "atMs", CASE WHEN ${REMOVABLE_ENTRY} THEN 1 ELSE 0 END AS "isOver"
  FROM audit WHERE id > :after ORDER BY id LIMIT CAST(:limit AS BIGINT)`;

/** A rota's last shift goes on. */
const OLD_SHIFTS = `from_at < :beforeMs AND EXISTS (
  SELECT 1 FROM on_call_shift AS later WHERE later.rota_id = on_call_shift.rota_id AND later.from_at > on_call_shift.from_at
    AND later.from_at < :beforeMs
)`;

/** The next events, as ids grow with time, and which of them may go: none that still waits. */
const NEXT_EVENTS = `
  SELECT id, received_at AS "atMs", CASE WHEN ${FINISHED} THEN 1 ELSE 0 END AS "isOver"
  FROM event WHERE id > :after ORDER BY id LIMIT CAST(:limit AS BIGINT)`;

/** The next events with deliveries, a seek each, even without the event. */
const NEXT_DELIVERIES = `
  WITH RECURSIVE walked AS (
    SELECT * FROM (SELECT event_id, 1 AS steps FROM delivery WHERE event_id > :after ORDER BY event_id LIMIT 1) AS nearest
    UNION ALL
    SELECT (SELECT event_id FROM delivery WHERE event_id > walked.event_id ORDER BY event_id LIMIT 1), steps + 1
    FROM walked WHERE event_id IS NOT NULL AND steps < CAST(:limit AS BIGINT)
  )
  SELECT event_id AS id, coalesce(received_at, 0) AS "atMs", CASE WHEN id IS NULL OR ${FINISHED} THEN 1 ELSE 0 END AS "isOver"
  FROM walked LEFT JOIN event ON event.id = event_id WHERE event_id IS NOT NULL ORDER BY event_id`;

interface Aged {
  readonly id: number;
  readonly atMs: number;
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
  const removeEntries = sql.run<object>(`DELETE FROM audit WHERE id IN ${ID_LIST}`);
  const moveOn = ageMark(sql);
  const pressing: readonly Sweep[] = [
    (_, limit) => marks.follow(limit),
    (_, limit) => forget(limit),
    (now, limit) => continueImports(now, limit),
    (now, limit) => resends.sweep(limit, now),
    (_, limit) => cleanUp(limit),
  ];
  const byAge: readonly Sweep[] = [
    oldestFirst(sql, NEXT_EVENTS, eventsRetentionMs, eventPurge(sql, deps)),
    oldestFirst(sql, NEXT_DELIVERIES, deliveriesRetentionMs, deliveryPurge(sql, deps)),
    oldestFirst(sql, NEXT_ENTRIES, auditRetentionMs, async (ids) => removeEntries(idList(ids))),
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

/**
 * Removes old rows in the order of their ids. Old rows that wait are skipped and examined again in the next round. Rows
 * dated ahead of a clock that was set back are skipped too. Those at the front are examined again at their time.
 */
function oldestFirst(sql: Sql, text: string, retentionMs: number, purge: PurgeAll): Sweep {
  const next = sql.all<{ after: number; limit: number }, Aged>(text);
  const nothing = { last: 0, untilMs: Number.POSITIVE_INFINITY };
  let ahead = nothing;
  let passed = 0;

  async function purgeAll(ids: readonly number[], limit: number): Promise<number> {
    let work = 0;
    for (let nth = 0; nth < ids.length && work < limit; nth += EVENTS_AT_ONCE) {
      work += await purge(ids.slice(nth, nth + EVENTS_AT_ONCE), limit - work);
    }
    return work;
  }

  return async ({ agedMs, wallMs }, limit) => {
    if (wallMs >= ahead.untilMs) ahead = nothing;
    let work = 0;
    for (;;) {
      const asked = limit - work;
      passed = Math.max(passed, ahead.last);
      const looked = await next({ after: passed, limit: asked });
      const young = looked.findIndex(({ atMs }) => atMs >= agedMs - retentionMs && atMs <= wallMs);
      const walked = young === -1 ? looked : looked.slice(0, young);
      const over = walked.filter(({ atMs, isOver }) => isOver === 1 && atMs <= wallMs).map(({ id }) => id);
      work += await purgeAll(over, asked);
      if (work >= limit) return work;
      if (passed === ahead.last) ahead = extended(ahead, walked, wallMs);
      const last = walked.at(-1);
      if (last === undefined || walked.length < asked) {
        passed = 0;
        return work;
      }
      work += walked.length - over.length;
      passed = last.id;
      if (work >= limit) return work;
    }
  };
}

/** Adds the first rows that are dated ahead, up to another one. */
function extended(ahead: { readonly last: number; readonly untilMs: number }, walked: readonly Aged[], wallMs: number) {
  const other = walked.findIndex(({ atMs }) => atMs <= wallMs);
  const more = other === -1 ? walked : walked.slice(0, other);
  return {
    last: more.at(-1)?.id ?? ahead.last,
    untilMs: more.reduce((first, { atMs }) => Math.min(first, atMs), ahead.untilMs),
  };
}

function ofOld(sql: Sql, retentionMs: number, text: string): Sweep {
  const remove = sql.run<{ beforeMs: number; limit: number }>(text);
  return ({ agedMs }, limit) => remove({ beforeMs: agedMs - retentionMs, limit });
}
