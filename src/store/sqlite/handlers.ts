import { parse } from 'uuid';
import { packageVersion } from '../../process/package.ts';
import { laneOf, type Route } from '../../push.ts';
import { EVENT_COLUMNS, KEPT_FIELDS } from '../event-columns.ts';
import { sharedHandlers } from '../handlers/assembly.ts';
import { listsOneByOne } from '../handlers/events/event-pages.ts';
import { ADDRESS, LEAVE_OUT, OWN_DEVICES, type OwnDevice } from '../handlers/events/left-out.ts';
import type { CallHandlers, EngineDeps } from '../handlers/handler.ts';
import { cleanupJobs } from '../handlers/retention/cleanup-jobs.ts';
import { STEP_ROWS } from '../handlers/retention/purges.ts';
import { lifeMs, type StoreSettings } from '../settings.ts';
import { accept } from './accept.ts';
import { openFiles } from './files/database-files.ts';
import { schemaVersion } from './migrations.ts';
import { queueDepth, waitingByRoute } from './queue/measuring.ts';
import { queue } from './queue/queue.ts';
import { REMOVAL, retention } from './retention/retention.ts';
import { sqlOver } from './sql.ts';
import { importDeps } from './staged-lines.ts';
import type { Db, SyncHandlers, TransactionHooks } from './transaction.ts';

/** The store's calls: SQLite's own, and the handlers of all engines. */
export function assembleHandlers(db: Db, settings: StoreSettings, hooks: TransactionHooks): CallHandlers {
  const accepting = accept(db, settings, hooks);
  const cleanUp = cleanupJobs(sqlOver(db), REMOVAL);
  return {
    ...health(db),
    ...ALONE,
    ...queue(db, settings, hooks),
    ...queueDepth(db),
    ...accepting,
    ...retention(db, settings, hooks),
    ...sharedHandlers(sqlOver(db), settings, {
      acceptEvent: accepting.acceptEvent,
      testDevice: accepting.testDevice,
      postOwn: postingOwn(db, settings),
      imports: importDeps(db),
      nodeOf: () => 0,
      lists: listsOneByOne(sqlOver(db)),
      waitingByRoute: waitingByRoute(sqlOver(db)),
      cleanUp: (rows = 0) => cleanUp(Math.max(0, STEP_ROWS - rows)),
    }),
  };
}

/** Nobody else uses the store: this process's counts are complete. */
const ALONE: SyncHandlers<'countUses' | 'takeBackUses'> = {
  countUses: () => ({ resetAfterMs: null, at: [] }),
  takeBackUses: () => null,
};

function health(db: Db): SyncHandlers<'ping' | 'proveWritable'> {
  const version = packageVersion();
  const files = openFiles(db.name);
  return {
    ping: () => ({ version, schema: schemaVersion(db), displaced: files.displaced() }),
    proveWritable() {
      // Nothing reads this number. Rewriting it writes a log page, synced like any other.
      db.pragma('user_version = 0');
      return null;
    },
  };
}

function postingOwn(db: Db, settings: StoreSettings): EngineDeps['postOwn'] {
  const sql = sqlOver(db);
  const subscribers = sql.all<{ channelId: number | null }, { route: Route; devices: number }>(
    'SELECT route, devices FROM audience WHERE channel_id = :channelId AND devices > 0',
  );
  const lastSubscription = sql.value<object, number | null>('SELECT max(number) FROM subscription');
  const insert = sql.insert<object>(`
    INSERT INTO event (uuid, workspace_id, channel_id, had_links, targeted, received_at, expires_at, last_subscription, kind,
      alert_id, alert, quiet, on_call, ${Object.values(EVENT_COLUMNS).join(', ')})
    VALUES (:uuid, :workspaceId, :channelId, 0, :targeted, :wallMs, :expiresAtMs, :last, :kind, :alertId, :alert, :quiet, :onCall,
      ${KEPT_FIELDS.map((field) => `:${field}`).join(', ')})
  `);
  const fanOut = sql.run<object>(`
    INSERT INTO fan_out (route, lane, workspace_id, event_id, channel_id, last, targeted)
    VALUES (:route, :lane, :workspaceId, :id, :channelId, :last, :devices)
  `);

  const devicesOf = sql.all<{ channelId: number | null; personId: number }, OwnDevice>(OWN_DEVICES);
  const leaveOut = sql.run<object>(LEAVE_OUT);
  const address = sql.run<object>(ADDRESS);

  /** Returns how many devices get it on each route, without those of a person. */
  function withoutOwn(
    reached: readonly { route: Route; devices: number }[],
    own: readonly OwnDevice[],
  ): readonly { route: Route; devices: number }[] {
    return reached
      .map(({ route, devices }) => ({
        route,
        devices: devices - own.filter((device) => device.route === route).length,
      }))
      .filter(({ devices }) => devices > 0);
  }

  return ({ uuid, notFor = null, onlyOn, onCall = null, ...event }, now) => {
    const { workspaceId, channelId, expiresInS, urgency } = event;
    const own = (onlyOn ?? (notFor === null ? [] : devicesOf({ channelId, personId: notFor }))).filter(({ route }) =>
      settings.routes.includes(route),
    );
    const subscribed = onlyOn === undefined ? subscribers({ channelId }) : [];
    const reached = withoutOwn(
      subscribed.filter(({ route }) => settings.routes.includes(route)),
      own,
    );
    const last = lastSubscription({}) ?? null;
    const targeted = onlyOn === undefined ? reached.reduce((sum, { devices }) => sum + devices, 0) : own.length;
    const expiresAtMs = now.steadyMs + lifeMs(expiresInS, settings.ttlMs);
    const times = { sendAtMs: null, wallMs: now.wallMs, expiresAtMs };
    const id = insert({ ...event, ...times, uuid: parse(uuid), onCall, targeted, last });
    const lane = laneOf(urgency);
    for (const audience of reached) fanOut({ ...audience, lane, workspaceId, channelId, id, last });
    for (const device of own) (onlyOn === undefined ? leaveOut : address)({ ...device, lane, workspaceId, id, ...now });
  };
}
