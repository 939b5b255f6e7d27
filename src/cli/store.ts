import type { Config } from '../config/config.ts';
import { databaseOf } from '../config/database.ts';
import { packageVersion } from '../process/package.ts';
import { OperatorProblem } from '../process/problem.ts';
import type { Actor, StoreClient } from '../store/calls.ts';
import { socketPath } from '../store/data-folder.ts';
import { storeSettings } from '../store/settings.ts';
import type { SharedStore } from '../store/transports/shared-in-process.ts';
import { accountName } from './data-folder.ts';
import type { Loaded } from './loaded.ts';

/** Opens a configuration's store, and closes it afterwards. `canCreate`: also if there is no database yet. */
export async function withStoreOf<T>(
  config: Config,
  use: (store: StoreClient) => Promise<T>,
  canCreate = false,
): Promise<T> {
  return withOpened(await openStoreOf(config, canCreate), use);
}

/** Opens a server's store for its reading group, and closes it afterwards. */
export async function withReadableStoreOf<T>(path: string, use: (store: StoreClient) => Promise<T>): Promise<T> {
  const { connectSocket } = await import('../store/transports/socket-client.ts');
  const store = await connectSocket({ path, version: packageVersion() });
  if (store === null) {
    throw new OperatorProblem(`no server answers at ${path}.`, 1, {
      advice: 'Without a running server, only root sees more.',
    });
  }
  return withOpened(store, use);
}

export async function withRunningStoreOf<T>(config: Config, use: (store: StoreClient) => Promise<T>): Promise<T> {
  const store = await connectTo(config);
  if (store === null) throw new OperatorProblem(`no server answers at ${socketPath(config.dataDir)}.`);
  return withOpened(store, use);
}

/** Opens the store only if servers run, so this process is never the first; null: none runs. */
export async function openRunningStoreOf({ config, broken }: Loaded): Promise<StoreClient | null> {
  return broken !== null || databaseOf(config) === null ? connectTo(config) : openStoreOf(config);
}

/** Connects to the folder's server; null: none runs. */
async function connectTo({ dataDir }: Config): Promise<StoreClient | null> {
  const { connectSocket } = await import('../store/transports/socket-client.ts');
  const actor = operator();
  return connectSocket({ path: socketPath(dataDir), version: packageVersion(), actor: () => actor });
}

async function withOpened<T>(store: StoreClient, use: (store: StoreClient) => Promise<T>): Promise<T> {
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** Opens the store: PostgreSQL in this process, a data folder through its running server, else in this process. */
export async function openStoreOf(config: Config, canCreate = false): Promise<StoreClient> {
  // Read before root becomes the folder's owner.
  const actor = operator();
  const { dataDir } = config;
  const options = {
    dataDir,
    version: packageVersion(),
    actor: () => actor,
    settings: storeSettings(config),
    canCreate,
  };
  const database = databaseOf(config);
  if (database === null) {
    const { openStore } = await import('../store/transports/socket-or-in-process.ts');
    return openStore(options);
  }
  const { openSharedStore } = await import('../store/transports/shared-in-process.ts');
  return notifying(await openSharedStore({ ...options, url: database.url }));
}

/** Returns the store, with changes announced to the servers, which notify open apps. */
async function notifying(store: SharedStore): Promise<StoreClient> {
  const { ChangeNotifier } = await import('../changes/cluster-changes.ts');
  const notifier = new ChangeNotifier(store, store.notify);
  notifier.listenWhile(true);
  return { ...store, close: () => notifier.close().then(store.close) };
}

function operator(): Actor {
  return { kind: 'operator', name: accountName(), address: null };
}
