import { ID_LIST, idList, MOST_IDS, type Sql } from '../../sql.ts';

/** One mark decides: however much waits, none is sent. */
export const FORGET_MESSAGES = `
  UPDATE webhook SET forgotten = coalesce((SELECT max(id) FROM webhook_message), 0) WHERE id = :id`;

/** Repeats the index's words. */
const IS_FORGETFUL = "(forgotten > 0 OR status = 'deleted')";
const FORGETFUL = `SELECT id, status, forgotten FROM webhook WHERE ${IS_FORGETFUL} ORDER BY id LIMIT 1`;

const OLDEST = `
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
  const oldest = sql.values<Forgetful, number>(OLDEST);
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
