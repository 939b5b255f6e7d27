import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DEVICES } from '../fixture.ts';
import { type Line, line, ratio } from '../lines.ts';
import type { Child } from '../processes/child.ts';
import type { Usage } from '../processes/handlers.ts';
import type { LoadHandlers } from '../processes/load.ts';
import type { Target } from '../processes/poster.ts';
import type { RelayHandlers } from '../processes/relay.ts';
import type { SandboxHandlers } from '../processes/sandbox.ts';
import type { Site } from '../site.ts';
import { alternate } from '../slices.ts';
import { quantile } from '../statistics.ts';

const CONNECTIONS = 64;
const STORED_MS = 1_500;
const BURST = 5_000;
const SLOW = { perSecond: 100, ms: 3_000 };
const FAR_MS = 50;
/** The record of the sent pushes is complete by then. */
const SETTLED_MS = 500;

/** One of the servers that are compared. */
interface Side {
  readonly process: { usage(): Promise<Usage> };
  /** Its load, with connections of its own: a server ends those that are silent for as long as the other sides take. */
  readonly load: (channel: keyof typeof DEVICES, connections: number) => Promise<Child<LoadHandlers>>;
}

interface Sent {
  readonly perSecond: number;
  /** CPU of the whole process for an event, or for a push of a fan-out. */
  readonly cpuUs: number;
}

type Sides<T> = Readonly<Record<'ours' | 'theirs', readonly T[]>>;

interface Waited {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuUs: number;
}

/** All promises kept, beside a relay that keeps none. */
export async function relay(site: Site): Promise<Line[]> {
  const sandbox = await site.startSandbox();
  const server = await site.startServer({ database: 'devices', sends: true }, sandbox);
  const { apiKey, oneToken, apnsTokens } = await site.fixture();
  const process = await site.start<RelayHandlers>('relay');
  const devices = { single: [oneToken], team: apnsTokens.slice(0, DEVICES.team) };
  const url = await process.ask('open', { access: await sandbox.ask('access', undefined), devices });
  const ours = await sideOf(site, server.process, { url: server.url, apiKey });
  const theirs = await sideOf(site, process, { url, apiKey });

  const bothSides = <T>(measure: (sandbox: Child<SandboxHandlers>, side: Side) => Promise<T>) =>
    alternate({ ours: () => measure(sandbox, ours), theirs: () => measure(sandbox, theirs) });
  const small = await bothSides(events);
  const near = await bothSides(fanOut);
  await sandbox.ask('answerAfter', FAR_MS);
  const far = await bothSides(fanOut);
  await sandbox.ask('answerAfter', 0);
  const slow = await bothSides(steadily);
  const stored = await bothSides(storing);

  const theirName = 'a relay that pushes from memory';
  const compared = <K extends string>(
    what: string,
    measure: string,
    { ours, theirs }: Sides<Readonly<Record<K, number>>>,
    name: K,
    want: Line['want'],
  ) => ratio(what, measure, column(ours, name), [theirName, column(theirs, name)], want && { want });
  const syncMs = syncs(site.folder);
  const beyond = slow.ours.map(({ p50Ms }, slice) => p50Ms - (slow.theirs[slice]?.p50Ms ?? 0) - syncMs);
  const team = `an event for ${DEVICES.team} devices`;
  const cpuFor = 'CPU of the whole server for';
  const single = 'an event for one device';
  const paced = `one event, one device, ${SLOW.perSecond} a second`;
  return [
    compared(
      `events for one device, ${CONNECTIONS} connections, until their pushes have arrived`,
      '/s',
      small,
      'perSecond',
      {
        atLeast: 0.8,
      },
    ),
    compared(`${cpuFor} ${single}`, 'µs', small, 'cpuUs', { atMost: 1.8 }),
    compared(`${cpuFor} ${single}, ${SLOW.perSecond} a second`, 'µs', slow, 'cpuUs', { atMost: 3 }),
    compared(`pushes of ${team}, 0 ms from the provider`, '/s', near, 'perSecond', { atLeast: 0.95 }),
    compared(`pushes of ${team}, ${FAR_MS} ms from the provider`, '/s', far, 'perSecond', { atLeast: 0.95 }),
    compared(`${cpuFor} a push of ${team}`, 'µs', near, 'cpuUs', { atMost: 1.7 }),
    compared(`${paced}: POST to arrival, p50`, 'ms', slow, 'p50Ms', undefined),
    line(`${paced}: POST to arrival, p50, beyond the relay’s and one sync of the disk`, 'ms', beyond, {
      want: { atMost: 1.5 },
      raw: { 'a sync, ms': [syncMs] },
    }),
    compared(`${paced}: POST to arrival, p99`, 'ms', slow, 'p99Ms', undefined),
    line(`${cpuFor} an event that is stored, without devices`, 'µs', column(stored.ours, 'cpuUs'), {
      want: { atMost: 80 },
      raw: { 'relay, µs': column(stored.theirs, 'cpuUs') },
    }),
  ];
}

/** Returns the median time of a sync of 16 KB appended to a file, as a commit does, in ms. */
function syncs(folder: string): number {
  const file = openSync(join(folder, 'synced'), 'w');
  try {
    const times = Array.from({ length: 100 }, () => {
      writeSync(file, Buffer.alloc(16_384));
      const startedMs = performance.now();
      fdatasyncSync(file);
      return performance.now() - startedMs;
    });
    return quantile(times, 0.5);
  } finally {
    closeSync(file);
  }
}

/** Many events with one device each, as fast as they are taken, until the last push has arrived. */
async function events(sandbox: Child<SandboxHandlers>, { process, load }: Side): Promise<Sent> {
  const poster = await load('single', CONNECTIONS);
  return sending(sandbox, process, BURST, () => poster.ask('postMany', BURST));
}

/** One event for many devices, until the last push has arrived. */
async function fanOut(sandbox: Child<SandboxHandlers>, { process, load }: Side): Promise<Sent> {
  const team = await load('team', 1);
  return sending(sandbox, process, DEVICES.team, () => team.ask('postOne', undefined));
}

async function sending(
  sandbox: Child<SandboxHandlers>,
  process: Side['process'],
  count: number,
  post: () => Promise<unknown>,
): Promise<Sent> {
  await sandbox.ask('mark', undefined);
  const before = await process.usage();
  await post();
  const { firstMs, lastMs } = await sandbox.ask('reach', count);
  await pause(SETTLED_MS);
  return { perSecond: ((count - 1) * 1000) / (lastMs - firstMs), cpuUs: usedUs(before, await process.usage()) / count };
}

async function steadily(sandbox: Child<SandboxHandlers>, { process, load }: Side): Promise<Waited> {
  const poster = await load('single', CONNECTIONS);
  await sandbox.ask('mark', undefined);
  const before = await process.usage();
  const posted = await poster.ask('steadily', SLOW);
  await sandbox.ask('reach', posted.size);
  const arrived = await sandbox.ask('arrivals', undefined);
  const cpuUs = usedUs(before, await process.usage()) / posted.size;
  const waits = [...posted].map(([publicId, { sentMs }]) => (arrived.get(publicId) ?? Number.NaN) - sentMs);
  return { p50Ms: quantile(waits, 0.5), p99Ms: quantile(waits, 0.99), cpuUs };
}

async function sideOf(site: Site, process: Side['process'], target: Omit<Target, 'channel'>): Promise<Side> {
  const load = await site.start<LoadHandlers>('load');
  return {
    process,
    async load(channel, connections) {
      await load.ask('open', { ...target, channel, connections });
      return load;
    },
  };
}

/** Events without devices, as fast as they are taken. */
async function storing(_: unknown, { process, load }: Side): Promise<Sent> {
  const quiet = await load('quiet', CONNECTIONS);
  const before = await process.usage();
  const { count, perSecond } = await quiet.ask('run', { ms: STORED_MS });
  return { perSecond, cpuUs: usedUs(before, await process.usage()) / count };
}

function usedUs(before: Usage, after: Usage): number {
  return (after.cpuMs - before.cpuMs) * 1000;
}

function column<K extends string>(rows: readonly Readonly<Record<K, number>>[], name: K): number[] {
  return rows.map((row) => row[name]);
}
