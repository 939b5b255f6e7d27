import { DEVICES } from '../fixture.ts';
import { type Line, line, ratio } from '../lines.ts';
import type { Child } from '../processes/child.ts';
import type { LoadHandlers } from '../processes/load.ts';
import type { SandboxHandlers } from '../processes/sandbox.ts';
import type { Site } from '../site.ts';
import { SLICES } from '../slices.ts';
import { quantile } from '../statistics.ts';
import { watched } from '../watched.ts';

const LOAD_MS = 1_000;
const MB = 1024 * 1024;

interface FanOut {
  readonly quietP99Ms: number;
  readonly busyP99Ms: number;
  readonly urgentP99Ms: number;
  readonly urgents: number;
  readonly longestBlockMs: number;
  readonly residentMb: number;
  readonly perSecond: number;
}

/** Measures the rest of the server while one event goes out to 100,000 devices. */
export async function fanOut(site: Site): Promise<Line[]> {
  const sandbox = await site.startSandbox();
  const server = await site.startServer({ database: 'devices', sends: true }, sandbox);
  const many = await site.openLoad(server.url, 'quiet', 64);
  const crowd = await site.openLoad(server.url, 'crowd', 1);
  const urgent = await site.openLoad(server.url, 'single', 1, { urgency: 'time_sensitive' });
  const rounds: FanOut[] = [];
  for (let slice = 0; slice < SLICES; slice += 1) rounds.push(await round());
  const of = (name: keyof FanOut) => rounds.map((round) => round[name]);
  const during = 'during a fan-out to 100,000 devices';
  return [
    line(`longest block of the HTTP thread ${during}`, 'ms', of('longestBlockMs'), {
      want: { atMost: 25 },
      raw: { 'pushes/s': of('perSecond') },
    }),
    ratio(`ingest p99 ${during}`, 'p99 ms', of('busyP99Ms'), ['without', of('quietP99Ms')], { want: { atMost: 2 } }),
    line(`urgent event for one device ${during}: 202 to arrival, p99`, 'ms', of('urgentP99Ms'), {
      want: { atMost: 100 },
      raw: { 'urgent events': of('urgents') },
    }),
    line(`resident memory ${during}`, 'MB', of('residentMb'), { want: { atMost: 280 } }),
  ];

  async function round(): Promise<FanOut> {
    const quiet = await many.ask('run', { ms: LOAD_MS });
    await sandbox.ask('mark', undefined);
    await server.process.ask('longestBlockMs', undefined);
    const { result, peakBytes } = await watched(server, fanningOut());
    const { busy, urgentMs, firstMs, lastMs } = result;
    return {
      quietP99Ms: quiet.p99Ms,
      busyP99Ms: busy.p99Ms,
      urgentP99Ms: quantile(urgentMs, 0.99),
      urgents: urgentMs.length,
      longestBlockMs: await server.process.ask('longestBlockMs', undefined),
      residentMb: peakBytes / MB,
      perSecond: (DEVICES.crowd * 1000) / (lastMs - firstMs),
    };
  }

  async function fanningOut() {
    await crowd.ask('postOne', undefined);
    const done = sandbox.ask('reach', DEVICES.crowd);
    const busy = await many.ask('run', { ms: LOAD_MS });
    return { busy, urgentMs: await urgents(sandbox, urgent), ...(await done) };
  }
}

/**
 * One after the other, for as long as the fan-out has a good part left. Answers each one's time from its 202 to its
 * arrival.
 */
async function urgents(sandbox: Child<SandboxHandlers>, load: Child<LoadHandlers>): Promise<number[]> {
  const tookMs: number[] = [];
  while ((await sandbox.ask('counted', undefined)) < 0.95 * DEVICES.crowd) {
    const { sentMs, tookMs: answeredMs, publicId } = await load.ask('postOne', undefined);
    const arrivedMs = await sandbox.ask('arrival', publicId);
    tookMs.push(Math.max(0, arrivedMs - sentMs - answeredMs));
  }
  return tookMs;
}
