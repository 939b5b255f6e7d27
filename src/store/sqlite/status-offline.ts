import { LANES, type Lane, ROUTES, type Route } from '../../push.ts';
import { toTimestamp, toTimestampOrNull } from '../../timestamp.ts';
import type { RouteState } from '../records.ts';
import { routeStates } from '../verbs/routes.ts';
import { openReadOnly } from './database.ts';
import { databasePath } from './files/folder.ts';
import { queueDepth } from './queue/depth.ts';
import { newestSetAside } from './queue/set-aside.ts';
import { sqlOver } from './sql.ts';
import type { Db } from './transaction.ts';

/**
 * Events of which something waits: to be sent for the first time, or once more. An event's id grows with its
 * acceptance.
 */
const OLDEST = `
  SELECT lane, min(event_id) AS eventId FROM (
    SELECT lane, event_id FROM fan_out UNION ALL SELECT lane, event_id FROM delivery WHERE state = 'pending'
  ) GROUP BY lane`;
const RECEIVED_AT = 'SELECT received_at FROM event WHERE id = ?';
const LAST_ACCEPTED = `SELECT route, max(hour) AS hour FROM tally WHERE measure = 'accepted' GROUP BY route`;
const LAST_BACKUP = `SELECT at, object FROM audit WHERE action = 'backup.make' ORDER BY id DESC LIMIT 1`;

/** What a data folder's database tells by itself, also while no server runs. */
export interface OfflineStatus {
  readonly queue: readonly {
    readonly lane: Lane;
    /** Pushes to be sent for the first time, at most; and for another try. */
    readonly waiting: number;
    readonly deferred: number;
    /** When the oldest event with such a push was accepted; null: nothing waits. */
    readonly oldest_at: string | null;
  }[];
  /** By route: the hour, named by its beginning, in which a push was last accepted. */
  readonly acceptedHours: ReadonlyMap<Route, string>;
  readonly lastBackup: { readonly at: string; readonly file: string } | null;
  readonly routes: readonly RouteState[];
  readonly setAside: ReturnType<typeof newestSetAside>;
}

/** Reads beside the owner of the folder. Rejects with an OperatorProblem where there is no database that can be read. */
export async function readOfflineStatus(dataDir: string): Promise<OfflineStatus> {
  const db = openReadOnly(databasePath(dataDir));
  try {
    const backup = db.prepare<[], { at: number; object: string }>(LAST_BACKUP).get();
    return {
      queue: queueOf(db),
      acceptedHours: acceptedHours(db),
      lastBackup: backup === undefined ? null : { at: toTimestamp(backup.at), file: backup.object },
      routes: await routeStates(sqlOver(db)).listRoutes({}, { wallMs: 0, steadyMs: 0 }),
      setAside: newestSetAside(db),
    };
  } finally {
    db.close();
  }
}

function queueOf(db: Db): OfflineStatus['queue'] {
  const depths = queueDepth(db).queueDepth({}, { wallMs: 0, steadyMs: 0 });
  const oldest = new Map(
    db
      .prepare<[], { lane: Lane; eventId: number }>(OLDEST)
      .all()
      .map(({ lane, eventId }) => [lane, eventId]),
  );
  const receivedAt = db.prepare<[number], number>(RECEIVED_AT).pluck();
  return LANES.map((lane) => {
    const here = depths.filter((one) => one.lane === lane);
    const atMs = receivedAt.get(oldest.get(lane) ?? 0) ?? null;
    return {
      lane,
      waiting: here.reduce((sum, { waiting }) => sum + waiting, 0),
      deferred: here.reduce((sum, { deferred }) => sum + deferred, 0),
      oldest_at: toTimestampOrNull(atMs),
    };
  });
}

function acceptedHours(db: Db): OfflineStatus['acceptedHours'] {
  const rows = db.prepare<[], { route: Route; hour: number }>(LAST_ACCEPTED).all();
  return new Map(
    rows.filter(({ route }) => ROUTES.includes(route)).map(({ route, hour }) => [route, toTimestamp(hour)]),
  );
}
