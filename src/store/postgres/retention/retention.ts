import type { Moment } from '../../../clock.ts';
import type { StoreSettings } from '../../settings.ts';
import type { Sql } from '../../sql.ts';
import { importSweep } from '../../verbs/devices/imports.ts';
import { resendSteps } from '../../verbs/events/resend-steps.ts';
import type { Verbs } from '../../verbs/verb.ts';
import { importDeps } from '../staged-lines.ts';
import { deliveryPurge, eventPurge, limited, STEP_ROWS } from './purges.ts';
import { remainsPurge } from './remains.ts';

/** Removes up to `limit` rows whose time is over, and answers how much there was to do. */
type Sweep = (now: Moment, limit: number) => Promise<number>;

/** Of the oldest, so many are looked at. */
const LOOKED_AT = 1_000;
const EVENTS_AT_ONCE = 50;

/** An event with pushes that still wait is never removed: they end by its time to live first. */
const FINISHED = 'targeted <= accepted + failed + unregistered + expired + withdrawn';

/** Ids grow with time. */
const OLD_EVENTS = `
  SELECT id FROM (SELECT * FROM event ORDER BY id LIMIT ${LOOKED_AT}) AS oldest
  WHERE received_at < :beforeMs AND ${FINISHED} ORDER BY id LIMIT ${EVENTS_AT_ONCE}`;

/** Those that still have deliveries, from the first on: a seek each. */
const OLD_DELIVERIES = `
  WITH RECURSIVE walked AS (
    (SELECT event_id, 1 AS steps FROM delivery ORDER BY event_id LIMIT 1)
    UNION ALL
    SELECT (SELECT event_id FROM delivery WHERE event_id > walked.event_id ORDER BY event_id LIMIT 1), steps + 1
    FROM walked WHERE event_id IS NOT NULL AND steps < ${EVENTS_AT_ONCE}
  )
  SELECT event_id FROM walked LEFT JOIN event ON event.id = event_id
  WHERE event_id IS NOT NULL AND (event.id IS NULL OR (received_at < :beforeMs AND ${FINISHED}))`;

/**
 * Removes what is too old, the oldest first, in small steps. How large the database may grow is left to those who run
 * it: what is removed makes room in its files for what comes, and never gives any of it back.
 */
export function retention(sql: Sql, settings: StoreSettings): Verbs<'pruneStep'> {
  const { eventsRetentionMs, deliveriesRetentionMs, auditRetentionMs, statsRetentionMs } = settings;
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

/** Waits for nobody, as whoever counts in several windows locks them in another order; locked ones are in use. */
function windowsWithoutUse(sql: Sql): Sweep {
  const remove = sql.run<{ nowMs: number }>(`
    DELETE FROM rolling_window WHERE name IN (
      SELECT name FROM rolling_window WHERE (slot + 61) * slot_ms <= :nowMs FOR UPDATE SKIP LOCKED
    )
  `);
  return async ({ steadyMs }) => remove({ nowMs: steadyMs });
}

function ofOldEvents(
  sql: Sql,
  text: string,
  retentionMs: number,
  purge: (ids: readonly number[], limit: number) => Promise<number>,
): Sweep {
  const old = sql.values<{ beforeMs: number }, number>(text);
  return async ({ wallMs }, limit) => {
    let work = 0;
    while (work < limit) {
      const ids = await old({ beforeMs: wallMs - retentionMs });
      if (ids.length === 0) break;
      work += await purge(ids, limit - work);
    }
    return work;
  };
}

function ofOld(sql: Sql, retentionMs: number, text: string): Sweep {
  const remove = sql.run<{ beforeMs: number; limit: number }>(text);
  return async ({ wallMs }, limit) => remove({ beforeMs: wallMs - retentionMs, limit });
}
