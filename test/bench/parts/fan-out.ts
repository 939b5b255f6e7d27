import { DEVICES } from '../fixture.ts';
import type { Line } from '../lines.ts';
import type { Child } from '../processes/child.ts';
import type { LoadHandlers } from '../processes/load.ts';
import type { SandboxHandlers } from '../processes/sandbox.ts';
import type { Site } from '../site.ts';
import { SLICES } from '../slices.ts';
import { quantile, ratios } from '../statistics.ts';

const LOAD_MS = 1_000;
const LOOK_EVERY_MS = 100;
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

/** What else the server can do while one event goes out to 100,000 devices. */
export async function fanOut(site: Site): Promise<Line[]> {
  const sandbox = await site.startSandbox();
  const server = await site.startServer({ database: 'devices', sends: true }, sandbox);
  const many = await site.openLoad(server.url, 'quiet', 64);
  const crowd = await site.openLoad(server.url, 'crowd', 1);
  const urgent = await site.openLoad(server.url, 'one', 1, { urgency: 'time_sensitive' });
  const rounds: FanOut[] = [];
  for (let slice = 0; slice < SLICES; slice += 1) rounds.push(await round());
  const of = (name: keyof FanOut) => rounds.map((each) => each[name]);
  const during = 'during a fan-out to 100,000 devices';
  return [
    {
      what: `longest block of the HTTP thread ${during}`,
      against: '',
      unit: 'ms',
      want: { atMost: 25 },
      values: of('longestBlockMs'),
      raw: { 'pushes/s': of('perSecond') },
    },
    {
      what: `ingest p99 ${during}`,
      against: 'without',
      unit: '×',
      want: { atMost: 2 },
      values: ratios(of('busyP99Ms'), of('quietP99Ms')),
      raw: { 'p99 ms': of('busyP99Ms'), 'without, p99 ms': of('quietP99Ms') },
    },
    {
      what: `urgent event for one device ${during}: 202 to arrival, p99`,
      against: '',
      unit: 'ms',
      want: { atMost: 100 },
      values: of('urgentP99Ms'),
      raw: { 'urgent events': of('urgents') },
    },
    {
      what: `resident memory ${during}`,
      against: '',
      unit: 'MB',
      want: { atMost: 300 },
      values: of('residentMb'),
      raw: {},
    },
  ];

  async function round(): Promise<FanOut> {
    const quiet = await many.ask('run', { ms: LOAD_MS });
    await sandbox.ask('mark', undefined);
    await server.process.ask('longestBlockMs', undefined);
    const stopWatch = watchMemory();
    await crowd.ask('postOne', undefined);
    const done = sandbox.ask('reach', DEVICES.crowd);
    const busy = await many.ask('run', { ms: LOAD_MS });
    const urgentMs = await urgents(sandbox, urgent);
    const { firstMs, lastMs } = await done;
    return {
      quietP99Ms: quiet.p99Ms,
      busyP99Ms: busy.p99Ms,
      urgentP99Ms: quantile(urgentMs, 0.99),
      urgents: urgentMs.length,
      longestBlockMs: await server.process.ask('longestBlockMs', undefined),
      residentMb: await stopWatch(),
      perSecond: (DEVICES.crowd * 1000) / (lastMs - firstMs),
    };
  }

  /** Answers how to end it, and that the highest that was seen. */
  function watchMemory(): () => Promise<number> {
    let highest = 0;
    const look = async () => {
      const { residentBytes } = await server.process.usage();
      highest = Math.max(highest, residentBytes / MB);
    };
    const timer = setInterval(() => void look(), LOOK_EVERY_MS);
    return async () => {
      clearInterval(timer);
      await look();
      return highest;
    };
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
