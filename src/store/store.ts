import { packageVersion } from '../package.ts';
import { accept } from './accept.ts';
import { audit } from './audit.ts';
import type { CallName } from './calls.ts';
import { channels } from './channels.ts';
import { deviceChanges } from './device-changes.ts';
import { deviceExports } from './device-exports.ts';
import { devices } from './devices.ts';
import { events } from './events.ts';
import type { Db, Handlers, StoreSettings, TransactionHooks } from './handlers.ts';
import { imports } from './imports.ts';
import { inbox } from './inbox.ts';
import { keys } from './keys.ts';
import { listening } from './listening.ts';
import { members } from './members.ts';
import { schemaVersion } from './migrations.ts';
import { openFiles } from './open-files.ts';
import { ownDevices } from './own-devices.ts';
import { passwords } from './passwords.ts';
import { plans } from './plans.ts';
import { queueDepth } from './queue/depth.ts';
import { queue } from './queue/queue.ts';
import { reading } from './reading.ts';
import { resends } from './resends.ts';
import { retention } from './retention.ts';
import { rotation } from './rotation.ts';
import { routeStandings, routes } from './routes.ts';
import { sessions } from './sessions.ts';
import { stats } from './stats.ts';
import { subscribers } from './subscribers.ts';
import { usage } from './usage.ts';
import { watching } from './watching.ts';
import { workspaces } from './workspaces.ts';

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
    ...listening(db),
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
