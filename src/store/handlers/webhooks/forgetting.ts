import { DISABLED_AFTER_MS } from '../../../contract/webhooks.ts';
import type { Moment } from '../../../process/clock.ts';
import { ID_LIST, idList, MOST_IDS, type Sql } from '../../sql.ts';
import { agedTime } from '../retention/age-mark.ts';
import { waitsFor } from './rows.ts';

/** One mark decides: however much waits, none is sent. */
export const FORGET_MESSAGES = `
  UPDATE webhook SET forgotten = coalesce((SELECT max(id) FROM webhook_message), 0) WHERE id = :id`;

/** Repeats the index's words. */
const IS_FORGETFUL = "(forgotten > 0 OR status = 'deleted')";
const FORGETFUL = `SELECT id, status, forgotten FROM webhook WHERE ${IS_FORGETFUL} ORDER BY id LIMIT 1`;

const OLDEST_FORGOTTEN = `
  SELECT id FROM webhook_message WHERE (webhook_id, id) >= (:id, 0) AND (webhook_id, id) <= (:id, :forgotten)
  ORDER BY webhook_id, id LIMIT ${MOST_IDS}`;

interface Forgetful {
  readonly id: string;
  readonly status: 'active' | 'disabled' | 'deleted';
  readonly forgotten: number;
}

/** Removes up to about `limit` forgotten messages and deleted webhooks. Returns how many. */
export function forgetting(sql: Sql): (limit: number) => Promise<number> {
  const next = sql.get<object, Forgetful>(FORGETFUL);
  const oldest = sql.values<Forgetful, number>(OLDEST_FORGOTTEN);
  const remove = sql.run<ReturnType<typeof idList>>(`DELETE FROM webhook_message WHERE id IN ${ID_LIST}`);
  const end = sql.run<Forgetful>("DELETE FROM webhook WHERE id = :id AND status = 'deleted'");
  const settle = sql.run<Forgetful>('UPDATE webhook SET forgotten = 0 WHERE id = :id AND forgotten = :forgotten');

  return async (limit) => {
    let removed = 0;
    while (removed < limit) {
      const webhook = await next({});
      if (webhook === undefined) return removed;
      const ids = await oldest(webhook);
      removed += await remove(idList(ids));
      if (ids.length < MOST_IDS) removed += await (webhook.status === 'deleted' ? end : settle)(webhook);
    }
    return removed;
  };
}

/** The most messages that wait for an endpoint; the oldest beyond these are dropped. */
const MOST_WAITING = 10_000;
/** Messages dropped per call. */
const MOST_DROPPED = 20;
/** Messages counted per call. */
const MOST_COUNTED = 1_000;

const WAITS = waitsFor('CAST(:id AS TEXT)', 'CAST(:forgotten AS BIGINT)');
/** Oldest first. */
const OLDEST = `SELECT id, at FROM webhook_message WHERE ${WAITS} ORDER BY webhook_id, id LIMIT ${MOST_DROPPED}`;
const NEWEST_ID = 'SELECT max(id) FROM webhook_message';
/** The last of the next counted ones, from the newest; none: fewer. */
const COUNTED_TO = `
  SELECT id FROM webhook_message
  WHERE (webhook_id, id) > (CAST(:id AS TEXT), CAST(:forgotten AS BIGINT)) AND (webhook_id, id) < (CAST(:id AS TEXT), CAST(:before AS BIGINT))
  ORDER BY webhook_id DESC, id DESC LIMIT 1 OFFSET ${MOST_COUNTED - 1}`;
const DROP = `DELETE FROM webhook_message WHERE id IN ${ID_LIST}`;

/** The queue's time may be this far behind: it lacks jumps of the clock. */
const DAY_MS = 86_400_000;

/** A webhook, and the id up to which messages are forgotten. */
export interface Waiting {
  readonly id: string;
  readonly forgotten: number;
}
interface Count {
  readonly from: number;
  readonly messages: number;
}
const NOTHING_COUNTED: Count = { from: Number.MAX_SAFE_INTEGER, messages: 0 };

/**
 * Drops some outdated or surplus messages of endpoints, and returns how many. Counts a part per call, so an excess may
 * take some calls to find.
 */
export function surplus(sql: Sql): (waiting: Waiting, now: Moment) => Promise<number> {
  const oldestOf = sql.all<Waiting, { id: number; at: number }>(OLDEST);
  const newestId = sql.value<object, number | null>(NEWEST_ID);
  const countedTo = sql.value<Waiting & { before: number }, number>(COUNTED_TO);
  const drop = sql.run<ReturnType<typeof idList>>(DROP);
  const agedAt = agedTime(sql);
  const counts = new Map<string, Count>();

  /** Messages below the returned id are too many. */
  async function keptFrom(waiting: Waiting, oldestId: number): Promise<number> {
    const { id } = waiting;
    const known = counts.get(id) ?? NOTHING_COUNTED;
    const isWhole = known.messages >= MOST_WAITING;
    if (isWhole && oldestId < known.from) return known.from;
    // All webhooks' ids grow together: shorter stretches hold no more.
    const mayBeLong = ((await newestId({})) ?? 0) - oldestId >= MOST_WAITING;
    const before = isWhole ? NOTHING_COUNTED : known;
    const from = mayBeLong ? await countedTo({ ...waiting, before: before.from }) : undefined;
    if (from === undefined) {
      counts.delete(id);
      return 0;
    }
    const messages = before.messages + MOST_COUNTED;
    counts.set(id, { from, messages });
    return messages >= MOST_WAITING ? from : 0;
  }

  return async (waiting, { wallMs, steadyMs }) => {
    const oldest = await oldestOf(waiting);
    const [first] = oldest;
    if (first === undefined) return 0;
    const from = await keptFrom(waiting, first.id);
    // A clock that is set makes no message old: all clocks must say so. Jumps of more than a day hold `agedAt`.
    const outdatedAt = Math.min(Math.max(steadyMs, wallMs - DAY_MS), await agedAt(wallMs)) - DISABLED_AFTER_MS;
    const dropped = oldest.filter(({ id, at }) => at < outdatedAt || id < from);
    if (dropped.length > 0) await drop(idList(dropped.map(({ id }) => id)));
    return dropped.length;
  };
}
