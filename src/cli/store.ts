import { userInfo } from 'node:os';
import type { Config } from '../config.ts';
import { packageVersion } from '../package.ts';
import type { Actor, StoreClient } from '../store/calls.ts';
import { openStore } from '../store/open.ts';
import { storeSettings } from '../store/settings.ts';

/** The store of the configured data folder: through the server where one runs, else in this process. */
export function openStoreOf(config: Config): Promise<StoreClient> {
  return openStore({
    dataDir: config.dataDir,
    version: packageVersion(),
    sign: operator,
    settings: storeSettings(config),
  });
}

/** Whoever runs the command. Not every user id has a name. */
function operator(): Actor {
  return { kind: 'operator', name: accountName(), address: null, atMs: Date.now() };
}

function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}
