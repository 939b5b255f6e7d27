import { type Actor, isRefusal, type RouteState, type StoreClient } from '../calls.ts';
import { clientOver } from '../client.ts';
import { socketPath } from '../data-folder.ts';
import { openPostgres } from '../postgres/engine.ts';
import type { CallRequest, Reply } from '../reply.ts';
import { afterCalls, CANCELLED, type Others, type StoreChanges } from '../serving-store.ts';
import type { StoreSettings } from '../settings.ts';
import { Listeners } from './listeners.ts';
import { connectSocket } from './socket-client.ts';

export interface OpenSharedOptions {
  /** The address of the PostgreSQL database that several machines share, with its password. */
  readonly url: string;
  /** The data folder with the socket of a server on this machine. */
  readonly dataDir: string;
  readonly version: string;
  readonly settings: StoreSettings;
  /** Returns the author of the changes, for the audit log. */
  readonly actor: () => Actor;
  /** Also in a database that is empty. */
  readonly canCreate: boolean;
}

/** The store of a command. `notify` notifies all servers. */
export type SharedStore = StoreClient & Pick<StoreChanges, 'onDone'> & Pick<Others, 'notify'>;

/**
 * PostgreSQL in this process, each call in a transaction of its own: for the command line tool, which needs no server
 * for it. Rejects with an `OperatorProblem` where the database cannot be used.
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
  // The server that has the event's links in its memory drops them.
  afterCalls(listeners, {
    cancelEvent({ publicId }, answer) {
      if (!isRefusal(answer)) notify(CANCELLED, publicId);
    },
  });
  return { ...clientOver({ ask, close }, actor), notify, onDone: (listener) => listeners.onDone(listener) };
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
