import type { Sql } from '../../sql.ts';

/** Few enough that no change behind them waits noticeably. */
export const STEP_ROWS = 200;

/** Removes up to `limit` rows that belong to `id`, and returns how many. Fewer than `limit`: none is left. */
export type Purge = (id: number, limit: number) => Promise<number>;

/** The same of several at once. */
export type PurgeAll = (ids: readonly number[], limit: number) => Promise<number>;

/** Deletes the first `limit` rows that the condition names, by the columns of their key. */
export function limited(table: string, key: string, condition: string): string {
  return `DELETE FROM ${table} WHERE (${key}) IN (
    SELECT ${key} FROM ${table} WHERE ${condition} ORDER BY ${key} LIMIT :limit)`;
}

/**
 * Events with their deliveries and tries, their places in the queue, and who has read them; the events' own rows go last.
 */
export function eventPurge(sql: Sql): PurgeAll {
  const fromQueue = ['fan_out', 'fan_out_progress', 'claim', 'set_aside', 'resend'].map((table) =>
    sql.run<{ ids: readonly number[] }>(`DELETE FROM ${table} WHERE event_id = ANY (CAST(:ids AS BIGINT[]))`),
  );
  const apart = sql.run<{ ids: readonly number[]; limit: number }>(
    limited('read_apart', 'event_id, user_id', 'event_id = ANY (CAST(:ids AS BIGINT[]))'),
  );
  const events = sql.run<{ ids: readonly number[] }>('DELETE FROM event WHERE id = ANY (CAST(:ids AS BIGINT[]))');
  const deliveries = deliveryPurge(sql);

  return async (ids, limit) => {
    if (ids.length === 0) return 0;
    // Few for each event, and none once it has been here before.
    for (const remove of fromQueue) await remove({ ids });
    const settled = await deliveries(ids, limit);
    const removed = settled < limit ? settled + (await apart({ ids, limit: limit - settled })) : settled;
    return removed < limit ? removed + (await events({ ids })) : removed;
  };
}

/** The deliveries and tries of events. */
export function deliveryPurge(sql: Sql): PurgeAll {
  const ofEvents = 'event_id = ANY (CAST(:ids AS BIGINT[]))';
  const attempts = sql.run<{ ids: readonly number[]; limit: number }>(
    limited('attempt', 'event_id, device_id, number', ofEvents),
  );
  const deliveries = sql.run<{ ids: readonly number[]; limit: number }>(
    limited('delivery', 'event_id, device_id', ofEvents),
  );
  return async (ids, limit) => {
    const removed = await attempts({ ids, limit });
    return removed < limit ? removed + (await deliveries({ ids, limit: limit - removed })) : removed;
  };
}
