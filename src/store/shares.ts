import type { Db } from './handlers.ts';

/** So many take some two milliseconds. */
const STEP_ROWS = 2_000;

/** What an event takes beside its texts, with its entries in the indexes; and each of its deliveries. Rough, but alike for all. */
const EVENT_BYTES = 350;
const DELIVERY_BYTES = 90;
const AUDIT_BYTES = 150;

const EVENT_SIZE = `
  ${EVENT_BYTES} + octet_length(title) + coalesce(octet_length(description), 0)
    + CASE WHEN received_at < :deliveriesFromMs THEN 0 ELSE ${DELIVERY_BYTES} END
      * (accepted + failed + unregistered + expired + withdrawn)`;

const EVENTS = `
  WITH part AS (SELECT * FROM event WHERE id > :after ORDER BY id LIMIT :rows)
  SELECT workspace_id AS workspaceId, sum(${EVENT_SIZE}) AS bytes, count(*) AS rows, max(id) AS last
  FROM part GROUP BY workspace_id`;

const ENTRIES = `
  WITH part AS (SELECT * FROM audit WHERE id > :after ORDER BY id LIMIT :rows)
  SELECT workspace.id AS workspaceId, sum(${AUDIT_BYTES} + octet_length(object)) AS bytes, count(*) AS rows, max(part.id) AS last
  FROM part LEFT JOIN workspace ON workspace.slug = part.workspace GROUP BY workspace.id`;

interface Count {
  /** null: of no single workspace, or of none that is still there. */
  readonly workspaceId: number | null;
  readonly bytes: number;
  readonly rows: number;
  readonly last: number;
}

/** How much each workspace keeps: its events with their deliveries, and its audit entries. Counted a step at a time. */
export interface Shares {
  readonly takenAtMs: number;
  isCounted(): boolean;
  countSome(): void;
  /** The workspaces that keep more than the average of all, whoever keeps most first; where all keep alike, all of them. */
  aboveAverage(): readonly number[];
  bytesOf(eventId: number): number;
  /** So much of it is gone. */
  lessen(workspaceId: number, bytes: number): void;
}

export function shareCensus(db: Db, deliveriesRetentionMs: number): (wallMs: number) => Shares {
  const workspaces = db.prepare<[], number>('SELECT count(*) FROM workspace').pluck();
  const size = db
    .prepare<{ id: number; deliveriesFromMs: number }, number>(`SELECT ${EVENT_SIZE} FROM event WHERE id = :id`)
    .pluck();
  const tables = [
    db.prepare<{ after: number; rows: number; deliveriesFromMs: number }, Count>(EVENTS),
    db.prepare<{ after: number; rows: number }, Count>(ENTRIES),
  ];

  return (takenAtMs) => {
    const deliveriesFromMs = takenAtMs - deliveriesRetentionMs;
    const kept = new Map<number, number>();
    const left = [...tables];
    let after = 0;

    return {
      takenAtMs,
      isCounted: () => left.length === 0,

      countSome() {
        const counts = left[0]?.all({ after, rows: STEP_ROWS, deliveriesFromMs }) ?? [];
        for (const { workspaceId, bytes } of counts) {
          if (workspaceId !== null) kept.set(workspaceId, (kept.get(workspaceId) ?? 0) + bytes);
        }
        after = counts.reduce((last, count) => Math.max(last, count.last), after);
        if (counts.reduce((sum, { rows }) => sum + rows, 0) === STEP_ROWS) return;
        left.shift();
        after = 0;
      },

      aboveAverage() {
        const sum = [...kept.values()].reduce((total, bytes) => total + bytes, 0);
        const average = sum / Math.max(1, workspaces.get() ?? 1);
        const above = [...kept].filter(([, bytes]) => bytes >= average);
        return above.sort(([, a], [, b]) => b - a).map(([workspaceId]) => workspaceId);
      },

      bytesOf: (id) => size.get({ id, deliveriesFromMs }) ?? 0,
      lessen: (workspaceId, bytes) => void kept.set(workspaceId, (kept.get(workspaceId) ?? 0) - bytes),
    };
  };
}
