import { setTimeout as pause } from 'node:timers/promises';
import { DEVICES } from '../fixture.ts';
import type { Line } from '../lines.ts';
import type { Child } from '../processes/child.ts';
import type { RelayHandlers } from '../processes/relay.ts';
import type { SandboxHandlers } from '../processes/sandbox.ts';
import { CONNECTIONS, column, type Sent, type Side, sideOf, storing, usedUs } from '../sides.ts';
import type { Site } from '../site.ts';
import { alternate } from '../slices.ts';
import { quantile, ratios } from '../statistics.ts';

const BURST = 5_000;
const SLOW = { perSecond: 100, ms: 3_000 };
const FAR_MS = 50;
/** What was sent is recorded by then. */
const SETTLED_MS = 500;

interface Waited {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** All promises kept, beside a relay that keeps none. */
export async function relay(site: Site): Promise<Line[]> {
  const sandbox = await site.startSandbox();
  const server = await site.startServer({ database: 'devices', sends: true }, sandbox);
  const { apiKey, oneToken, apnsTokens } = await site.fixture();
  const process = await site.start<RelayHandlers>('relay');
  const devices = { one: [oneToken], team: apnsTokens.slice(0, DEVICES.team) };
  const url = await process.ask('open', { access: await sandbox.ask('access', undefined), devices });
  const ours = await sideOf(site, server.process, { url: server.url, apiKey });
  const theirs = await sideOf(site, process, { url, apiKey });

  const small = await alternate({ ours: () => events(sandbox, ours), theirs: () => events(sandbox, theirs) });
  const near = await alternate({ ours: () => fanOut(sandbox, ours), theirs: () => fanOut(sandbox, theirs) });
  await sandbox.ask('answerAfter', FAR_MS);
  const far = await alternate({ ours: () => fanOut(sandbox, ours), theirs: () => fanOut(sandbox, theirs) });
  await sandbox.ask('answerAfter', 0);
  const slow = await alternate({ ours: () => steadily(sandbox, ours), theirs: () => steadily(sandbox, theirs) });
  const stored = await alternate({ ours: () => storing(ours), theirs: () => storing(theirs) });

  const against = 'a relay that pushes from memory';
  const rates = (what: string, of: Record<'ours' | 'theirs', readonly Sent[]>): Line => ({
    what,
    against,
    unit: '×',
    want: { atLeast: 0.9 },
    values: ratios(column(of.ours, 'perSecond'), column(of.theirs, 'perSecond')),
    raw: { '/s': column(of.ours, 'perSecond'), 'relay, /s': column(of.theirs, 'perSecond') },
  });
  const cpu = (what: string, of: Record<'ours' | 'theirs', readonly Sent[]>, atMost: number): Line => ({
    what: `CPU of the whole server for ${what}`,
    against: '',
    unit: 'µs',
    want: { atMost },
    values: column(of.ours, 'cpuUs'),
    raw: { 'relay, µs': column(of.theirs, 'cpuUs') },
  });
  const waits = (name: keyof Waited, atMost: number): Line => ({
    what: `one event, one device, ${SLOW.perSecond} a second: POST to arrival, ${name.slice(0, 3)}`,
    against: '',
    unit: 'ms',
    want: { atMost },
    values: column(slow.ours, name),
    raw: { 'relay, ms': column(slow.theirs, name) },
  });
  const team = `an event for ${DEVICES.team} devices`;
  return [
    rates(`events for one device a second, ${CONNECTIONS} connections, until their pushes have arrived`, small),
    cpu('an event for one device', small, 220),
    rates(`pushes a second of ${team}, 0 ms from the provider`, near),
    rates(`pushes a second of ${team}, ${FAR_MS} ms from the provider`, far),
    cpu(`a push of ${team}`, near, 75),
    waits('p50Ms', 3),
    waits('p99Ms', 6),
    cpu('an event that is stored, without devices', stored, 80),
  ];
}

/** Many events with one device each, as fast as they are taken, until the last push has arrived. */
async function events(sandbox: Child<SandboxHandlers>, { process, load }: Side): Promise<Sent> {
  const one = await load('one', CONNECTIONS);
  return sending(sandbox, process, BURST, () => one.ask('postMany', BURST));
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

async function steadily(sandbox: Child<SandboxHandlers>, { load }: Side): Promise<Waited> {
  const one = await load('one', CONNECTIONS);
  await sandbox.ask('mark', undefined);
  const posted = await one.ask('steadily', SLOW);
  await sandbox.ask('reach', posted.size);
  const arrived = await sandbox.ask('arrivals', undefined);
  const waits = [...posted].map(([publicId, { sentMs }]) => (arrived.get(publicId) ?? Number.NaN) - sentMs);
  return { p50Ms: quantile(waits, 0.5), p99Ms: quantile(waits, 0.99) };
}
