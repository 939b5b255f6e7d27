import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { publicIdOf } from '../../src/contract/public-id.ts';
import { IN_FLIGHT_A_THREAD } from '../../src/delivery/limits.ts';
import { packageVersion } from '../../src/process/package.ts';
import type { Route } from '../../src/push.ts';
import type { StoreClient } from '../../src/store/calls.ts';
import { socketPath } from '../../src/store/data-folder.ts';
import { connectSocket } from '../../src/store/transports/socket-client.ts';
import { Resources } from '../support/resources.ts';
import { type Sandbox, startSandbox } from '../support/sandbox/start.ts';
import type { TokenRequest } from '../support/sandbox/tokens.ts';
import { aTeam, type Env, serverEnv } from '../support/server.ts';
import { until } from '../support/until.ts';
import { Arrivals } from './arrivals.ts';
import { Load } from './load.ts';
import { type ServerProcess, serverProcess } from './server-process.ts';

export interface CrashOptions {
  readonly rounds: number;
  /** How each round ends: `SIGKILL` a crash, `SIGTERM` a graceful stop. */
  readonly signal: 'SIGKILL' | 'SIGTERM';
  /** Whether the providers answer every second push with a 503 in every second round. */
  readonly flapping: boolean;
}

export interface CrashReport extends CrashOptions {
  /** Answered with 202 or 200. */
  readonly acknowledged: number;
  /** In the database, with those whose answer was lost. */
  readonly stored: number;
  readonly usage: number;
  /** Pushes that were promised: stored events times devices. */
  readonly promised: number;
  /** Acknowledged events that are not stored, and promised pushes that never arrived. */
  readonly lost: number;
  readonly duplicates: number;
  /** The most that the rounds may have sent twice. */
  readonly duplicatesBound: number;
  /** Faults of other kinds, in words. */
  readonly wrong: readonly string[];
}

const THREADS = 1;
/** The targets of the events. `busy`: the provider's word for its 503, by which it asks for no wait. */
const ROUTES: readonly {
  readonly route: Route;
  readonly devices: number;
  readonly device: TokenRequest;
  readonly busy: string;
}[] = [
  { route: 'apns_production', devices: 6, device: { platform: 'ios' }, busy: 'ServiceUnavailable' },
  {
    route: 'apns_sandbox',
    devices: 2,
    device: { platform: 'ios', environment: 'sandbox' },
    busy: 'ServiceUnavailable',
  },
  { route: 'fcm', devices: 4, device: { platform: 'android' }, busy: 'UNAVAILABLE' },
  {
    route: 'webpush_google',
    devices: 2,
    device: { platform: 'web', service: 'webpush_google' },
    busy: 'Service unavailable',
  },
  {
    route: 'webpush_apple',
    devices: 2,
    device: { platform: 'web', service: 'webpush_apple' },
    busy: 'ServiceUnavailable',
  },
];
const ROUND_MS = { least: 100, most: 900 };
const DRAINS_WITHIN_MS = 60_000;

/**
 * Lets a server work under load, ends it at a random moment, and starts it again. In the end it compares the arrivals
 * with the promises.
 */
export async function runCrash(options: CrashOptions): Promise<CrashReport> {
  await using opened = new Resources();
  const sandbox = opened.add(await startSandbox({ record: 'count' }));
  const arrivals = new Arrivals();
  sandbox.onPush((push) => arrivals.take(push));
  const env = await serverEnv(sandbox, { PUSHCTL_DELIVERY_THREADS: String(THREADS) });
  const wrong: string[] = [];
  const { load, tokens } = await prepare(opened, sandbox, env);
  for (let round = 1; round <= options.rounds; round += 1) {
    if (options.flapping && round % 2 === 0) flap(sandbox);
    else sandbox.behaveWell();
    const exitCode = await (options.signal === 'SIGKILL' && round % 5 === 0
      ? earlyRound(opened, env)
      : oneRound(opened, env, load, options.signal));
    if (options.signal === 'SIGTERM' && exitCode !== 0) wrong.push(`round ${round} ended with ${exitCode}`);
  }
  sandbox.behaveWell();
  await finish(opened, env, load);
  for (const key of load.torn) wrong.push(`${key} was answered with two events`);
  if (arrivals.strangers.length > 0) wrong.push(`${arrivals.strangers.length} pushes that replace no copy`);
  return { ...options, ...compare(env, load, arrivals, tokens, options.rounds, wrong), wrong };
}

/** Nothing lost, nothing wrong, and no more sent twice than was on its way; after graceful stops nothing at all. */
export function isGood({ lost, duplicates, duplicatesBound, stored, usage, signal, wrong }: CrashReport): boolean {
  const most = signal === 'SIGTERM' ? 0 : duplicatesBound;
  return lost === 0 && usage === stored && wrong.length === 0 && duplicates <= most;
}

export function inOneLine(report: CrashReport): string {
  const { rounds, signal, acknowledged, promised, lost, duplicates, duplicatesBound, stored, usage, wrong } = report;
  const end = signal === 'SIGKILL' ? 'kill -9' : 'SIGTERM';
  const counted = usage === stored ? 'usage exact' : `usage ${usage} for ${stored} events`;
  const words = `${rounds} rounds (${end}), ${acknowledged} events acknowledged, ${promised} pushes promised`;
  const result = `${lost} lost, ${duplicates} sent twice (at most ${duplicatesBound}), ${counted}`;
  return [`${words}: ${result}`, ...wrong].join('; ');
}

async function prepare(
  opened: Resources,
  sandbox: Sandbox,
  env: Env,
): Promise<{ load: Load; tokens: readonly string[] }> {
  const server = serverProcess(opened, env);
  const team = opened.add(await aTeam(env, await server.url));
  // Browsers take pushes that are signed with this key alone: one that a crash has changed would lose them all.
  const { public_key: vapidKey } = await team.store.showWebPushKey({});
  const tokens: string[] = [];
  for (const { devices, device } of ROUTES) {
    const request = { ...device, ...(device.platform === 'web' && { vapidKey }) };
    for (let n = 0; n < devices; n += 1) tokens.push((await team.addDevice(sandbox, request)).token);
  }
  await team.close();
  await server.end('SIGTERM');
  return { load: new Load(team.key), tokens };
}

/** Killed while it is still starting, or just after. */
async function earlyRound(opened: Resources, env: Env): Promise<null> {
  const server = serverProcess(opened, env);
  await pause(Math.random() * ROUND_MS.most);
  await server.end('SIGKILL');
  return null;
}

async function oneRound(
  opened: Resources,
  env: Env,
  load: Load,
  signal: CrashOptions['signal'],
): Promise<number | null> {
  const server = serverProcess(opened, env);
  const url = await server.url;
  const stopPosting = new AbortController();
  const before = load.acknowledged.size;
  const posting = load.run(url, stopPosting.signal);
  await until('a first event is taken', () => load.acknowledged.size > before || load.acknowledged.size);
  await pause(ROUND_MS.least + Math.random() * (ROUND_MS.most - ROUND_MS.least));
  const exitCode = await server.end(signal);
  stopPosting.abort();
  await posting;
  return exitCode;
}

function flap(sandbox: Sandbox): void {
  for (const { route, busy } of ROUTES) {
    sandbox.behave({
      match: { endpoint: route },
      answer: { kind: 'alternate', answers: [{ kind: 'refuse', reason: busy }, { kind: 'accept' }] },
    });
  }
}

/** A last server sends all that is left, and stops. */
async function finish(opened: Resources, env: Env, load: Load): Promise<void> {
  const server: ServerProcess = serverProcess(opened, env);
  const url = await server.url;
  await load.finish(url);
  const team = opened.add(await reconnect(env));
  await until('the queue is empty', () => isEmpty(team), DRAINS_WITHIN_MS);
  await team.close();
  await server.end('SIGTERM');
}

async function reconnect(env: Env): Promise<StoreClient> {
  const store = await connectSocket({ path: socketPath(String(env.PUSHCTL_DATA_DIR)), version: packageVersion() });
  if (!store) throw new Error('no server behind the socket');
  return store;
}

/** Otherwise returns what is in it. */
async function isEmpty(store: StoreClient): Promise<true | readonly unknown[]> {
  const depths = (await store.queueDepth({})).filter(({ waiting, deferred }) => waiting + deferred > 0);
  return depths.length === 0 || depths;
}

function compare(
  env: Env,
  load: Load,
  arrivals: Arrivals,
  tokens: readonly string[],
  rounds: number,
  wrong: string[],
): Omit<CrashReport, keyof CrashOptions | 'wrong'> {
  const { events, usage } = readDatabase(env);
  const missing = [...load.acknowledged.keys()].filter((publicId) => !events.has(publicId)).length;
  let lost = missing;
  for (const event of events) for (const token of tokens) if (arrivals.copies(event, token) === 0) lost += 1;
  const unexpected = events.size - (load.acknowledged.size - missing);
  if (unexpected > load.unknown) wrong.push(`${unexpected} events stored that no client had an answer for`);
  const inFlight = THREADS * ROUTES.length * (IN_FLIGHT_A_THREAD.urgent + IN_FLIGHT_A_THREAD.standard);
  return {
    acknowledged: load.acknowledged.size,
    stored: events.size,
    usage,
    promised: events.size * tokens.length,
    lost,
    duplicates: arrivals.duplicates,
    duplicatesBound: rounds * inFlight,
  };
}

function readDatabase(env: Env): { events: ReadonlySet<string>; usage: number } {
  const db = new Database(join(String(env.PUSHCTL_DATA_DIR), 'pushctl.db'), { readonly: true });
  const uuids = db.prepare<[], Buffer>('SELECT uuid FROM event').pluck().all();
  const usage = Number(db.prepare('SELECT sum(events) FROM usage').pluck().get());
  db.close();
  return { events: new Set(uuids.map((uuid) => publicIdOf(uuid.toString('hex')))), usage };
}
