import { v7 } from 'uuid';
import type { StoreClient } from '../../src/store/calls.ts';
import { NOW_MS } from './world.ts';

/** Posts events to `alerts` of the first workspace of a store, some at a time, until it is told to stop. */
export function underLoad(store: StoreClient): { stop(): Promise<number> } {
  let isStopping = false;
  const posters = Array.from({ length: 8 }, async () => {
    let accepted = 0;
    while (!isStopping) {
      const answer = await store.acceptEvent({
        workspaceId: 1,
        uuid: v7(),
        channel: 'alerts',
        title: 'Disk full',
        description: 'x'.repeat(500),
        level: 'error',
        urgency: 'standard',
        eventType: null,
        idempotencyKey: null,
        hadLinks: false,
        wallMs: NOW_MS,
        steadyMs: NOW_MS,
      });
      if (answer.kind !== 'accepted') throw new Error(answer.kind);
      accepted += 1;
    }
    return accepted;
  });
  return {
    stop: async () => {
      isStopping = true;
      const accepted = await Promise.all(posters);
      return accepted.reduce((sum, one) => sum + one, 0);
    },
  };
}
