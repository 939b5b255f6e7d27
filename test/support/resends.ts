import type { Lane, Route } from '../../src/push.ts';
import type { Verdict } from '../../src/store/calls.ts';
import { claim, settle } from './queue.ts';
import type { TemporaryStore } from './store.ts';
import { NOW_MS } from './world.ts';

/** So long after the start. */
export function at(ms: number) {
  return { wallMs: NOW_MS + ms, steadyMs: NOW_MS + ms };
}

/** Claims what is next for APNs, and settles it with a verdict for each device. */
export async function settleEach(store: TemporaryStore, verdicts: readonly Verdict[]): Promise<void> {
  for (const { claimId } of await claim(store)) {
    const lines = verdicts.map((verdict, index) => ({ index, verdict, fitted: false, linksLost: false }));
    await store.calls.settleBatch({ claimId, verdicts: lines, ...at(0) });
  }
}

/** Ends what is overdue, and answers of how many events nothing waits any more. */
export async function expire({ calls }: TemporaryStore, ms: number): Promise<number> {
  let ended = 0;
  for (let more = true; more; ) {
    const swept = await calls.expireOverdue(at(ms));
    ended += swept.finished.length;
    ({ more } = swept);
  }
  return ended;
}

/** Sends all that a route has, and answers how many pushes that were. */
export async function sendAll(store: TemporaryStore, route: Route, ms: number, lane?: Lane): Promise<number> {
  let sent = 0;
  for (;;) {
    const batches = await claim(store, { route, atMs: NOW_MS + ms, ...(lane && { lane }) });
    if (batches.length === 0) return sent;
    for (const batch of batches) {
      await settle(store, batch, { state: 'accepted' }, NOW_MS + ms);
      sent += batch.targets.length;
    }
  }
}
