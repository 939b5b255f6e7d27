import type { Awaitable } from '../../sql.ts';
import type { Db } from '../transaction.ts';

/** Few enough that no request behind them waits noticeably. */
export const STEP_ROWS = 200;

/** Removes up to `limit` rows that belong to `id`, and returns how many. Fewer than `limit`: none is left. */
export type Purge = (id: number, limit: number) => number;

/**
 * Removes up to `limit` rows whose time is over, and returns how much there was to do. `steadyMs`: the time of the
 * queue.
 */
export type Sweep = (wallMs: number, limit: number, steadyMs: number) => Awaitable<number>;

/** An event with its deliveries, tries and who has read it; the event's own row goes last. */
export function eventPurge(db: Db): Purge {
  // Without a LIMIT: with one, SQLite prepares the statement anew at every call.
  const deleteEvent = db.prepare<[number]>('DELETE FROM event WHERE id = ?');
  const deleteResend = db.prepare<[number]>('DELETE FROM resend WHERE event_id = ?');
  const deleteApart = db.prepare<[number, number]>('DELETE FROM read_apart WHERE event_id = ? LIMIT ?');
  const deleteRow: Purge = (id) => deleteResend.run(id).changes + deleteEvent.run(id).changes;

  return inTurn([deliveryPurge(db), purge(deleteApart), deleteRow]);
}

/** The deliveries and tries of an event. */
export function deliveryPurge(db: Db): Purge {
  const deleteAttempts = db.prepare<[number, number]>('DELETE FROM attempt WHERE event_id = ? LIMIT ?');
  const deleteDeliveries = db.prepare<[number, number]>('DELETE FROM delivery WHERE event_id = ? LIMIT ?');

  return inTurn([deleteAttempts, deleteDeliveries].map(purge));
}

/** One purge after the other, each only once the one before it has nothing left. */
export function inTurn(purges: readonly Purge[]): Purge {
  return (id, limit) => {
    let removed = 0;
    for (const next of purges) {
      if (removed < limit) removed += next(id, limit - removed);
    }
    return removed;
  };
}

/** The purge `of` for each of the ids that belong to the one that is given. */
export function each(ids: { all(id: number, limit: number): number[] }, of: Purge): Purge {
  return (id, limit) => {
    let removed = 0;
    for (const owned of ids.all(id, limit)) {
      if (removed < limit) removed += of(owned, limit - removed);
    }
    return removed;
  };
}

export function purge(statement: { run(id: number, limit: number): { changes: number } }): Purge {
  return (id, limit) => statement.run(id, limit).changes;
}
