import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, systemClock } from '../../process/clock.ts';
import type { Actor, StoreClient } from '../calls.ts';
import { clientOver } from '../client.ts';
import { databasePath, socketPath } from '../data-folder.ts';
import type { CallRequest, Reply } from '../reply.ts';
import { noDatabase, workAsOwnerOf } from '../sqlite/database.ts';
import { ownStore, type StoreOptions } from '../sqlite/engine.ts';
import { FolderInUse } from '../sqlite/files/lock.ts';
import { connectSocket } from './socket-client.ts';

interface OpenStoreOptions extends StoreOptions {
  readonly version: string;
  /** Returns the author for the audit log. */
  readonly actor?: () => Actor;
  /** Allows a missing database. */
  readonly canCreate?: boolean;
  /** How long to wait for another command, or a starting server. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
}

const TIMEOUT_MS = 3_000;
const PAUSE_MS = 50;

/**
 * Opens the store for the command line tool: over a server's socket, else in this process. Rejects with `NoDatabase` if
 * none exists or may be made. Root acts as the data folder's owner until closed.
 */
export async function openStore(options: OpenStoreOptions): Promise<StoreClient> {
  const rights = workAsOwnerOf(options.dataDir);
  try {
    const store = await open(options);
    return { ...store, close: () => store.close().finally(() => rights[Symbol.dispose]()) };
  } catch (error) {
    rights[Symbol.dispose]();
    throw error;
  }
}

async function open(options: OpenStoreOptions): Promise<StoreClient> {
  const {
    dataDir,
    settings,
    version,
    actor,
    canCreate = false,
    timeoutMs = TIMEOUT_MS,
    clock = systemClock(),
  } = options;
  // Pauses less often: looks at the folder also await its lock.
  const giveUpAtMs = clock.steadyMs() + timeoutMs;
  for (;;) {
    const server = await connectSocket({ path: socketPath(dataDir), version, ...(actor && { actor }) });
    if (server) return server;
    if (!canCreate && !existsSync(databasePath(dataDir))) throw noDatabase(databasePath(dataDir));
    try {
      return openLocalStore({ dataDir, settings }, actor, clock);
    } catch (error) {
      if (!(error instanceof FolderInUse) || clock.steadyMs() >= giveUpAtMs) throw error;
    }
    await pause(PAUSE_MS);
  }
}

/**
 * Opens the store in this process, a transaction per call. Throws `OperatorProblem` if the data folder is unusable,
 * `FolderInUse` if owned. `actor`: the caller.
 */
export function openLocalStore(options: StoreOptions, actor?: () => Actor, clock?: Clock): StoreClient {
  const store = ownStore(options, clock);
  let isOpen = true;
  const close = async () => {
    if (!isOpen) return;
    isOpen = false;
    await store.close();
  };
  const ask = async (call: CallRequest): Promise<Reply> => {
    const [reply] = isOpen ? await store.run([call]) : [];
    return reply ?? { kind: 'unavailable', reason: 'closed' };
  };
  return clientOver({ ask, close }, actor);
}
