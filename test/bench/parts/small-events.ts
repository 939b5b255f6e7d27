import { setTimeout as pause } from 'node:timers/promises';
import { DEVICES } from '../fixture.ts';
import { type Line, line, ratio } from '../lines.ts';
import type { BareHttpHandlers } from '../processes/bare-http.ts';
import type { BarePushHandlers } from '../processes/bare-push.ts';
import type { Child } from '../processes/child.ts';
import type { Handlers } from '../processes/handlers.ts';
import type { Answered } from '../processes/load.ts';
import type { SandboxHandlers } from '../processes/sandbox.ts';
import type { Site } from '../site.ts';
import { alternate } from '../slices.ts';
import { quantile } from '../statistics.ts';

const LATENCY_MS = 50;
const PUSHES = DEVICES.apns;
const SLICES = 5;

/** Real traffic: many events with few devices each, and providers that are far away. */
export async function smallEvents(site: Site): Promise<Line[]> {
  return [await backlog(site), ...(await sustained(site, 50)), ...(await sustained(site, 200)), ...(await cost(site))];
}

/** So many pushes that wait, as one event and as many. */
async function backlog(site: Site): Promise<Line> {
  const sandbox = await site.startSandbox();
  const env = { PUSHCTL_DELIVERY_RETRY_FIRST: '1s', PUSHCTL_DELIVERY_RETRY_MAX: '1s' };
  const { process, url } = await site.startServer({ database: 'devices', sends: true, env }, sandbox);
  const large = await site.openLoad(url, 'apns', 1);
  const small = await site.openLoad(url, 'single', 64);
  await sandbox.ask('answerAfter', LATENCY_MS);
  const slices = await alternate(
    {
      small: () => drained(sandbox, () => small.ask('postMany', PUSHES)),
      large: () => drained(sandbox, () => large.ask('postOne', undefined)),
    },
    SLICES,
  );
  await process.kill();
  const what = `pushes a second from a backlog of ${PUSHES} events with one device each, ${LATENCY_MS} ms from the provider`;
  const against = `one event for ${PUSHES} devices`;
  return ratio(what, 'pushes/s', slices.small, [against, slices.large], { want: { atLeast: 0.8 } });
}

/** Posts while the provider refuses connections, then lets all go out together. Returns pushes a second. */
async function drained(sandbox: Child<SandboxHandlers>, post: () => Promise<unknown>): Promise<number> {
  await sandbox.ask('apnsOutage', 'refused');
  await post();
  await sandbox.ask('mark', undefined);
  await sandbox.ask('apnsOutage', 'none');
  // The first one is the probe of a paused route, and goes alone.
  const { secondMs, lastMs } = await sandbox.ask('reach', PUSHES);
  return ((PUSHES - 2) * 1000) / (lastMs - secondMs);
}

const RATE = 2_000;
const SUSTAINED_MS = 30_000;
const LOOK_EVERY_MS = 100;

/** A steady stream of events with one device each. */
async function sustained(site: Site, latencyMs: number): Promise<Line[]> {
  const sandbox = await site.startSandbox();
  const { process, url } = await site.startServer({ database: 'empty', sends: true }, sandbox);
  const load = await site.openLoad(url, 'single', 64);
  await load.ask('steadily', { perSecond: RATE, ms: 2_000 });
  await sandbox.ask('answerAfter', latencyMs);
  await sandbox.ask('mark', undefined);
  const answered = await load.ask('steadily', { perSecond: RATE, ms: SUSTAINED_MS });
  await sandbox.ask('reach', answered.size);
  const arrived = await sandbox.ask('arrivals', undefined);
  await process.kill();
  const waits = [...answered].map(([publicId, { answeredMs }]) =>
    Math.max(0, (arrived.get(publicId) ?? Number.NaN) - answeredMs),
  );
  const waiting = waitingOver(answered, arrived);
  const third = Math.floor(waiting.length / 3);
  const waitingIn = (nth: number) => 1 + quantile(waiting.slice(nth * third, (nth + 1) * third), 0.5);
  const stream = `${RATE} events a second for ${SUSTAINED_MS / 1000} s, ${latencyMs} ms from the provider`;
  const raw = { 'events/s': [(answered.size * 1000) / SUSTAINED_MS], 'p50 ms': [quantile(waits, 0.5)] };
  const wait = `${stream}: 202 to arrival, p99`;
  return [
    line(wait, 'ms', [quantile(waits, 0.99)], { raw, ...(latencyMs === LATENCY_MS && { want: { atMost: 500 } }) }),
    line(`${stream}: events that wait in the last third`, '×', [waitingIn(2) / waitingIn(1)], {
      against: 'in the second third',
      want: { atMost: 1.5 },
      raw: { 'waiting, by 100 ms': waiting.filter((_, index) => index % 10 === 0) },
    }),
  ];
}

/** How many events were answered and had not arrived, look by look. */
function waitingOver(answered: Answered, arrived: ReadonlyMap<string, number>): number[] {
  const [{ answeredMs: startMs } = { answeredMs: 0 }] = answered.values();
  const looks = Array.from({ length: SUSTAINED_MS / LOOK_EVERY_MS }, () => 0);
  const lookAt = (ms: number) => Math.max(0, Math.floor((ms - startMs) / LOOK_EVERY_MS) + 1);
  for (const [publicId, { answeredMs }] of answered) {
    const until = lookAt(arrived.get(publicId) ?? Number.POSITIVE_INFINITY);
    for (let look = lookAt(answeredMs); look < Math.min(until, looks.length); look += 1)
      looks[look] = (looks[look] ?? 0) + 1;
  }
  return looks;
}

const BURST = 10_000;
const SLOW_RATE = 200;
const SLOW_MS = 3_000;
/** The record of the sent pushes is complete by then. */
const SETTLED_MS = 500;

/** Measures an event with one device, from its request to its record, beside the least possible work. */
async function cost(site: Site): Promise<Line[]> {
  const sandbox = await site.startSandbox();
  const { process, url } = await site.startServer({ database: 'empty', sends: true }, sandbox);
  const ours = await site.openLoad(url, 'single', 64);
  const echo = await site.start<BareHttpHandlers>('bare-http');
  const theirs = await site.openLoad(await echo.ask('url', undefined), 'single', 64);
  const push = await site.start<BarePushHandlers>('bare-push');
  await push.ask('open', await sandbox.ask('access', undefined));
  const token = (await site.fixture()).oneToken;
  const slow = { perSecond: SLOW_RATE, ms: SLOW_MS };
  const slowCount = (SLOW_RATE * SLOW_MS) / 1000;

  const arrival = async (count: number, post: Promise<unknown>) => {
    await post;
    await sandbox.ask('reach', count);
    await pause(SETTLED_MS);
  };
  const marked = () => sandbox.ask('mark', undefined);
  const bareCpu = async (post: () => Promise<unknown>, send: () => Promise<unknown>) =>
    (await cpuOf(echo, post)) + (await cpuOf(push, send));
  const slices = await alternate(
    {
      full: async () => {
        await marked();
        return cpuOf(process, () => arrival(BURST, ours.ask('postMany', BURST)));
      },
      bareFull: () =>
        bareCpu(
          () => theirs.ask('postMany', BURST),
          () => push.ask('burst', { token, count: BURST, inFlight: 400 }),
        ),
      slow: async () => {
        await marked();
        return cpuOf(process, () => arrival(slowCount, ours.ask('steadily', slow)));
      },
      bareSlow: () =>
        bareCpu(
          () => theirs.ask('steadily', slow),
          () => push.ask('steadily', { token, ...slow }),
        ),
    },
    SLICES,
  );
  const usPerEvent = (side: keyof typeof slices, count: number) => slices[side].map((ms) => (ms * 1000) / count);
  const what = 'CPU of the whole server for an event with one device, request to record';
  const bare = 'a bare echo and a bare sender';
  return [
    ratio(`${what}, at saturation`, 'µs an event', usPerEvent('full', BURST), [bare, usPerEvent('bareFull', BURST)], {
      want: { atMost: 4 },
    }),
    ratio(
      `${what}, at ${SLOW_RATE} a second`,
      'µs an event',
      usPerEvent('slow', slowCount),
      [bare, usPerEvent('bareSlow', slowCount)],
      {
        want: { atMost: 8 },
      },
    ),
  ];
}

async function cpuOf<V extends Handlers>(child: Child<V>, work: () => Promise<unknown>): Promise<number> {
  const before = await child.usage();
  await work();
  return (await child.usage()).cpuMs - before.cpuMs;
}
