import type { Actor, RouteState, StoreClient } from '../calls.ts';
import { openPostgres } from '../postgres/engine.ts';
import type { StoreSettings } from '../settings.ts';
import { socketPath } from '../sqlite/files/folder.ts';
import { clientOver, type Reply } from './reply.ts';
import { connectSocket } from './socket-client.ts';

export interface OpenSharedOptions {
  /** Of the PostgreSQL database that several machines share, with its password. */
  readonly url: string;
  /** Where a server on this machine can be reached. */
  readonly dataDir: string;
  readonly version: string;
  readonly settings: StoreSettings;
  /** Who makes the changes, for the audit log. */
  readonly actor: () => Actor;
  /** Also in a database that is empty. */
  readonly mayCreate: boolean;
}

/**
 * PostgreSQL in this process, each call in a transaction of its own: for the command line tool, which needs no server
 * for it. Rejects with an `OperatorProblem` where the database cannot be used.
 */
export async function openSharedStore(options: OpenSharedOptions): Promise<StoreClient> {
  const { url, settings, actor, mayCreate } = options;
  const { run, close } = await openPostgres({ url, settings, may: mayCreate ? 'create' : 'use' });
  const ask = async (call: Parameters<typeof run>[0][number]): Promise<Reply> =>
    (await run([call]))[0] ?? { kind: 'unavailable', reason: 'closed' };
  const store = clientOver(ask, close, actor);
  return { ...store, listRoutes: async (args) => (await routesHere(options)) ?? store.listRoutes(args) };
}

/** With their live state, which each server knows of itself alone; null: none on this machine can be asked. */
async function routesHere({ dataDir, version }: OpenSharedOptions): Promise<readonly RouteState[] | null> {
  const server = await connectSocket({ path: socketPath(dataDir), version }).catch(() => null);
  try {
    return (await server?.listRoutes({})) ?? null;
  } catch {
    return null;
  } finally {
    await server?.close();
  }
}
