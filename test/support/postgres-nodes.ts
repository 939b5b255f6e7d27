import pg from 'pg';
import { suite } from 'uvu';
import type { AcceptArgs, Actor, StoreClient } from '../../src/store/calls.ts';
import { clientOver } from '../../src/store/client.ts';
import { openPostgres, type PostgresNode, type PostgresOptions } from '../../src/store/postgres/engine.ts';
import { HOUR_MS } from './engines.ts';
import { temporarySchema } from './postgres.ts';
import { someSettings } from './store.ts';
import { anEvent, aWorkspace, type WorkspaceOptions } from './workspace.ts';

/** A node of its own: its calls, and the store that carries them out. */
export interface TestNode {
  readonly calls: StoreClient;
  readonly store: PostgresNode;
  /** Returns the first value that a query answers. */
  value<T = number>(query: string, params?: object): Promise<T | undefined>;
  execute(statements: string, options?: { readonly isLong: boolean }): Promise<void>;
}

const opened = new Set<PostgresNode>();

/** A suite after each of whose tests all nodes are closed. */
export function nodeTests(name: string): ReturnType<typeof suite> {
  const test = suite(name);
  test.after.each(async () => {
    await Promise.all([...opened].map((store) => store.close().catch(() => {})));
    opened.clear();
  });
  return test;
}

type Nodes<Count> = Count extends 1
  ? [TestNode]
  : Count extends 2
    ? [TestNode, TestNode]
    : [TestNode, TestNode, TestNode];

/** Nodes of a new store with the workspace `acme`. */
export async function aCluster<const Count extends 1 | 2 | 3>(
  count: Count,
  options?: WorkspaceOptions,
  nodeOptions?: Partial<PostgresOptions>,
) {
  const url = await temporarySchema();
  const nodes = (await nodesOver(url, count, nodeOptions)) as Nodes<Count>;
  const [{ calls }] = nodes;
  const workspace = await aWorkspace(calls, options);
  return {
    ...workspace,
    url,
    nodes,
    /** Posts an event on `alerts` at the first node, which must accept it. Returns its public id. */
    async post(with_?: Partial<AcceptArgs>, actor?: Actor): Promise<string> {
      const answer = await calls.acceptEvent(anEvent(workspace.workspaceId, with_), actor);
      if (answer.kind !== 'accepted') throw new Error(`not accepted: ${answer.kind}`);
      return answer.event.public_id;
    },
  };
}

/** Settings for tests in which hundreds wait for one lock: on a busy machine the store would refuse some with a 503. */
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
  opened.add(store);
  const { lend } = store.connections;
  return {
    store,
    calls: clientOver(store),
    value: <T>(query: string, params: object = {}) => lend(({ sql }) => sql.value<object, T>(query)(params)),
    execute: (statements, options) => lend(({ execute }) => execute(statements, options)),
  };
}

/** Records the queries of this process to PostgreSQL until the returned function is called. */
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
