import { type Actor, isRefusal, type RouteState, type StoreClient } from '../calls.ts';
import { afterCalls, CANCELLED, clientOver, type Others, type StoreChanges } from '../client.ts';
import { socketPath } from '../data-folder.ts';
import { openPostgres } from '../postgres/engine.ts';
import type { CallRequest, Reply } from '../reply.ts';
import type { StoreSettings } from '../settings.ts';
import { Listeners } from './listeners.ts';
import { connectSocket } from './socket-client.ts';

interface OpenSharedOptions {
  /** The shared PostgreSQL database's address, with its password. */
  readonly url: string;
  /** The data folder with a local server's socket. */
  readonly dataDir: string;
  readonly version: string;
  readonly settings: StoreSettings;
  /** Returns the author for the audit log. */
  readonly actor: () => Actor;
  /** Allows an empty database. */
  readonly canCreate: boolean;
}

/** A command's store. `notify` reaches all servers. */
export type SharedStore = StoreClient & Pick<StoreChanges, 'onDone'> & Pick<Others, 'notify'>;

/**
 * Opens PostgreSQL in this process, a transaction per call, for the command line tool. Rejects with `OperatorProblem`
 * if unusable.
 */
export async function openSharedStore(options: OpenSharedOptions): Promise<SharedStore> {
  const { url, settings, actor, canCreate } = options;
  const { ask: carryOut, notify, close } = await openPostgres({ url, settings, may: canCreate ? 'create' : 'use' });
  const listeners = new Listeners();
  const ask = async (call: CallRequest): Promise<Reply> => {
    const live = call.name === 'listRoutes' ? await routesHere(options) : null;
    const reply: Reply = live === null ? await carryOut(call) : { kind: 'answer', answer: live };
    listeners.notifyDone([call], [reply]);
    return reply;
  };
  // The server with the event's links drops them.
  afterCalls(listeners, {
    cancelEvent({ publicId }, answer) {
      if (!isRefusal(answer)) notify(CANCELLED, publicId);
    },
  });
  return { ...clientOver({ ask, close }, actor), notify, onDone: (listener) => listeners.onDone(listener) };
}

/** Returns routes with live state, known to servers only; null: none can be asked. */
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
