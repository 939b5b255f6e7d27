import { pin, separateCores } from '../cores.ts';
import { DEVICES } from '../fixture.ts';
import { type Line, line, ratio, type Skipped } from '../lines.ts';
import { limitMachine } from '../machine-limit.ts';
import type { Child } from '../processes/child.ts';
import type { LoadHandlers } from '../processes/load.ts';
import type { SandboxHandlers } from '../processes/sandbox.ts';
import type { Server, Site } from '../site.ts';
import { alternate } from '../slices.ts';

const CONNECTIONS = 64;
const SLICES = 5;
const BURST = 2_000;
const MB = 1024 * 1024;
/** The smallest machine for rent. */
const SMALLEST = { cores: 0.5, memoryBytes: 384 * MB };
const CALM = { perSecond: 10, ms: 3_000 };

/** Measures servers on machines with few cores: the threads share what there is. */
export async function smallMachine(site: Site): Promise<(Line | Skipped)[]> {
  return [...(await onOneCore(site)), ...(await onTheSmallest(site))];
}

async function onOneCore(site: Site): Promise<(Line | Skipped)[]> {
  const cores = separateCores();
  if (typeof cores === 'string') return [{ what: 'a server on one core', because: cores }];
  const sandbox = await site.startSandbox();
  const [pinned, free] = [await aServer(site, sandbox), await aServer(site, sandbox)];
  pin(pinned.server.process.pid, cores.server);
  const sent = await alternate({ pinned: () => sentPerSecond(pinned), free: () => sentPerSecond(free) }, SLICES);
  for (const { server } of [pinned, free]) await server.process.kill();
  return [
    ratio('one core: events a second with one device, until the last push arrives', 'events/s', sent.pinned, [
      'all cores',
      sent.free,
    ]),
  ];
}

async function onTheSmallest(site: Site): Promise<(Line | Skipped)[]> {
  const { cores, memoryBytes } = SMALLEST;
  const terms = `${cores} of a core, ${memoryBytes / MB} MB`;
  const small = await aServer(site, await site.startSandbox());
  const undo = limitMachine(small.server.process.pid, SMALLEST);
  if (undo === null) return [{ what: terms, because: 'it takes root, and control groups' }];
  const sent: number[] = [];
  for (let slice = -1; slice < SLICES; slice += 1) {
    const perSecond = await sentPerSecond(small);
    if (slice >= 0) sent.push(perSecond);
  }
  const calm = await small.load.ask('run', CALM);
  const crowd = await site.openLoad(small.server.url, 'apns', 1);
  await small.sandbox.ask('mark', undefined);
  const { sentMs } = await crowd.ask('postOne', undefined);
  const { lastMs } = await small.sandbox.ask('reach', DEVICES.apns);
  const { residentBytes } = await small.server.process.usage();
  undo();
  await small.server.process.kill();
  return [
    line(`${terms}: events a second with one device, until the last push arrives`, '/s', sent),
    line(`${terms}: POST of an event at ${CALM.perSecond} a second, p99`, 'ms', [calm.p99Ms]),
    line(`${terms}: an event for ${DEVICES.apns} devices, until the last push arrives`, 's', [
      (lastMs - sentMs) / 1000,
    ]),
    line(`${terms}: resident memory after it`, 'MB', [residentBytes / MB]),
  ];
}

interface Loaded {
  readonly server: Server;
  readonly sandbox: Child<SandboxHandlers>;
  readonly load: Child<LoadHandlers>;
}

async function aServer(site: Site, sandbox: Child<SandboxHandlers>): Promise<Loaded> {
  const server = await site.startServer({ database: 'devices', sends: true }, sandbox);
  return { server, sandbox, load: await site.openLoad(server.url, 'single', CONNECTIONS) };
}

async function sentPerSecond({ sandbox, load }: Loaded): Promise<number> {
  await sandbox.ask('mark', undefined);
  const startMs = performance.now();
  await load.ask('postMany', BURST);
  await sandbox.ask('reach', BURST);
  return (BURST * 1_000) / (performance.now() - startMs);
}
