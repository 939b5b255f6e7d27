import pg from 'pg';
import { publicIdOf } from '../../src/contract/public-id.ts';
import { temporaryFolder } from '../support/folder.ts';
import type { Settings } from '../support/postgres-cluster.ts';
import type { Resources } from '../support/resources.ts';
import { type Sandbox, startSandbox } from '../support/sandbox/start.ts';
import { aTeam, type Env, serverEnv, type Team } from '../support/server.ts';
import { startTcpBalancer, type TcpBalancer } from '../support/tcp-balancer.ts';
import { Arrivals } from './arrivals.ts';
import { ownCluster, socketUrl } from './own-cluster.ts';
import { type ServerProcess, serverProcess } from './server-process.ts';

/** A machine that runs `pushctl serve`, one process after the other. */
export interface Machine {
  readonly name: string;
  readonly env: Env;
  readonly process: ServerProcess;
  /** A new process, of this version or another. Resolves once it listens. */
  start(main?: string): Promise<void>;
}

/** Some machines over one database and one sandbox, behind a balancer. */
export interface Machines {
  readonly sandbox: Sandbox;
  readonly arrivals: Arrivals;
  readonly balancer: TcpBalancer;
  readonly all: readonly [Machine, Machine, ...Machine[]];
  rows(statement: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Through the socket of that machine. */
  teamOn(machine: Machine): Promise<Team>;
}

/** `envOf`: what a machine has beside the others' settings. `settings`: the database's. */
export async function machines(
  opened: Resources,
  names: readonly string[],
  envOf: (name: string) => Env = () => ({}),
  settings: Settings = {},
): Promise<Machines> {
  const cluster = await ownCluster(opened, settings);
  const sandbox = opened.add(await startSandbox({ record: 'count' }));
  const arrivals = new Arrivals();
  sandbox.onPush((push) => arrivals.take(push));
  const balancer = opened.add(await startTcpBalancer());
  const url = socketUrl(cluster);
  const common = await serverEnv(sandbox, { PUSHCTL_STORE_URL: url });
  const urls = new Map<string, string>();

  async function machine(name: string): Promise<Machine> {
    const env = { ...common, PUSHCTL_DATA_DIR: temporaryFolder(), PUSHCTL_STORE_NODE: name, ...envOf(name) };
    let process: ServerProcess;
    const start = async (main?: string) => {
      process = serverProcess(opened, env, main);
      urls.set(name, await process.url);
      balancer.leadTo([...urls.values()]);
    };
    await start();
    return {
      name,
      env,
      start,
      get process() {
        return process;
      },
    };
  }

  const client = new pg.Client({ connectionString: url }).on('error', () => {});
  await client.connect();
  opened.onEnd(() => client.end());
  const all: Machine[] = [];
  // The first makes the tables.
  for (const name of names) all.push(await machine(name));
  return {
    sandbox,
    arrivals,
    balancer,
    all: all as [Machine, Machine, ...Machine[]],
    rows: async (statement) => (await client.query(statement)).rows,
    teamOn: async ({ name, env }) => opened.add(await aTeam(env, urls.get(name) ?? '')),
  };
}

/** Public ids of the events of a workspace that are stored. */
export async function storedIn({ rows }: Pick<Machines, 'rows'>, workspace: string): Promise<ReadonlySet<string>> {
  const found = await rows(`
    SELECT encode(uuid, 'hex') AS uuid FROM event JOIN workspace ON workspace.id = event.workspace_id
    WHERE workspace.slug = '${workspace}'`);
  return new Set(found.map(({ uuid }) => publicIdOf(String(uuid))));
}

export async function usageOf({ rows }: Pick<Machines, 'rows'>, workspace: string): Promise<number> {
  const [found] = await rows(`
    SELECT coalesce(sum(events), 0)::int AS events FROM usage JOIN workspace ON workspace.id = usage.workspace_id
    WHERE workspace.slug = '${workspace}'`);
  return Number(found?.events);
}

/** Fan-outs and deliveries that are not at their end. */
export async function openIn({ rows }: Pick<Machines, 'rows'>): Promise<number> {
  const [found] = await rows(`
    SELECT (SELECT count(*)::int FROM fan_out) + (SELECT count(*)::int FROM delivery WHERE state = 'pending') AS open`);
  return Number(found?.open);
}

/** The versions of the living nodes of this name, as the database knows them. */
export async function nodesCalled({ rows }: Pick<Machines, 'rows'>, name: string): Promise<readonly string[]> {
  return (await rows(`SELECT version FROM node WHERE name = '${name}'`)).map(({ version }) => String(version));
}
