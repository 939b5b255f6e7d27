import type { Clock } from '../../clock.ts';
import type { Actor, StoreClient } from '../calls.ts';
import { type CallRequest, clientOver, type Reply } from '../reply.ts';
import { ownStore, type StoreOptions } from '../sqlite/engine.ts';

/**
 * The store in this process, each call in a transaction of its own: for the command line tool while no server runs.
 * Throws an `OperatorProblem` where the data folder cannot be used, `FolderInUse` where it has an owner. `actor` names
 * the caller.
 */
export function openLocalStore(options: StoreOptions, actor?: () => Actor, clock?: Clock): StoreClient {
  const store = ownStore(options, clock);
  let open = true;
  const close = async () => {
    if (!open) return;
    open = false;
    await store.close();
  };
  const ask = async (call: CallRequest): Promise<Reply> => {
    const [reply] = open ? await store.run([call]) : [];
    return reply ?? { kind: 'unavailable', reason: 'closed' };
  };
  return clientOver(ask, close, actor);
}
