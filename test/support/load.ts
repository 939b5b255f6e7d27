import type { StoreClient } from '../../src/store/calls.ts';
import { anEvent } from './workspace.ts';

/** Posts events to `alerts` of the first workspace of a store, some at a time, until the test stops it. */
export function underLoad(store: StoreClient): { stop(): Promise<number> } {
  let isStopping = false;
  const posters = Array.from({ length: 8 }, async () => {
    let accepted = 0;
    while (!isStopping) {
      const event = anEvent(1, { channel: 'alerts', description: 'x'.repeat(500) });
      const answer = await store.acceptEvent(event);
      if (answer.kind !== 'accepted') throw new Error(answer.kind);
      accepted += 1;
    }
    return accepted;
  });
  return {
    stop: async () => {
      isStopping = true;
      const accepted = await Promise.all(posters);
      return accepted.reduce((sum, count) => sum + count, 0);
    },
  };
}
