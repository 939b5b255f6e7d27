import type { Moment } from '../../../clock.ts';
import type { PruneAnswer } from '../../calls.ts';
import type { StoreSettings } from '../../settings.ts';
import type { Sql } from '../../sql.ts';
import { importSweep } from '../../verbs/devices/imports.ts';
import { resendSteps } from '../../verbs/events/resend-steps.ts';
import type { Verbs } from '../../verbs/verb.ts';
import { lockKeys } from '../locks.ts';
import { importDeps } from '../staged-lines.ts';
import { deliveryPurge, eventPurge, limited, STEP_ROWS } from './purges.ts';
import { remainsPurge } from './remains.ts';

/** Removes up to `limit` rows whose time is over, and returns how much there was to do. */
type Sweep = (now: Moment, limit: number) => Promise<number>;

/** So many are looked at in one way to the database. */
const LOOKED_AT = 1_000;
const EVENTS_AT_ONCE = 50;

/**
 * An event with pushes that still wait is never removed: they end by its time to live first. Nor is one that waits for its
 * time, or one of an alert that lives.
 */
const FINISHED = `(targeted <= accepted + failed + unregistered + expired + withdrawn AND kind IS DISTINCT FROM 'scheduled' AND NOT (
  alert_id IS NOT NULL AND EXISTS (
    SELECT 1 FROM alert WHERE alert.event_id = event.alert_id AND state IN ('open', 'acknowledged')
  )
))`;

/** Ids grow with time. The next ones, and which of them may go: that is none of those which still wait. */
const OLD_EVENTS = `
  SELECT id, received_at < :beforeMs AS "isOld", ${FINISHED} AS "isOver" FROM event WHERE id > :after ORDER BY id
  LIMIT ${LOOKED_AT}`;

/** The same of those that still have deliveries: a seek each. */
const OLD_DELIVERIES = `
  WITH RECURSIVE walked AS (
    (SELECT event_id, 1 AS steps FROM delivery WHERE event_id > :after ORDER BY event_id LIMIT 1)
    UNION ALL
    SELECT (SELECT event_id FROM delivery WHERE event_id > walked.event_id ORDER BY event_id LIMIT 1), steps + 1
    FROM walked WHERE event_id IS NOT NULL AND steps < ${LOOKED_AT}
  )
  SELECT event_id AS id, coalesce(received_at < :beforeMs, true) AS "isOld", coalesce(${FINISHED}, true) AS "isOver"
  FROM walked LEFT JOIN event ON event.id = event_id WHERE event_id IS NOT NULL ORDER BY event_id`;

interface Aged {
  readonly id: number;
  readonly isOld: boolean;
  readonly isOver: boolean;
}

/** The node that is at it goes on until all is done. */
const BY_ANOTHER: PruneAnswer = { done: true, isPressing: false, isTooLarge: false };

/**
 * Removes what is too old, the oldest first, in small steps. How large the database may grow is left to those who run
 * it: what is removed makes room in its files for what comes, and never gives any of it back. What one node is just
 * removing the others leave to it: no node is in charge, so none is missed when it is gone.
 */
export function retention(sql: Sql, settings: StoreSettings): Verbs<'pruneStep'> {
  const { eventsRetentionMs, deliveriesRetentionMs, auditRetentionMs, statsRetentionMs } = settings;
  const isMine = sql.value<object, boolean>(`SELECT pg_try_advisory_xact_lock(${lockKeys('chores')})`);
  const removeRemains = remainsPurge(sql);
  const continueImports = importSweep(sql, importDeps(sql));
  const resends = resendSteps(sql, settings);
  /** Work that a command or other members are waiting for. */
  const pressing: readonly Sweep[] = [
    ({ wallMs }, limit) => continueImports(wallMs, limit),
    (now, limit) => resends.sweep(limit, now),
    (_, limit) => removeRemains(limit),
  ];
  const byAge: readonly Sweep[] = [
    ofOldEvents(sql, OLD_EVENTS, eventsRetentionMs, eventPurge(sql)),
    ofOldEvents(sql, OLD_DELIVERIES, deliveriesRetentionMs, deliveryPurge(sql)),
    ofOld(
      sql,
      auditRetentionMs,
      limited('audit', 'id', 'id < (SELECT min(id) FROM audit) + :limit AND at < :beforeMs'),
    ),
    ofOld(sql, statsRetentionMs, limited('tally', TALLY_KEY, 'hour < :beforeMs')),
    ofOld(sql, 0, limited('session', 'token_hash', 'expires_at <= :beforeMs')),
    ofOld(sql, 0, limited('pairing_code', 'code_hash', 'expires_at <= :beforeMs')),
    windowsWithoutUse(sql),
  ];

  return {
    async pruneStep(_, now) {
      if ((await isMine({})) !== true) return BY_ANOTHER;
      let left = STEP_ROWS;
      for (const sweep of [...pressing, ...byAge]) {
        left -= await sweep(now, left);
        if (left <= 0) return { done: false, isPressing: pressing.includes(sweep), isTooLarge: false };
      }
      return { done: true, isPressing: false, isTooLarge: false };
    },
  };
}

const TALLY_KEY = 'hour, workspace_id, channel_id, route, measure, reason, node_id';

/** Waits for no lock, as a count in several windows locks them in another order; locked ones are in use. */
function windowsWithoutUse(sql: Sql): Sweep {
  const remove = sql.run<{ nowMs: number; limit: number }>(`
    DELETE FROM rolling_window WHERE name IN (
      SELECT name FROM rolling_window WHERE (slot + 61) * slot_ms <= :nowMs LIMIT :limit FOR UPDATE SKIP LOCKED
    )
  `);
  return async ({ steadyMs }, limit) => remove({ nowMs: steadyMs, limit });
}

function ofOldEvents(
  sql: Sql,
  text: string,
  retentionMs: number,
  purge: (ids: readonly number[], limit: number) => Promise<number>,
): Sweep {
  const next = sql.all<{ beforeMs: number; after: number }, Aged>(text);
  return async ({ wallMs }, limit) => {
    let work = 0;
    for (let after = 0; ; ) {
      const looked = await next({ beforeMs: wallMs - retentionMs, after });
      const old = looked.filter(({ isOld, isOver }) => isOld && isOver).map(({ id }) => id);
      for (let nth = 0; nth < old.length && work < limit; nth += EVENTS_AT_ONCE) {
        work += await purge(old.slice(nth, nth + EVENTS_AT_ONCE), limit - work);
      }
      const last = looked.at(-1);
      if (work >= limit || last === undefined || !last.isOld || looked.length < LOOKED_AT) return work;
      after = last.id;
    }
  };
}

function ofOld(sql: Sql, retentionMs: number, text: string): Sweep {
  const remove = sql.run<{ beforeMs: number; limit: number }>(text);
  return async ({ wallMs }, limit) => remove({ beforeMs: wallMs - retentionMs, limit });
}
