import { type Clock, systemClock } from '../../src/process/clock.ts';
import { clientOver, type ServingStore } from '../../src/store/client.ts';
import { type CallRequest, type Reply, touchedBy } from '../../src/store/reply.ts';
import type { StoreSettings } from '../../src/store/settings.ts';
import { ownStore } from '../../src/store/sqlite/engine.ts';
import { Listeners } from '../../src/store/transports/listeners.ts';
import { dataFolder } from './data-folder.ts';
import { someSettings } from './store.ts';

/**
 * A new store as a server has it, without the thread, whose start takes longer than most tests. What goes there and
 * back is copied, as between threads.
 */
export function storeHere(
  dataDir = dataFolder(),
  settings: Partial<StoreSettings> = {},
  clock: Clock = systemClock(),
): ServingStore {
  const store = ownStore({ dataDir, settings: someSettings(settings) }, clock);
  const listeners = new Listeners();
  let isOpen = true;
  const ask = async (call: CallRequest): Promise<Reply> => {
    if (!isOpen) return { kind: 'unavailable', reason: 'closed' };
    const replies: readonly Reply[] = structuredClone(await store.run([structuredClone(call)]));
    listeners.notify([call], replies, touchedBy([call], replies));
    return replies[0] as Reply;
  };
  const close = async () => {
    isOpen = false;
    await store.close();
  };
  const client = clientOver({ ask, close });
  return {
    ...client,
    onTouched: (topic, listener) => listeners.onTouched(topic, listener),
    onRevocations: (listener) => listeners.onRevocations(listener),
    onDone: (listener) => listeners.onDone(listener),
    isAlive: async () => isOpen,
    fault: async () => null,
    check: async () => [],
    others: null,
  };
}
