import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { type Database, databaseOf } from '../config/database.ts';
import type { SystemClock } from '../process/clock.ts';
import { unreachable } from '../push.ts';
import { StoreUnavailable } from '../store/calls.ts';
import type { ServingStore } from '../store/client.ts';
import { prepareFolder } from '../store/data-folder.ts';
import { storeSettings } from '../store/settings.ts';
import type { FileChange } from '../store/sqlite/files/guard.ts';
import type { Held } from '../store/transports/call-line.ts';
import type { DamageReport, DatabaseChange } from '../store/transports/database-watch.ts';
import { openPostgresStore } from '../store/transports/postgres-client.ts';
import { openStoreThread } from '../store/transports/thread-client.ts';
import type { OnTrouble, Upkeep } from '../store/upkeep.ts';

interface StoreParts {
  readonly clock: SystemClock;
  readonly log: Logger;
  /** The store is lost: the process must end and restart. */
  readonly onFatal?: ((error: Error) => void) | undefined;
  readonly onHeld: (held: Held) => void;
  readonly onDamagedCall: () => void;
  /** Called when a shared database's background work fails repeatedly, and on recovery. */
  readonly onTrouble: OnTrouble;
}

/** Opens the configured store: the data folder's database, or a shared PostgreSQL. */
export function openStore(config: Config, parts: StoreParts): Promise<ServingStore> {
  const database = databaseOf(config);
  return database === null ? openOwn(config, parts) : openShared(database, config, parts);
}

async function openOwn(
  config: Config,
  { clock, log, onFatal, onHeld, onDamagedCall }: StoreParts,
): Promise<ServingStore> {
  const { dataDir } = config;
  const store = await openStoreThread({
    dataDir,
    settings: storeSettings(config),
    clock,
    ...(onFatal && { onFatal }),
    onFiles: (change) => logFiles(log, change),
    onDamage: (change) => logDamage(log, change),
    onDamagedCall,
    onHeld,
  });
  if (store.isNew) log.warn({ dataDir }, 'there was no database, so the server created an empty one');
  if (store.upgraded) log.info(store.upgraded, 'the database was upgraded, and a copy of the old one is kept');
  if (store.wasKilled) void checkAfterKill(store, log);
  return store;
}

/** No power cut or kill harms a database; only a disk that lies about writes does. */
async function checkAfterKill(store: Pick<ServingStore, 'check'>, log: Logger): Promise<void> {
  try {
    log.info('the previous server was killed: every page of the database is checked in the background');
    const damage = await store.check();
    if (damage.length === 0) log.info('all pages of the database are intact');
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    log.warn({ reason: error.reason }, 'the pages of the database could not be checked');
  }
}

/** The lock keeps a second server from taking the socket, which is all that the data folder holds beside it. */
async function openShared(database: Database, config: Config, parts: StoreParts): Promise<ServingStore> {
  // Saves the main thread SQLite's library (some MB) if a thread serves.
  const { takeLock } = await import('../store/sqlite/files/lock.ts');
  const lock = takeLock(prepareFolder(config.dataDir), 'Stop it first, or give each server its own data_dir.');
  try {
    const store = await openNode(database, config, parts);
    return { ...store, close: () => store.close().finally(() => lock.release()) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function openNode(
  database: Database,
  config: Config,
  { log, onHeld, onDamagedCall, onTrouble }: StoreParts,
): Promise<ServingStore> {
  const store = await openPostgresStore({
    ...database,
    settings: storeSettings(config),
    onGroup: (calls, tookMs) => onHeld({ by: 'group', calls, tookMs, answeredMs: tookMs }),
    onDatabase: (change) => logDatabase(log, change),
    onDamage: (change) => logDamage(log, change),
    onDamagedCall,
    onTrouble(what, reason) {
      logTrouble(log, what, reason);
      onTrouble(what, reason);
    },
  });
  log.info({ node: database.node }, 'this server is a node of a shared database');
  return store;
}

function logDatabase(log: Logger, change: DatabaseChange): void {
  switch (change.kind) {
    case 'lost':
      log.error({ reason: change.reason }, 'the database is unavailable: requests that need it get 503');
      return;
    case 'back':
      log.warn('the database is available again');
      return;
    default:
      unreachable(change);
  }
}

function logTrouble(log: Logger, what: Upkeep, reason: string | null): void {
  if (reason === null) log.info(UPKEEP[what].well);
  else log.warn({ reason }, UPKEEP[what].ill);
}

const UPKEEP: Readonly<Record<Upkeep, { readonly ill: string; readonly well: string }>> = {
  counts: {
    ill: 'the counters of waiting pushes cannot be compacted: the queue becomes slower',
    well: 'the counters of waiting pushes are compacted again',
  },
  lease: {
    ill: 'this server cannot renew its lease: when the lease expires, it sends nothing',
    well: 'this server renews its lease again',
  },
  notices: {
    ill: 'notices cannot be received: this server polls for changes once a second',
    well: 'notices are received again',
  },
};

function logFiles(log: Logger, change: FileChange): void {
  switch (change.kind) {
    case 'displaced':
      log.fatal(
        `${change.what}: new events are rejected (503). Accepted events are still sent. If the file was moved, move it back. If it was replaced on purpose, restart the service`,
      );
      return;
    case 'saved':
      log.error(
        { file: change.file },
        `the database is saved in another file. If its own file is lost: stop the service, pushctl restore --resend ${change.file}, start the service`,
      );
      return;
    case 'not_saved':
      log.fatal(
        `the database could not be saved: ${change.problem} Move its file back, or the data is lost when the service ends. The server retries the save when it stops`,
      );
      return;
    case 'back':
      log.warn('the database file is back, and events are accepted again');
      return;
    default:
      unreachable(change);
  }
}

/** Logs damaged pages once, whatever met them. */
function logDamage(log: Logger, change: DamageReport): void {
  switch (change.kind) {
    case 'damaged': {
      const { call, reason } = change;
      if (change.isLasting)
        log.fatal(
          { call, reason },
          'the database is damaged: new events are rejected (503). Accepted events are sent as far as they can be read. See "The database is damaged" in operations.md',
        );
      else log.error({ call, reason }, 'a page of the database cannot be read or written; the server retries');
      return;
    }
    case 'readable':
      log.warn('the page of the database can be read and written again');
      return;
    default:
      unreachable(change);
  }
}
