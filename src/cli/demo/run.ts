import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Config } from '../../config/config.ts';
import { loadConfig } from '../../config/load.ts';
import { listSettings, readConfigSchema } from '../../config/settings.ts';
import { lookUp, type Table, toText } from '../../config/sources.ts';
import { makeFolder } from '../../files/write.ts';
import { PortTaken } from '../../http/listeners/listener.ts';
import { packageVersion } from '../../process/package.ts';
import { OperatorProblem } from '../../process/problem.ts';
import type { EventRecord } from '../../push.ts';
import type { SandboxSettings } from '../../sandbox/credentials.ts';
import type { Push } from '../../sandbox/journal.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { Closers } from '../../server/closers.ts';
import { startServer } from '../../server/server.ts';
import type { StoreClient } from '../../store/calls.ts';
import { openSandbox } from '../open-sandbox.ts';
import { openStoreOf } from '../store.ts';
import {
  curlOf,
  FIRST,
  FOR_BROWSERS,
  listBrowsers,
  makeSignInLink,
  postToDemo,
  prepareWorkspace,
  watchBrowsers,
} from './contents.ts';

/** Arrivals take seconds on busy machines; after this none comes. */
const ARRIVAL_DEADLINE_MS = 60_000;

/** Only Apple rejects this contact. */
const REAL_PUSH_SERVICES = { contact: 'mailto:demo@example.com' };

export interface DemoOutput {
  /** Prints a line that stays. */
  say(line: string): void;
  posted(event: EventRecord): void;
  arrived(push: Push): void;
}

interface Demo {
  stop(): Promise<void>;
}

interface DemoOptions {
  readonly folder: string;
  readonly port: number;
  /** Web Push settings; default: the vendors' services, as browsers are real. */
  readonly webpush?: SandboxSettings['webpush'];
}

/**
 * Runs pushctl in one process, with the sandbox as Apple and Google. Browsers that sign in become devices and get an
 * event.
 */
export async function startDemo(options: DemoOptions, output: DemoOutput): Promise<Demo> {
  const { folder } = options;
  const closers = new Closers();
  makeFolder(folder);
  try {
    const { sandbox, settings } = await openSandbox(join(folder, 'sandbox'), {
      firstPort: 0,
      acceptUnknownTokens: false,
    });
    closers.add(() => sandbox.close());
    sandbox.onPush(output.arrived);
    const configOf = (port: number) =>
      demoConfig(folder, port, { ...settings, webpush: options.webpush ?? REAL_PUSH_SERVICES });
    const log = pino({ level: 'fatal' }, pino.destination(2));
    const serve = (port: number) => startServer(configOf(port), { version: packageVersion(), log });
    const server = await onFreePort(options.port, serve, output.say);
    closers.add(() => server.stop());
    const store = await openStoreOf(configOf(options.port));
    closers.add(() => store.close());
    const key = await prepareWorkspace(store, sandbox, folder);
    const api = { baseUrl: `${server.url}/api`, key };
    await watch(store, closers, async () => output.posted(await postToDemo(api, FOR_BROWSERS)));
    output.say(`Data folder  ${folder}`);
    output.say(`API          ${api.baseUrl}`);
    output.say(`\nReceive alerts in this machine's browser (the link works once, for 15 minutes):\n`);
    output.say(await makeSignInLink(store, api.baseUrl));
    output.say(`\nSend an event of your own:\n\n${curlOf(api)}\n`);
    output.say('Ctrl-C ends the demo. Here comes the first event:\n');
    const first = await postToDemo(api, FIRST);
    output.posted(first);
    await arrivesAtBoth(first, sandbox);
    return { stop: () => closers.closeAll() };
  } catch (error) {
    await closers.closeAll().catch(() => {}); // the first error is the cause
    throw error;
  }
}

async function watch(store: StoreClient, closers: Closers, onNew: () => Promise<void>): Promise<void> {
  const end = new AbortController();
  const watching = watchBrowsers(store, await listBrowsers(store), onNew, end.signal);
  watching.catch(() => {}); // it is reported at the end
  closers.add(() => {
    end.abort();
    return watching;
  });
}

/** Returns the demo's settings, ignoring the operator's file and environment. */
function demoConfig(folder: string, port: number, values: Table): Config {
  const env = Object.fromEntries(
    listSettings(readConfigSchema()).map(({ path, variable }) => {
      const value = lookUp(values, path);
      return [variable, value === undefined ? undefined : toText(value)];
    }),
  );
  return loadConfig({
    env: { ...env, PUSHCTL_LISTEN: `127.0.0.1:${port}`, PUSHCTL_DELIVERY_THREADS: '1' },
    file: null,
    dataDir: folder,
  });
}

async function arrivesAtBoth(event: EventRecord, sandbox: Sandbox): Promise<void> {
  const fits = (route: string) =>
    sandbox.waitForPush(
      (push) => push.endpoint === route && JSON.stringify(push.payload).includes(event.public_id),
      ARRIVAL_DEADLINE_MS,
    );
  try {
    await Promise.all([fits('apns_sandbox'), fits('fcm')]);
  } catch (error) {
    const what = `waited ${ARRIVAL_DEADLINE_MS / 1_000} seconds for the first event to arrive: ${(error as Error).message}.`;
    throw new OperatorProblem(what, 1, {
      advice: 'The machine is too busy. Stop other programs, then start the demo again.',
    });
  }
}

const TRIES = 100;

/**
 * Starts a listener on the first free loopback port from `wanted` on, and reports taken ports to `say`. If `start`
 * rejects with `PortTaken`, the next port is tried. 0: any free port, found before the start, since links name it.
 */
export async function onFreePort<T>(
  wanted: number,
  start: (port: number) => Promise<T>,
  say: (line: string) => void,
): Promise<T> {
  const first = wanted === 0 ? ((await freePort(0)) ?? 0) : wanted;
  for (let port = first; port < first + TRIES && port <= 65_535; port += 1) {
    const started = (await freePort(port)) !== null ? await unlessTaken(start(port)) : null;
    if (started !== null) return started;
    say(`Port ${port} is taken, trying ${port + 1}.`);
  }
  throw new OperatorProblem(`no free port from ${wanted} on`, 1, { advice: 'choose another with --port' });
}

async function unlessTaken<T>(started: Promise<T>): Promise<T | null> {
  try {
    return await started;
  } catch (error) {
    if (error instanceof PortTaken) return null;
    throw error;
  }
}

/** Returns `port`, or any free one for 0; null: taken. */
async function freePort(port: number): Promise<number | null> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } catch (error) {
    if (['EADDRINUSE', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  } finally {
    server.close();
  }
}
