import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageVersion } from '../../src/process/package.ts';
import type { StoreClient } from '../../src/store/calls.ts';
import { socketPath } from '../../src/store/data-folder.ts';
import { connectSocket } from '../../src/store/transports/socket-client.ts';
import { freePort } from '../support/free-port.ts';
import { asEnv, type Env } from '../support/server.ts';
import { coldStart } from './cold-start.ts';
import { type Cores, pin } from './cores.ts';
import { type BenchChannel, type Fixture, makeFixture } from './fixture.ts';
import { Child, type ChildOptions } from './processes/child.ts';
import type { Handlers } from './processes/handlers.ts';
import type { LoadHandlers } from './processes/load.ts';
import type { Target } from './processes/poster.ts';
import type { SandboxHandlers } from './processes/sandbox.ts';
import type { ServerHandlers } from './processes/server.ts';

export interface Server {
  readonly process: Child<ServerHandlers>;
  readonly url: string;
}

export interface ServerChoice {
  /** `devices`: more than 100,000 of them; `none`: no file of ours, as the store is elsewhere. */
  readonly database: 'empty' | 'devices' | 'none';
  readonly threads?: number;
  /** Without, the providers' keys are missing: pushes wait in the queue, and only ingest is at work. */
  readonly sends: boolean;
  readonly env?: Env;
  /** Beside those that a server is started with. */
  readonly nodeOptions?: readonly string[];
}

/** The place of a part of the benchmark: its folder, its processes, its data. `close` removes all of it. */
export class Site {
  readonly folder = mkdtempSync(join(tmpdir(), 'pushctl-bench-'));
  readonly #children: { kill(): Promise<void> }[] = [];
  readonly #removeFolder = (): void => rmSync(this.folder, { recursive: true, force: true });
  #fixture: Fixture | null = null;
  #folders = 0;
  readonly #cores: Cores | null;

  constructor({ cores = null }: { readonly cores?: Cores | null } = {}) {
    this.#cores = cores;
    process.on('exit', this.#removeFolder);
    if (cores !== null) pin(process.pid, cores.clients);
  }

  /** A process that ends with the site at the latest. */
  async start<V extends Handlers>(name: string, options?: ChildOptions): Promise<Child<V>> {
    const core = this.#cores?.[name === 'server' ? 'server' : 'clients'];
    const child = await Child.start<V>(name, { ...options, ...(core !== undefined && { core }) });
    this.#children.push(child);
    return child;
  }

  startSandbox(): Promise<Child<SandboxHandlers>> {
    return this.start<SandboxHandlers>('sandbox');
  }

  /** A server with a folder of its own. */
  async startServer(choice: ServerChoice, sandbox?: Child<SandboxHandlers>): Promise<Server> {
    return this.startServerIn(await this.dataFolder(choice.database), choice, sandbox);
  }

  async startServerIn(
    dataDir: string,
    choice: Omit<ServerChoice, 'database'>,
    sandbox?: Child<SandboxHandlers>,
  ): Promise<Server> {
    const env = { ...launcherEnv(), ...(await this.#settings(dataDir, choice, sandbox)) };
    const process = await this.start<ServerHandlers>('server', {
      env,
      nodeOptions: [...launcherFlags(), ...profiler(), ...(choice.nodeOptions ?? [])],
      ...(profiler().length > 0 && { lastCall: 'exit' }),
    });
    return { process, url: await process.ask('url', undefined) };
  }

  /** Starts the program as people do. Returns the time until it takes events, and ends it. */
  async startProgram(dataDir: string, choice: Omit<ServerChoice, 'database'>, sandbox?: Child<SandboxHandlers>) {
    const PUSHCTL_LISTEN = `127.0.0.1:${await freePort()}`;
    return coldStart({ ...(await this.#settings(dataDir, choice, sandbox)), PUSHCTL_LISTEN });
  }

  /** The calls of a server that runs on this data folder, by its socket. */
  async storeIn(dataDir: string): Promise<StoreClient> {
    const store = await connectSocket({ path: socketPath(dataDir), version: packageVersion() });
    if (store === null) throw new Error('the server has no socket');
    return store;
  }

  /** Connections to a server, ready to post to `channel`. */
  async openLoad(
    url: string,
    channel: BenchChannel,
    connections: number,
    more: Partial<Target> = {},
  ): Promise<Child<LoadHandlers>> {
    const load = await this.start<LoadHandlers>('load');
    await load.ask('open', { url, apiKey: (await this.fixture()).apiKey, channel, connections, ...more });
    return load;
  }

  /** A copy of the fixture's data folder. */
  async dataFolder(database: ServerChoice['database']): Promise<string> {
    const fixture = await this.fixture();
    this.#folders += 1;
    const dataDir = join(this.folder, `data-${this.#folders}`);
    mkdirSync(dataDir, { mode: 0o700 });
    if (database === 'none') return dataDir;
    copyFileSync(
      join(database === 'empty' ? fixture.emptyDir : fixture.devicesDir, 'pushctl.db'),
      join(dataDir, 'pushctl.db'),
    );
    return dataDir;
  }

  async fixture(): Promise<Fixture> {
    this.#fixture ??= await makeFixture(this.folder);
    return this.#fixture;
  }

  async close(): Promise<void> {
    for (let child = this.#children.pop(); child; child = this.#children.pop()) await child.kill();
    this.#removeFolder();
    process.off('exit', this.#removeFolder);
  }

  async #settings(
    dataDir: string,
    choice: Omit<ServerChoice, 'database'>,
    sandbox: Child<SandboxHandlers> | undefined,
  ): Promise<Env> {
    return {
      PUSHCTL_DATA_DIR: dataDir,
      PUSHCTL_LISTEN: '127.0.0.1:0',
      PUSHCTL_LIMITS_BURST_PER_MINUTE: '1000000',
      ...(choice.threads && { PUSHCTL_DELIVERY_THREADS: String(choice.threads) }),
      ...(await this.#providers(choice.sends, sandbox)),
      ...choice.env,
    };
  }

  async #providers(sends: boolean, sandbox: Child<SandboxHandlers> | undefined): Promise<Env> {
    if (sandbox) {
      const settings = await sandbox.ask('writeCredentials', join(this.folder, 'credentials'));
      return { ...asEnv(settings), PUSHCTL_FCM_PER_MINUTE: '1000000' };
    }
    if (sends) throw new Error('a server that sends needs a sandbox');
    return {
      PUSHCTL_APNS_KEY_FILE: join(this.folder, 'no-such-key.p8'),
      PUSHCTL_APNS_KEY_ID: 'AAAAAAAAAA',
      PUSHCTL_APNS_TEAM_ID: 'BBBBBBBBBB',
      PUSHCTL_APNS_TOPIC: 'com.example.pushctl',
    };
  }
}

/** The flags of bin/pushctl for Node, so that the measured server is the one that people run. */
function launcherFlags(): readonly string[] {
  const [[, flags = '']] = inLauncher(/^ *flags='([^']*)'$/gm);
  return flags.split(/\s+/);
}

function launcherEnv(): Env {
  return Object.fromEntries(inLauncher(/^ *export (\w+)=(\w+)$/gm).map(([, name, value]) => [name, value]));
}

function inLauncher(pattern: RegExp): readonly [RegExpExecArray, ...RegExpExecArray[]] {
  const launcher = readFileSync(join(import.meta.dirname, '..', '..', '..', 'bin', 'pushctl'), 'utf8');
  const [first, ...others] = launcher.matchAll(pattern);
  if (first === undefined) throw new Error('bin/pushctl does not say what it starts Node with');
  return [first, ...others];
}

/** `BENCH_PROFILE=folder npm run bench -- ingest` leaves a CPU profile of every thread of the servers there. */
function profiler(): readonly string[] {
  const folder = process.env.BENCH_PROFILE;
  return folder ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : [];
}
