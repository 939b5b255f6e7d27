import { SHORTEN_WEBHOOK_WAITS } from '../../handlers/webhooks/waits.ts';
import type { Awaitable, Sql } from '../../sql.ts';
import type { Connection } from '../connections.ts';
import { retryingConflicts } from '../errors.ts';
import { NOW_MS, QUEUE_MS } from '../sql.ts';
import { bringBack } from './dead-letters.ts';
import type { QueueDeps } from './deps.ts';

const NOW = `coalesce(CAST(:steadyMs AS BIGINT), ${QUEUE_MS})`;

const LIFE_MS = 'least(coalesce(expires_in * 1000, CAST(:ttlMs AS BIGINT)), CAST(:ttlMs AS BIGINT))';

/** Shortens lives of the next events with waiting pushes, among millions. Returns them, and the last event looked at. */
const CUT_SHORT = `
  WITH waiting AS MATERIALIZED (
    (SELECT DISTINCT event_id AS id FROM fan_out WHERE event_id > :after ORDER BY id LIMIT :most)
    UNION
    (SELECT DISTINCT event_id FROM delivery WHERE state = 'pending' AND event_id > :after ORDER BY event_id LIMIT :most)
    ORDER BY id LIMIT :most
  ), cut AS (
    UPDATE event SET expires_at = ${NOW} + ${LIFE_MS}
    WHERE id = ANY (ARRAY(SELECT id FROM waiting)) AND expires_at > ${NOW} + ${LIFE_MS}
    RETURNING id
  )
  SELECT (SELECT max(id) FROM waiting) AS "lastId", (SELECT json_agg(id) FROM cut) AS ids`;

/** Retries of these events expire with them, as their fan-outs do. */
const CUT_RETRIES_SHORT = `
  UPDATE delivery SET expires_at = event.expires_at FROM event
  WHERE event.id = delivery.event_id AND (delivery.event_id, delivery.device_id) IN (
    SELECT d.event_id, d.device_id FROM delivery AS d JOIN event AS of_retry ON of_retry.id = d.event_id
    WHERE d.event_id = ANY (CAST(:ids AS BIGINT[])) AND d.state = 'pending' AND d.expires_at > of_retry.expires_at LIMIT :most
  )`;

/**
 * No wait is longer than `longestWaitMs`. A try at a later time than now was before a setback, so the wait starts again.
 * `at` is a wall time: behind a jump, `due_at` is less. Both are comparable only by the database's clock.
 */
const WAIT_MS = `
  least(:longestWaitMs, CASE WHEN CAST(:steadyMs AS BIGINT) IS NULL
    THEN greatest(due_at - CASE WHEN due_at < at THEN queue_time(at) ELSE at END, 0) ELSE :longestWaitMs END)`;
const WAITS_TOO_LONG = `state = 'pending' AND owner IS NULL AND due_at > ${NOW} + ${WAIT_MS}`;

const BRING_FORWARD = `
  UPDATE delivery SET due_at = ${NOW} + ${WAIT_MS}, at = CASE WHEN CAST(:steadyMs AS BIGINT) IS NULL THEN least(at, ${NOW_MS}) ELSE at END
  WHERE ctid = ANY (ARRAY(SELECT ctid FROM delivery WHERE ${WAITS_TOO_LONG} LIMIT :most)) AND ${WAITS_TOO_LONG}`;

/** Rows per transaction, which is limited in time. */
const ROWS_AT_ONCE = 400;

/** Forces the ordered indexes of waiting pushes, whatever the statistics say. */
const BY_INDEX = { first: 'SET LOCAL enable_seqscan = off; SET LOCAL enable_hashagg = off' };

interface Cut {
  readonly lastId: number | null;
  /** null: none. */
  readonly ids: readonly number[] | null;
}

/** Resumes the queue. Retries dead letters, perhaps fixed in this version. */
export async function resume(deps: QueueDeps): Promise<void> {
  while ((await deps.connections.transaction('long write', ({ sql }) => bringBack(sql))).isMore);
  await shortenWaits(deps);
}

/**
 * Limits all waits after a clock setback, for a start, or once a beat has seen one. No push or message for a webhook
 * waits beyond its longest wait, and no push outlives a new event. Nodes may do this at once: it changes nothing twice.
 */
export async function shortenWaits({ connections, settings, now }: QueueDeps): Promise<void> {
  const { ttlMs, longestWaitMs } = settings;
  const most = ROWS_AT_ONCE;
  const steadyMs = now()?.steadyMs ?? null;
  const step = <T>(work: (sql: Sql) => Awaitable<T>) =>
    retryingConflicts(() => connections.transaction('long write', ({ sql }) => work(sql), BY_INDEX));

  let after: number | null = 0;
  while (after !== null) {
    const values: object = { steadyMs, ttlMs, after, most };
    const cut = await step((sql) => sql.get<object, Cut>(CUT_SHORT)(values));
    const retries = { ids: cut?.ids ?? [], most };
    if (cut?.ids) while ((await step((sql) => sql.run<object>(CUT_RETRIES_SHORT)(retries))) > 0);
    after = cut?.lastId ?? null;
  }
  while ((await step((sql) => sql.run<object>(BRING_FORWARD)({ steadyMs, longestWaitMs, most }))) > 0);
  for (const statement of SHORTEN_WEBHOOK_WAITS) {
    while ((await connections.transaction('long write', (lent) => shorten(lent, statement))) > 0);
  }

  async function shorten({ sql }: Connection, statement: string): Promise<number> {
    const nowMs = steadyMs ?? (await sql.value<object, number>(`SELECT ${QUEUE_MS}`)({}));
    return sql.run<object>(statement)({ steadyMs: nowMs, most });
  }
}
