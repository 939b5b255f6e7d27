import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { type DatabaseProxy, startDatabaseProxy } from '../../support/database-proxy.ts';
import { temporaryFolder } from '../../support/folder.ts';
import type { Cluster } from '../../support/postgres-cluster.ts';
import { granted } from '../../support/refusals.ts';
import type { Resources } from '../../support/resources.ts';
import { startSandbox } from '../../support/sandbox/start.ts';
import { aTeam, type Env, serverEnv, type Team } from '../../support/server.ts';
import { startTcpBalancer, type TcpBalancer } from '../../support/tcp-balancer.ts';
import { until } from '../../support/until.ts';
import { aReceiver, type Receiver } from '../../support/webhook-receiver.ts';
import { ownCluster, socketUrl } from '../own-cluster.ts';
import { type ServerProcess, serverProcess } from '../server-process.ts';
import { type RecordingProvider, startRecordingProvider } from './provider.ts';
import { Timeline } from './timeline.ts';

/** A machine with `pushctl serve`, and a proxy of its own before the database. */
export interface Machine {
  readonly proxy: DatabaseProxy;
  process: ServerProcess;
  url: string;
  /** A new process, of this version or another. Resolves once it listens. */
  start(main?: string): Promise<void>;
  /** Its clock is off by so much from now on. */
  setClock(offMs: number): void;
}

export interface World {
  readonly cluster: Cluster;
  readonly provider: RecordingProvider;
  readonly balancer: TcpBalancer;
  readonly machines: readonly [Machine, Machine, Machine];
  /** Asks by the socket of the second machine. */
  readonly team: Team;
  readonly timeline: Timeline;
  /** Gets messages of webhooks. */
  readonly receiver: Receiver;
  /** Why a machine ended before it listened, each time. */
  readonly failedStarts: readonly string[];
  /** Returns a new token that no device has. */
  token(): string;
  /** Registers a phone, subscribed to `alerts`. */
  addPhone(): Promise<{ readonly id: string; readonly token: string }>;
  /** So many more are on the channel `crowd`. The provider takes its time to answer them. */
  addCrowd(count: number): Promise<void>;
  /** On a connection of its own, which the machines do not know. */
  sql(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Holds the lock until the answer is called. */
  hold(lock: string): Promise<() => Promise<void>>;
  /** The database's clock is off by so much from now on. */
  setDatabaseClock(offMs: number): Promise<void>;
  /** Memory of the machines' processes, in MB. */
  memory(): readonly number[];
}

/** Ours, in a schema whose names are found before those of PostgreSQL itself. */
const SET_CLOCK = `
  CREATE TABLE off (ms BIGINT);
  INSERT INTO off VALUES (0);
  CREATE SCHEMA ours;
  CREATE FUNCTION ours.clock_timestamp() RETURNS TIMESTAMPTZ LANGUAGE sql VOLATILE AS
    'SELECT pg_catalog.clock_timestamp() + ms * INTERVAL ''1 ms'' FROM public.off';
  ALTER DATABASE postgres SET search_path = ours, pg_catalog`;

export async function aWorld(opened: Resources): Promise<World> {
  const cluster = await ownCluster(opened);
  await ask(cluster, SET_CLOCK);
  const sandbox = opened.add(await startSandbox({ record: 'count' }));
  const provider = opened.add(await startRecordingProvider());
  const balancer = opened.add(await startTcpBalancer());
  const receiver = opened.add(await aReceiver());
  const receiverCa = join(temporaryFolder(), 'receiver.pem');
  writeFileSync(receiverCa, receiver.ca);
  const common = await serverEnv(sandbox, {
    PUSHCTL_APNS_ENDPOINT_PRODUCTION: provider.url,
    PUSHCTL_APNS_CA_FILE: provider.caFile,
    PUSHCTL_LIMITS_DEVICES: '1000',
    PUSHCTL_WEBHOOKS_ALLOW_PRIVATE: 'true',
    PUSHCTL_WEBHOOKS_CA_FILE: receiverCa,
    NODE_OPTIONS: `--import=${new URL('../../support/set-clock.js', import.meta.url)}`,
  });
  const failedStarts: string[] = [];
  const all: (Machine & { readonly env: Env })[] = [];
  for (const name of ['one', 'two', 'three'])
    all.push(await aMachine(opened, common, cluster, name, lead, failedStarts));
  function lead(): void {
    balancer.leadTo(all.map(({ url }) => url));
  }
  lead();
  const [, second] = all;
  const team = opened.add(await aTeam(second?.env ?? {}, second?.url ?? ''));
  granted(await team.store.createChannel({ workspace: 'acme', slug: 'crowd' }));
  return {
    cluster,
    provider,
    balancer,
    machines: all as unknown as World['machines'],
    team,
    timeline: new Timeline(),
    receiver,
    failedStarts,
    token: () => sandbox.token({ platform: 'ios' }),
    addPhone: () => team.addDevice(sandbox, { platform: 'ios' }),
    async addCrowd(count) {
      for (let n = 0; n < count; n += 1) {
        const { token } = await team.addDevice(sandbox, { platform: 'ios' }, 'crowd');
        provider.slow.add(token);
      }
    },
    sql: (text) => ask(cluster, text),
    async setDatabaseClock(offMs) {
      await ask(cluster, `UPDATE public.off SET ms = ${offMs}`);
    },
    async hold(lock) {
      const client = await aClient(cluster);
      await client.query(`BEGIN; ${lock}`);
      return () => client.end();
    },
    memory: () => all.map(({ process }) => residentMb(process.pid)),
  };
}

async function aMachine(
  opened: Resources,
  common: Env,
  cluster: Cluster,
  name: string,
  onStart: () => void,
  failedStarts: string[],
): Promise<Machine & { readonly env: Env }> {
  const proxy = opened.add(await startDatabaseProxy(cluster.folder));
  await ask(cluster, `CREATE ROLE ${name} SUPERUSER LOGIN`);
  const clockFile = join(temporaryFolder(), 'clock');
  const setClock = (offMs: number) => writeFileSync(clockFile, String(offMs));
  setClock(0);
  const env = {
    ...common,
    PUSHCTL_DATA_DIR: temporaryFolder(),
    // So that the database can see whose a connection is.
    PUSHCTL_STORE_URL: asUser(proxy.url(), name),
    PUSHCTL_STORE_NODE: name,
    CLOCK_FILE: clockFile,
  };
  const process = serverProcess(opened, env);
  const machine = {
    env,
    proxy,
    process,
    url: await process.url,
    setClock,
    // Starts again if it ends, as systemd does.
    async start(main?: string) {
      await until('the machine serves', async () => {
        machine.process = serverProcess(opened, env, main);
        const url = await machine.process.url.catch((error: Error) => error);
        if (url instanceof Error) {
          failedStarts.push(url.message);
          return url.message;
        }
        machine.url = url;
        return true;
      });
      onStart();
    },
  };
  return machine;
}

function asUser(url: string, user: string): string {
  const own = new URL(url);
  own.username = user;
  return own.href;
}

async function ask(cluster: Cluster, text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = await aClient(cluster);
  const { rows } = await client.query(text).finally(() => client.end());
  return rows;
}

async function aClient(cluster: Cluster): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: socketUrl(cluster), application_name: 'stranger' });
  client.on('error', () => {});
  await client.connect();
  return client;
}

function residentMb(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
