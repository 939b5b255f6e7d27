import { DEVICES } from '../fixture.ts';
import type { Line } from '../lines.ts';
import type { BarePushHandlers } from '../processes/bare-push.ts';
import type { Child } from '../processes/child.ts';
import type { Handlers } from '../processes/handlers.ts';
import type { LoadHandlers } from '../processes/load.ts';
import type { Site } from '../site.ts';
import { alternate } from '../slices.ts';
import { ratios } from '../statistics.ts';

interface Provider {
  readonly name: 'APNs' | 'FCM' | 'Web Push';
  readonly channel: 'apns' | 'fcm' | 'webpush';
  readonly manyThreads: 2 | 3;
  readonly bare: string;
  readonly bareInFlight: number;
  readonly wantRate: number;
  readonly wantCpu: number;
}

interface SenderHandlers extends Handlers {
  sendingMs(): number;
}

interface Burst {
  readonly perSecond: number;
  /** The whole process. */
  readonly cpuMs: number;
  /** The threads that send, and no others: not those that collect garbage for them, either. */
  readonly sendingMs: number;
}

/** Apple's share: one HTTP/2 connection a thread. */
export function apns(site: Site): Promise<Line[]> {
  return pushes(site, {
    name: 'APNs',
    channel: 'apns',
    manyThreads: 3,
    bare: 'a bare HTTP/2 client',
    bareInFlight: 400,
    wantRate: 0.75,
    wantCpu: 1.5,
  });
}

/** Google's: many HTTP/1.1 connections a thread. */
export function fcm(site: Site): Promise<Line[]> {
  return pushes(site, {
    name: 'FCM',
    channel: 'fcm',
    manyThreads: 2,
    bare: 'a bare HTTPS client',
    bareInFlight: 128,
    wantRate: 0.4,
    wantCpu: 2.5,
  });
}

/** A browser's push service: HTTP/1.1 as well, and each push encrypted for its browser. */
export function webpush(site: Site): Promise<Line[]> {
  return pushes(site, {
    name: 'Web Push',
    channel: 'webpush',
    manyThreads: 2,
    bare: 'a bare HTTPS client that encrypts as well',
    bareInFlight: 32,
    wantRate: 0.6,
    wantCpu: 1.7,
  });
}

/** One event for thousands of devices: from its first arrival at the provider to its last, the whole server at work. */
async function pushes(site: Site, provider: Provider): Promise<Line[]> {
  const { name, channel, manyThreads } = provider;
  const count = DEVICES[channel];
  const sandbox = await site.startSandbox();
  const { apnsTokens, fcmTokens, subscriptions } = await site.fixture();
  const inFlight = provider.bareInFlight;
  const bare = await site.start<BarePushHandlers>('bare-push');
  await bare.ask('open', await sandbox.ask('access', undefined));

  const sendAll = {
    apns: () => bare.ask('apns', { to: apnsTokens, inFlight }),
    fcm: () => bare.ask('fcm', { to: fcmTokens, inFlight }),
    webpush: () => bare.ask('webpush', { to: subscriptions, inFlight }),
  };

  const sandboxCpu: number[] = [];
  const slices = await alternate({
    bare: () => burst(bare, sendAll[channel]),
    one: await server(1),
    many: await server(manyThreads),
  });
  const rate = (side: keyof typeof slices) => slices[side].map(({ perSecond }) => perSecond);
  const cpu = (side: keyof typeof slices, of: 'cpuMs' | 'sendingMs') =>
    slices[side].map((burst) => (burst[of] * 1000) / count);
  const cores = (side: keyof typeof slices) => slices[side].map((each) => (each.cpuMs * each.perSecond) / count / 1000);
  return [
    {
      what: `${name} pushes a second, one thread`,
      against: provider.bare,
      unit: '×',
      want: { atLeast: provider.wantRate },
      values: ratios(rate('one'), rate('bare')),
      raw: { 'pushes/s': rate('one'), 'bare pushes/s': rate('bare'), 'cores used by the fake provider': sandboxCpu },
    },
    {
      what: `${name} pushes a second, ${manyThreads} threads`,
      against: 'one thread',
      unit: '×',
      want: { atLeast: 1.6 },
      values: ratios(rate('many'), rate('one')),
      raw: { 'pushes/s': rate('many'), 'cores used by the server': cores('many'), 'with one thread': cores('one') },
    },
    {
      what: `${name}: the client's CPU a push (of the delivery thread)`,
      against: `${provider.bare} (of its thread)`,
      unit: '×',
      want: { atMost: provider.wantCpu },
      values: ratios(cpu('one', 'sendingMs'), cpu('bare', 'sendingMs')),
      raw: { 'µs a push': cpu('one', 'sendingMs'), 'bare µs a push': cpu('bare', 'sendingMs') },
    },
    {
      what: `${name}: CPU a push, the whole server with queue and records`,
      against: `${provider.bare} (the whole process)`,
      unit: '×',
      want: null,
      values: ratios(cpu('one', 'cpuMs'), cpu('bare', 'cpuMs')),
      raw: { 'µs a push': cpu('one', 'cpuMs'), 'bare µs a push': cpu('bare', 'cpuMs') },
    },
  ];

  async function server(threads: number): Promise<() => Promise<Burst>> {
    const { process, url } = await site.startServer({ database: 'devices', threads, sends: true }, sandbox);
    const load = await site.start<LoadHandlers>('load');
    const { apiKey } = await site.fixture();
    // Each on a connection of its own: the server ends one that is silent for as long as the others may take.
    return () => burst(process, () => load.ask('storm', { url, apiKey, channel, connections: 1 }));
  }

  async function burst<V extends SenderHandlers>(sender: Child<V>, begin: () => Promise<unknown>): Promise<Burst> {
    await sandbox.ask('mark', undefined);
    const [before, sentBefore, sandboxBefore] = await usages();
    await begin();
    const { firstMs, lastMs } = await sandbox.ask('reach', count);
    const [after, sentAfter, sandboxAfter] = await usages();
    const tookMs = lastMs - firstMs;
    sandboxCpu.push((sandboxAfter.cpuMs - sandboxBefore.cpuMs) / tookMs);
    return {
      perSecond: ((count - 1) * 1000) / tookMs,
      cpuMs: after.cpuMs - before.cpuMs,
      sendingMs: sentAfter - sentBefore,
    };

    function usages() {
      return Promise.all([
        sender.usage(),
        (sender as Child<SenderHandlers>).ask('sendingMs', undefined),
        sandbox.usage(),
      ]);
    }
  }
}
