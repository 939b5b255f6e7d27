import { packageVersion } from '../../process/package.ts';
import { sharedHandlers } from '../handlers/assembly.ts';
import { listsOneByOne } from '../handlers/events/event-pages.ts';
import type { CallHandlers } from '../handlers/handler.ts';
import { cleanupJobs } from '../handlers/retention/cleanup-jobs.ts';
import { STEP_ROWS } from '../handlers/retention/purges.ts';
import type { StoreSettings } from '../settings.ts';
import { accept } from './accept.ts';
import { openFiles } from './files/open-files.ts';
import { schemaVersion } from './migrations.ts';
import { postingOwn } from './own-events.ts';
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
