import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { move } from '../../../src/store/engine-migration/move.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../../support/database-proxy.ts';
import { type Cluster, startCluster } from '../../support/postgres-cluster.ts';
import { DEVICES } from '../fixture.ts';
import { type Line, line, ratio, type Skipped } from '../lines.ts';
import { limitMachine } from '../machine-limit.ts';
import type { Child } from '../processes/child.ts';
import { sharedMs } from '../processes/handlers.ts';
import type { Load, LoadHandlers } from '../processes/load.ts';
import type { QueueNodeHandlers, Where } from '../processes/queue-node.ts';
import type { Server, Site } from '../site.ts';
import { alternate } from '../slices.ts';

const SLICE_MS = 1_500;
const CONNECTIONS = 64;
/** Between a node and a database in another building of the same town. */
const FAR_MS = 2;
/** CPU limit of a server, so that the database and the load have enough. */
const FEW_CORES = 0.2;
const EVENTS = 2;
/** Each a store of its own, so that what one leaves in the queue is not the other's. */
const SCHEMAS = { accepts: 'empty', queue: 'devices' } as const;
type Schema = keyof typeof SCHEMAS;

/** Measures the same servers over PostgreSQL and SQLite, all on this machine. */
export async function cluster(site: Site): Promise<(Line | Skipped)[]> {
  const database = await aDatabase(site);
  for (const schema of ['accepts', 'queue'] as const) await prepare(site, database, schema);
  const far = await startDatabaseProxy(database.folder);
  far.delay(FAR_MS);
  try {
    return [...(await acceptance(site, database, far)), ...(await queue(site, database, far))];
  } finally {
    await far.close();
    await database.stop();
  }
}

async function acceptance(site: Site, database: Cluster, far: DatabaseProxy): Promise<(Line | Skipped)[]> {
  const sqlite = await site.startServer({ database: 'empty', sends: false });
  const onPostgres = (url: string, node: string) =>
    site.startServer({
      database: 'none',
      sends: false,
      env: { PUSHCTL_STORE_URL: url, PUSHCTL_STORE_NODE: node },
    });
  const nodes = [
    await onPostgres(urlOf(database, 'accepts'), 'one'),
    await onPostgres(urlOf(database, 'accepts'), 'two'),
  ] as const;
  const distant = await onPostgres(far.url(inSchema('accepts')), 'far');
  const loadOn = ({ url }: Server, connections: number) => site.openLoad(url, 'single', connections);
  const many = {
    sqlite: await loadOn(sqlite, CONNECTIONS),
    single: await loadOn(nodes[0], CONNECTIONS),
    far: await loadOn(distant, CONNECTIONS),
  };
  const halves = [await loadOn(nodes[0], CONNECTIONS / 2), await loadOn(nodes[1], CONNECTIONS / 2)];
  const single = { sqlite: await loadOn(sqlite, 1), server: await loadOn(nodes[0], 1), far: await loadOn(distant, 1) };
  const run = (load: Child<LoadHandlers>) => load.ask('run', { ms: SLICE_MS });
  const slices = await alternate({
    sqlite: () => run(many.sqlite),
    single: () => run(many.single),
    two: async () => sum(await Promise.all(halves.map(run))),
    far: () => run(many.far),
    sqliteAlone: () => run(single.sqlite),
    oneAlone: () => run(single.server),
    farAlone: () => run(single.far),
  });
  await distant.process.kill();
  const limited = await withLittleCpu(
    [sqlite, ...nodes],
    [many.sqlite, many.single, await loadOn(nodes[1], CONNECTIONS)],
  );
  const per = (side: 'sqlite' | 'single' | 'two' | 'far') => slices[side].map(({ perSecond }) => perSecond);
  const p50 = (side: 'sqliteAlone' | 'oneAlone' | 'farAlone') => slices[side].map(({ p50Ms }) => p50Ms);
  const from = `from ${CONNECTIONS} connections`;
  return [
    ratio(`PostgreSQL, one node: requests a second ${from}`, 'requests/s', per('single'), ['SQLite', per('sqlite')], {
      want: { atLeast: 0.8 },
      raw: {
        'p99 ms': slices.single.map(({ p99Ms }) => p99Ms),
        'SQLite, p99 ms': slices.sqlite.map(({ p99Ms }) => p99Ms),
      },
    }),
    ratio(`two nodes, ${from} together`, 'requests/s', per('two'), ['one node', per('single')]),
    ...limited,
    ratio(`one node, ${FAR_MS} ms to the database, ${from}`, 'requests/s', per('far'), ['none to it', per('single')]),
    line('PostgreSQL: an event from one client, p50', 'ms', p50('oneAlone'), {
      raw: { 'SQLite, p50 ms': p50('sqliteAlone'), [`${FAR_MS} ms to the database, p50 ms`]: p50('farAlone') },
    }),
  ];
}

/** Measures the servers with so little CPU that the database has enough. Ends them. */
async function withLittleCpu(
  servers: readonly [Server, Server, Server],
  [sqlite, single, two]: readonly [Child<LoadHandlers>, Child<LoadHandlers>, Child<LoadHandlers>],
): Promise<(Line | Skipped)[]> {
  const removals = servers.map(({ process }) => limitMachine(process.pid, { cores: FEW_CORES }));
  const run = async (...loads: readonly Child<LoadHandlers>[]) =>
    sum(await Promise.all(loads.map((load) => load.ask('run', { ms: SLICE_MS })))).perSecond;
  const slices = removals.includes(null)
    ? null
    : await alternate({ sqlite: () => run(sqlite), single: () => run(single), two: () => run(single, two) });
  for (const { process } of servers) await process.kill();
  for (const remove of removals) remove?.();
  const terms = `with ${FEW_CORES} of a core for each server, from ${CONNECTIONS} connections to each`;
  if (slices === null) return [{ what: terms, because: 'it takes root, and control groups that limit the CPU' }];
  return [
    ratio(`PostgreSQL, one node, ${terms}`, 'requests/s', slices.single, ['SQLite', slices.sqlite]),
    ratio(`two nodes, ${terms}`, 'requests/s', slices.two, ['one node', slices.single], { want: { atLeast: 1.3 } }),
  ];
}

/** Targets that are claimed and settled a second, without sending them. */
async function queue(site: Site, database: Cluster, far: DatabaseProxy): Promise<Line[]> {
  const open = async (where: Where) => {
    const node = await site.start<QueueNodeHandlers>('queue-node');
    await node.ask('open', where);
    return node;
  };
  const sqlite = await open({ dataDir: await site.dataFolder('devices') });
  const first = await open({ url: urlOf(database, 'queue') });
  const second = await open({ url: urlOf(database, 'queue') });
  const distant = await open({ url: far.url(inSchema('queue')) });
  const slices = await alternate({
    sqlite: () => workOff([sqlite]),
    single: () => workOff([first]),
    two: () => workOff([first, second]),
    far: () => workOff([distant]),
  });
  const what = 'PostgreSQL, one node: pushes claimed and settled a second';
  const raw = { 'two nodes, pushes/s': slices.two, [`${FAR_MS} ms to the database, pushes/s`]: slices.far };
  return [ratio(what, 'pushes/s', slices.single, ['SQLite', slices.sqlite], { raw })];
}

async function workOff(nodes: readonly [Child<QueueNodeHandlers>, ...Child<QueueNodeHandlers>[]]): Promise<number> {
  await nodes[0].ask('post', { channel: 'apns', events: EVENTS });
  const startMs = sharedMs();
  const done = await Promise.all(nodes.map((node) => node.ask('workOff', undefined)));
  const targets = done.reduce((total, report) => total + report.targets, 0);
  if (targets !== EVENTS * DEVICES.apns) throw new Error(`${targets} targets were claimed and settled`);
  return (targets * 1000) / (Math.max(...done.map(({ endMs }) => endMs)) - startMs);
}

/** Sets up a database as an operator would. */
async function aDatabase(site: Site): Promise<Cluster> {
  const folder = join(site.folder, 'postgres');
  mkdirSync(folder);
  return startCluster(folder, {
    fsync: 'on',
    full_page_writes: 'on',
    shared_buffers: '256MB',
    max_wal_size: '2GB',
  });
}

/** Moves the contents of the fixture's data folder there. */
async function prepare(site: Site, database: Cluster, schema: Schema): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf(database) });
  await client.connect();
  await client.query(`CREATE SCHEMA ${schema}`);
  await client.end();
  const folder = await site.dataFolder(SCHEMAS[schema]);
  await move({ from: { folder }, to: { url: urlOf(database, schema) }, wallMs: Date.now() });
}

function urlOf({ folder }: Cluster, schema?: Schema): string {
  const query = new URLSearchParams({ host: folder, ...(schema && { options: inSchema(schema) }) });
  return `postgres://postgres@localhost/postgres?${query}`;
}

function inSchema(schema: Schema): string {
  return `-c search_path=${schema}`;
}

function sum(loads: readonly Load[]): Load {
  const [first] = loads;
  if (first === undefined) throw new Error('no load');
  return { ...first, perSecond: loads.reduce((total, { perSecond }) => total + perSecond, 0) };
}
