import type { Db } from '../transaction.ts';

/** Counting these takes about two ms. */
const STEP_ROWS = 2_000;

/** An event without texts, with index entries, and each delivery. Rough, but alike for all. */
const EVENT_BYTES = 350;
const DELIVERY_BYTES = 90;
const AUDIT_BYTES = 150;

const EVENT_SIZE = `
  ${EVENT_BYTES} + octet_length(title) + coalesce(octet_length(description), 0)
    + CASE WHEN received_at < :deliveriesFromMs THEN 0 ELSE ${DELIVERY_BYTES} END
      * (accepted + failed + unregistered + expired + withdrawn)`;
/** An audit entry's estimated size. */
export const ENTRY_SIZE = `${AUDIT_BYTES} + octet_length(object)`;

const EVENTS = `
  WITH part AS (SELECT * FROM event WHERE id > :after ORDER BY id LIMIT :rows)
  SELECT workspace_id AS holder, sum(${EVENT_SIZE}) AS bytes, count(*) AS rows, max(id) AS last
  FROM part GROUP BY workspace_id`;

const ENTRIES = `
  WITH part AS (SELECT * FROM audit WHERE id > :after ORDER BY id LIMIT :rows)
  SELECT holder, sum(${ENTRY_SIZE}) AS bytes, count(*) AS rows, max(id) AS last FROM part GROUP BY holder`;

interface Count<Holder> {
  readonly holder: Holder;
  readonly bytes: number;
  readonly rows: number;
  readonly last: number;
}

/** How much of a table each holder keeps, counted in steps. */
interface Shares<Holder> {
  isCounted(): boolean;
  countSome(): void;
  /** All holders' sum. */
  bytes(): number;
  /** Returns holders above the average, largest first; if all are alike, all. */
  aboveAverage(): readonly Holder[];
  /** So much was removed. */
  lessen(holder: Holder, bytes: number): void;
}
/** All shares: events with deliveries by workspace id, audit entries by `holder`. */
export interface Census {
  readonly takenAtMs: number;
  readonly events: Shares<number>;
  readonly entries: Shares<string>;
  bytesOf(eventId: number): number;
}

export function shareCensus(db: Db, deliveriesRetentionMs: number): (agedMs: number) => Census {
  const workspaces = db.prepare<[], number>('SELECT count(*) FROM workspace').pluck();
  const size = db
    .prepare<{ id: number; deliveriesFromMs: number }, number>(`SELECT ${EVENT_SIZE} FROM event WHERE id = :id`)
    .pluck();
  const events = db.prepare<{ after: number; rows: number; deliveriesFromMs: number }, Count<number>>(EVENTS);
  const entries = db.prepare<{ after: number; rows: number }, Count<string>>(ENTRIES);

  return (takenAtMs) => {
    const deliveriesFromMs = takenAtMs - deliveriesRetentionMs;
    return {
      takenAtMs,
      events: shares(
        (after) => events.all({ after, rows: STEP_ROWS, deliveriesFromMs }),
        () => workspaces.get() ?? 1,
      ),
      entries: shares(
        (after) => entries.all({ after, rows: STEP_ROWS }),
        (holders) => holders,
      ),
      bytesOf: (id) => size.get({ id, deliveriesFromMs }) ?? 0,
    };
  };
}

/** `sharers` gets the number of holders, and returns by how many the average divides. */
function shares<Holder>(
  countAfter: (id: number) => readonly Count<Holder>[],
  sharers: (holders: number) => number,
): Shares<Holder> {
  const kept = new Map<Holder, number>();
  let after = 0;
  let isCounted = false;
  const add = (holder: Holder, bytes: number) => void kept.set(holder, (kept.get(holder) ?? 0) + bytes);
  const sum = () => [...kept.values()].reduce((total, bytes) => total + bytes, 0);

  return {
    isCounted: () => isCounted,

    countSome() {
      const counts = countAfter(after);
      for (const { holder, bytes } of counts) add(holder, bytes);
      after = counts.reduce((last, count) => Math.max(last, count.last), after);
      isCounted = counts.reduce((total, { rows }) => total + rows, 0) < STEP_ROWS;
    },

    bytes: sum,

    aboveAverage() {
      const average = sum() / Math.max(1, sharers(kept.size));
      const above = [...kept].filter(([, bytes]) => bytes >= average);
      return above.sort(([, a], [, b]) => b - a).map(([holder]) => holder);
    },

    lessen: (holder, bytes) => add(holder, -bytes),
  };
}
