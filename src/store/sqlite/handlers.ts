import { packageVersion } from '../../package.ts';
import type { CallName } from '../calls.ts';
import { audit } from '../verbs/audit.ts';
import { channels } from '../verbs/channels.ts';
import { deviceChanges } from '../verbs/devices/changes.ts';
import { devices } from '../verbs/devices/devices.ts';
import { deviceExports } from '../verbs/devices/exports.ts';
import { ownDevices } from '../verbs/devices/own-devices.ts';
import { ownSubscriptions } from '../verbs/devices/own-subscriptions.ts';
import { subscribers } from '../verbs/devices/subscribers.ts';
import { events } from '../verbs/events/events.ts';
import { inbox } from '../verbs/events/inbox.ts';
import { reading } from '../verbs/events/reached-by-key.ts';
import { resends } from '../verbs/events/resends.ts';
import { watching } from '../verbs/events/watching.ts';
import { keys } from '../verbs/keys/keys.ts';
import { rotation } from '../verbs/keys/rotation.ts';
import { members } from '../verbs/people/members.ts';
import { passwords } from '../verbs/people/passwords.ts';
import { sessions } from '../verbs/people/sessions.ts';
import { plans } from '../verbs/plans.ts';
import { routeStandings, routes } from '../verbs/routes.ts';
import { stats } from '../verbs/stats.ts';
import { usage } from '../verbs/usage.ts';
import { workspaces } from '../verbs/workspaces.ts';
import { accept } from './accept.ts';
import { openFiles } from './files/open-files.ts';
import { imports } from './imports.ts';
import { schemaVersion } from './migrations.ts';
import { queueDepth } from './queue/depth.ts';
import { queue } from './queue/queue.ts';
import { retention } from './retention/retention.ts';
import type { Db, Handlers, StoreSettings, TransactionHooks } from './transaction.ts';

/** Every call of the store, from the module of its noun. */
export function assembleHandlers(db: Db, settings: StoreSettings, hooks: TransactionHooks): Handlers<CallName> {
  return {
    ...health(db),
    ...queue(db, settings, hooks),
    ...queueDepth(db),
    ...routeStandings(db),
    ...routes(db),
    ...accept(db, settings),
    ...events(db),
    ...resends(db, settings),
    ...usage(db),
    ...reading(db),
    ...stats(db),
    ...watching(db, settings),
    ...workspaces(db),
    ...plans(db),
    ...channels(db, settings),
    ...subscribers(db),
    ...keys(db, settings),
    ...rotation(db, settings),
    ...members(db, settings),
    ...sessions(db),
    ...passwords(db),
    ...devices(db),
    ...deviceChanges(db),
    ...deviceExports(db),
    ...imports(db),
    ...ownDevices(db, settings),
    ...ownSubscriptions(db),
    ...inbox(db),
    ...retention(db, settings),
    ...audit(db),
  };
}

function health(db: Db): Handlers<'ping' | 'proveWritable'> {
  const version = packageVersion();
  const files = openFiles(db.name);
  return {
    ping: () => ({ version, schema: schemaVersion(db), displaced: files.displaced() }),
    proveWritable() {
      // The same number again is written all the same: a page of the log, synced like any other.
      db.pragma(`user_version = ${schemaVersion(db)}`);
      return null;
    },
  };
}
