import { type Awaitable, ID_LIST, idList, type Sql } from '../../sql.ts';

/** So few that no request behind them waits noticeably. */
export const STEP_ROWS = 200;
/** Events that one round removes. */
export const EVENTS_AT_ONCE = 50;

/** Engine-specific removals. */
export interface RemovalDeps {
  /** SQL: deletes the condition's first `:limit` rows. `key`: columns naming a row, in index order. */
  limited(table: string, key: string, condition: string): string;
  /** Queue tables with rows of events, except `resend`, and the condition for `ID_LIST` rows. */
  readonly queued: Readonly<Record<string, string>>;
  /** The monthly usage table, and its key. */
  readonly usage: readonly [table: string, key: string];
}

/** Removes up to `limit` of these rows; returns how many. Fewer: none is left. */
export type PurgeAll = (ids: readonly number[], limit: number) => Promise<number>;

type Ids = Readonly<Record<string, unknown>>;

/** Events with deliveries, attempts, queue entries and read marks; events go last. */
export function eventPurge(sql: Sql, deps: RemovalDeps): PurgeAll {
  const fromQueue = Object.entries({ ...deps.queued, resend: `event_id IN ${ID_LIST}` }).map(([table, condition]) =>
    sql.run<Ids>(`DELETE FROM ${table} WHERE ${condition}`),
  );
  const deliveries = deliveryPurge(sql, deps);
  const apart = sql.run<Ids>(deps.limited('read_apart', 'event_id, user_id', `event_id IN ${ID_LIST}`));
  const events = sql.run<Ids>(`DELETE FROM event WHERE id IN ${ID_LIST}`);

  return async (ids, limit) => {
    if (ids.length === 0) return 0;
    const idParams = idList(ids);
    // Few per event, none the next time.
    for (const remove of fromQueue) await remove(idParams);
    const settled = await deliveries(ids, limit);
    const removed = settled < limit ? settled + (await apart({ ...idParams, limit: limit - settled })) : settled;
    return removed < limit ? removed + (await events(idParams)) : removed;
  };
}

export function deliveryPurge(sql: Sql, { limited }: RemovalDeps): PurgeAll {
  const attempts = sql.run<Ids>(limited('attempt', 'event_id, device_id, number', `event_id IN ${ID_LIST}`));
  const receipts = sql.run<Ids>(limited('receipt', 'event_id, device_id', `event_id IN ${ID_LIST}`));
  const deliveries = sql.run<Ids>(limited('delivery', 'event_id, device_id', `event_id IN ${ID_LIST}`));

  return async (ids, limit) => {
    const idParams = idList(ids);
    let removed = 0;
    for (const remove of [attempts, receipts, deliveries]) {
      if (removed < limit) removed += await remove({ ...idParams, limit: limit - removed });
    }
    return removed;
  };
}

/** Like `PurgeAll`, for the rows of one id. */
export type Purge = (id: number, limit: number) => Awaitable<number>;

/** Runs purges in order, each once the previous has nothing left. */
export function inTurn(purges: readonly Purge[]): Purge {
  return async (id, limit) => {
    let removed = 0;
    for (const next of purges) {
      if (removed < limit) removed += await next(id, limit - removed);
    }
    return removed;
  };
}
