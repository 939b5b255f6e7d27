import pg from 'pg';
import type { StoreClient } from '../../src/store/calls.ts';
import { openPostgres, type PostgresNode, type PostgresOptions } from '../../src/store/postgres/engine.ts';
import { clientOver } from '../../src/store/reply.ts';
import { HOUR_MS } from './engines.ts';
import { someSettings } from './store.ts';

/** A node of its own: its calls, and the store that carries them out. */
export interface TestNode {
  readonly calls: StoreClient;
  readonly store: PostgresNode;
}

/** For tests in which hundreds wait for one lock: on a busy machine the store would refuse some with a 503. */
export const PATIENT = { patience: 20 };

/** Nodes of one store, as several machines would be. */
export async function nodesOver(
  url: string,
  count: number,
  options: Partial<PostgresOptions> = {},
): Promise<TestNode[]> {
  const names = Array.from({ length: count }, (_, index) => `node-${index + 1}`);
  return Promise.all(names.map((node) => aNode({ url, node, ...options })));
}

/** A node in this process, with a lease and answers that no pause of a busy machine ends. */
export async function aNode(options: Partial<PostgresOptions> & Pick<PostgresOptions, 'url'>): Promise<TestNode> {
  const store = await openPostgres({
    settings: someSettings(),
    node: 'one',
    leaseMs: HOUR_MS,
    answerWithinMs: HOUR_MS,
    ...options,
  });
  return { store, calls: clientOver(store) };
}

/** What this process asks PostgreSQL from now on, until the returned function is called. */
export function statementsOf(): () => readonly string[] {
  const texts: string[] = [];
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...asked: readonly unknown[]) {
    const [first] = asked as readonly [string | { readonly text: string }];
    texts.push(typeof first === 'string' ? first : first.text);
    return Reflect.apply(query, this, asked);
  } as typeof query;
  return () => {
    pg.Client.prototype.query = query;
    return texts;
  };
}
