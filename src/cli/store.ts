import { userInfo } from 'node:os';
import type { Config } from '../config.ts';
import { packageVersion } from '../package.ts';
import type { Actor, StoreClient } from '../store/calls.ts';
import { openStore } from '../store/open.ts';
import { storeSettings } from '../store/settings.ts';

/** Opens the store of a configuration, and closes it afterwards. */
export async function withStoreOf<T>(config: Config, use: (store: StoreClient) => Promise<T>): Promise<T> {
  const store = await openStoreOf(config);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** The store of the configured data folder: through the server where one runs, else in this process. */
function openStoreOf(config: Config): Promise<StoreClient> {
  // Before root acts as somebody else.
  const actor = operator();
  return openStore({
    dataDir: config.dataDir,
    version: packageVersion(),
    sign: () => actor,
    settings: storeSettings(config),
  });
}

/** Whoever runs the command. Not every user id has a name. */
function operator(): Actor {
  return { kind: 'operator', name: accountName(), address: null };
}

function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}
