import type { StoreClient } from '../../src/store/calls.ts';
import { clientOver, type Reply } from '../../src/store/carriers/reply.ts';
import { openPostgres, type PostgresStore } from '../../src/store/postgres/engine.ts';
import { HOUR_MS } from './engines.ts';
import { someSettings } from './store.ts';

/** A node of its own: its calls, and the store that carries them out. */
export interface TestNode {
  readonly calls: StoreClient;
  readonly store: PostgresStore;
}

/** Nodes of one store, as several machines would be. */
export async function nodesOver(url: string, count: number): Promise<TestNode[]> {
  const names = Array.from({ length: count }, (_, index) => `node-${index + 1}`);
  return Promise.all(
    names.map(async (node) => {
      const store = await openPostgres({ url, settings: someSettings(), node, leaseMs: HOUR_MS });
      const ask = async (call: Parameters<typeof store.run>[0][number]): Promise<Reply> =>
        (await store.run([call]))[0] ?? { kind: 'unavailable', reason: 'no reply' };
      return { store, calls: clientOver(ask, store.close) };
    }),
  );
}
