/** A store of its own, whose queue it works off as the relay does, but without sending anything. */

import type { Claim, StoreClient } from '../../../src/store/calls.ts';
import { clientOver } from '../../../src/store/client.ts';
import { openPostgres } from '../../../src/store/postgres/engine.ts';
import { openStoreThread } from '../../../src/store/transports/thread-client.ts';
import { anEvent, workspaceIdOf } from '../../support/workspace.ts';
import { SETTINGS } from '../fixture.ts';
import { serveHandlers, sharedMs } from './handlers.ts';

export type Where = { readonly url: string } | { readonly dataDir: string };

/** The size of a relay with two delivery threads. */
const WORKERS = 2;
const ASKED = { route: 'apns_production', lane: 'standard', limit: 400, batchSize: 100 } as const;

let store: StoreClient | null = null;

const handlers = {
  async open(where: Where): Promise<void> {
    store = 'url' in where ? await overPostgres(where.url) : await openStoreThread({ ...where, settings: SETTINGS });
  },

  /** Events that wait for all devices of the channel. */
  async post({ channel, events }: { readonly channel: string; readonly events: number }): Promise<void> {
    const { calls, workspaceId } = await opened();
    for (let n = 0; n < events; n += 1) await calls.acceptEvent(anEvent(workspaceId, { channel }));
  },

  /** Claims and settles until nothing is left. `endMs` by the shared clock. */
  async workOff(): Promise<{ readonly targets: number; readonly endMs: number }> {
    const { calls } = await opened();
    const worker = async () => {
      let targets = 0;
      for (;;) {
        const { claims, nextDueInMs } = await calls.claimBatches(ASKED);
        if (claims.length === 0 && nextDueInMs === null) return targets;
        await Promise.all(claims.map((claim) => settle(calls, claim)));
        for (const claim of claims) targets += claim.targets.length;
      }
    };
    const counts = await Promise.all(Array.from({ length: WORKERS }, worker));
    return { targets: counts.reduce((sum, count) => sum + count, 0), endMs: sharedMs() };
  },
};
export type QueueNodeHandlers = typeof handlers;
serveHandlers(handlers);

async function opened(): Promise<{ readonly calls: StoreClient; readonly workspaceId: number }> {
  if (store === null) throw new Error('not open');
  return { calls: store, workspaceId: await workspaceIdOf(store, 'acme') };
}

async function overPostgres(url: string): Promise<StoreClient> {
  return clientOver(await openPostgres({ url, settings: SETTINGS, node: `bench-${process.pid}`, most: 16 }));
}

async function settle(calls: StoreClient, { claimId, targets }: Claim): Promise<void> {
  const verdicts = targets.map((_, index) => ({
    index,
    verdict: { state: 'accepted' } as const,
    fitted: false,
    linksLost: false,
  }));
  await calls.settleBatch({ claimId, verdicts });
}
