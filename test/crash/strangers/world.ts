import { readFileSync } from 'node:fs';
import pg from 'pg';
import { type DatabaseWay, wayToDatabase } from '../../support/database-way.ts';
import { temporaryFolder } from '../../support/folder.ts';
import type { Opened } from '../../support/opened.ts';
import type { Cluster } from '../../support/postgres-cluster.ts';
import { startSandbox } from '../../support/sandbox/start.ts';
import { aTeam, type Env, serverEnv, type Team } from '../../support/server.ts';
import { startTcpBalancer, type TcpBalancer } from '../../support/tcp-balancer.ts';
import { ownCluster, socketUrl } from '../own-cluster.ts';
import { type ServerProcess, serverProcess } from '../server-process.ts';
import { type RecordingProvider, startRecordingProvider } from './provider.ts';

/** A machine with `pushctl serve`, and a way of its own to the database. */
export interface Machine {
  readonly way: DatabaseWay;
  process: ServerProcess;
  url: string;
  start(): Promise<void>;
}

export interface World {
  readonly cluster: Cluster;
  readonly provider: RecordingProvider;
  readonly balancer: TcpBalancer;
  readonly machines: readonly [Machine, Machine, Machine];
  /** By the socket of the second machine. */
  readonly team: Team;
  /** Registers a phone. */
  addPhone(): Promise<{ readonly id: string; readonly token: string }>;
  /** On a connection of its own, which the machines do not know. */
  sql(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Holds the lock until the answer is called. */
  hold(lock: string): Promise<() => Promise<void>>;
  /** Of the machines' processes, in MB. */
  memory(): readonly number[];
}

export async function aWorld(opened: Opened): Promise<World> {
  const cluster = await ownCluster(opened);
  const sandbox = opened.add(await startSandbox({ record: 'count' }));
  const provider = opened.add(await startRecordingProvider());
  const balancer = opened.add(await startTcpBalancer());
  const common = await serverEnv(sandbox, {
    PUSHCTL_APNS_ENDPOINT_PRODUCTION: provider.url,
    PUSHCTL_APNS_CA_FILE: provider.caFile,
  });
  const all: (Machine & { readonly env: Env })[] = [];
  for (const name of ['one', 'two', 'three']) all.push(await aMachine(opened, common, cluster, name, lead));
  function lead(): void {
    balancer.leadTo(all.map(({ url }) => url));
  }
  lead();
  const [, second] = all;
  const team = opened.add(await aTeam(second?.env ?? {}, second?.url ?? ''));
  return {
    cluster,
    provider,
    balancer,
    machines: all as unknown as World['machines'],
    team,
    addPhone: () => team.addDevice(sandbox, { platform: 'ios' }),
    async sql(text) {
      const client = await aClient(cluster);
      const { rows } = await client.query(text).finally(() => client.end());
      return rows;
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
  opened: Opened,
  common: Env,
  cluster: Cluster,
  name: string,
  onStart: () => void,
): Promise<Machine & { readonly env: Env }> {
  const way = opened.add(await wayToDatabase(cluster.folder));
  const client = await aClient(cluster);
  await client.query(`CREATE ROLE ${name} SUPERUSER LOGIN`).finally(() => client.end());
  const env = {
    ...common,
    PUSHCTL_DATA_DIR: temporaryFolder(),
    // So that the database can tell whose a connection is.
    PUSHCTL_STORE_URL: asUser(way.url(), name),
    PUSHCTL_STORE_NODE: name,
  };
  const process = serverProcess(opened, env);
  const machine = {
    env,
    way,
    process,
    url: await process.url,
    async start() {
      machine.process = serverProcess(opened, env);
      machine.url = await machine.process.url;
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
