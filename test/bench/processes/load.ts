/** Posts events over kept-alive connections, each of which sends the next one as soon as the last one is answered. */
import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from '../statistics.ts';
import { serveHandlers, sharedMs } from './handlers.ts';
import { Poster, type Target } from './poster.ts';

/** When each event was sent, and when it was answered with 202, by the shared clock. */
export type Answered = ReadonlyMap<string, { readonly sentMs: number; readonly answeredMs: number }>;

export interface Load {
  readonly count: number;
  readonly perSecond: number;
  /** With an even pace from when a post was due, else from when it was sent. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The part of one core that this process uses: near 1 the load itself would be measured. */
  readonly cpu: number;
}

let target: Target | undefined;
let posters: readonly Poster[] = [];
let sent = 0;

const handlers = {
  async open({ connections, ...to }: Target & { readonly connections: number }): Promise<void> {
    for (const poster of posters) poster.close();
    target = to;
    posters = await Promise.all(Array.from({ length: connections }, () => Poster.connect(to)));
  },

  async run({ ms, perSecond }: { readonly ms: number; readonly perSecond?: number }): Promise<Load> {
    await reopen();
    const tookMs: number[] = [];
    const cpuBefore = process.cpuUsage();
    const startMs = sharedMs();
    const pace = perSecond === undefined ? unpaced(startMs + ms) : evenPace(perSecond, startMs, startMs + ms);
    await Promise.all(
      posters.map(async (poster) => {
        for (let dueMs = await pace(); dueMs !== null; dueMs = await pace()) {
          await poster.post(nextKey());
          tookMs.push(sharedMs() - dueMs);
        }
      }),
    );
    const elapsedMs = sharedMs() - startMs;
    const { user, system } = process.cpuUsage(cpuBefore);
    return {
      count: tookMs.length,
      perSecond: (tookMs.length * 1000) / elapsedMs,
      p50Ms: quantile(tookMs, 0.5),
      p99Ms: quantile(tookMs, 0.99),
      cpu: (user + system) / 1000 / elapsedMs,
    };
  },

  /** Posts at an even pace, as long as enough connections are free. */
  async steadily({ perSecond, ms }: { readonly perSecond: number; readonly ms: number }): Promise<Answered> {
    await reopen();
    const answered = new Map<string, { sentMs: number; answeredMs: number }>();
    const startMs = sharedMs();
    const pace = evenPace(perSecond, startMs, startMs + ms);
    await Promise.all(
      posters.map(async (poster) => {
        while ((await pace()) !== null) {
          const sentMs = sharedMs();
          const { body } = await poster.post(nextKey());
          answered.set(publicIdIn(body), { sentMs, answeredMs: sharedMs() });
        }
      }),
    );
    return answered;
  },

  /** So many posts as fast as the connections allow. */
  async postMany(count: number): Promise<void> {
    await reopen();
    let left = count;
    await Promise.all(
      posters.map(async (poster) => {
        while (left > 0) {
          left -= 1;
          await poster.post(nextKey());
        }
      }),
    );
  },

  /** One post over the first connection. `sentMs` by the shared clock. */
  async postOne(): Promise<{ sentMs: number; tookMs: number; publicId: string }> {
    await reopen();
    const [poster] = posters;
    if (!poster) throw new Error('not open');
    const sentMs = sharedMs();
    const { tookMs, body } = await poster.post(nextKey());
    return { sentMs, tookMs, publicId: publicIdIn(body) };
  },
};
export type LoadHandlers = typeof handlers;
serveHandlers(handlers);

/** Waits until the next post is due, and returns when it was; null: there is none any more. */
type Pace = () => Promise<number | null>;

/** Each connection posts again as soon as it has its answer. */
function unpaced(endMs: number): Pace {
  return async () => {
    const nowMs = sharedMs();
    return nowMs < endMs ? nowMs : null;
  };
}

/** Posts are due at even times, whether or not the ones before are answered. */
function evenPace(perSecond: number, startMs: number, endMs: number): Pace {
  let due = 0;
  return async () => {
    const dueMs = startMs + (due * 1000) / perSecond;
    due += 1;
    if (dueMs >= endMs) return null;
    while (sharedMs() < dueMs) await pause(Math.max(0, dueMs - sharedMs()));
    return dueMs;
  };
}

/** The server closes connections that are idle for 65 s, which the other sides of a comparison may take together. */
async function reopen(): Promise<void> {
  posters = await Promise.all(
    posters.map((poster) => (poster.isOpen || target === undefined ? poster : Poster.connect(target))),
  );
}

function publicIdIn(body: string): string {
  return (JSON.parse(body) as { event: { public_id: string } }).event.public_id;
}

/** No two are alike, in all processes of a run. */
function nextKey(): string {
  sent += 1;
  return `${process.pid}-${sent}`;
}
