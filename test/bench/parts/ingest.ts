import { type Line, ratio } from '../lines.ts';
import type { BareHttpHandlers } from '../processes/bare-http.ts';
import type { Site } from '../site.ts';
import { alternate } from '../slices.ts';

const SLICE_MS = 1_500;
const CONNECTIONS = 64;
const ACCEPTS = 20;

/** How many events a second come in, beside what Node itself can do. */
export async function ingest(site: Site): Promise<Line[]> {
  const server = await site.startServer({ database: 'devices', sends: false });
  const bare = await site.start<BareHttpHandlers>('bare-http');
  const ours = await site.openLoad(server.url, 'single', CONNECTIONS);
  const theirs = await site.openLoad(await bare.ask('url', undefined), 'single', CONNECTIONS);

  const slices = await alternate({
    ours: () => ours.ask('run', { ms: SLICE_MS }),
    theirs: () => theirs.ask('run', { ms: SLICE_MS }),
  });
  const per = (side: 'ours' | 'theirs') => slices[side].map(({ perSecond }) => perSecond);
  return [
    ratio(
      'durable ingest, requests a second',
      'requests/s',
      per('ours'),
      ['a bare `node:http` server that parses the same JSON', per('theirs')],
      {
        want: { atLeast: 0.6 },
        raw: {
          'p99 ms': slices.ours.map(({ p99Ms }) => p99Ms),
          'cores used by the load': slices.ours.map(({ cpu }) => cpu),
          'cores used by the load on the bare server': slices.theirs.map(({ cpu }) => cpu),
        },
      },
    ),
  ];
}

/**
 * The time to a 202 must not grow with the number of devices. Nothing is sent meanwhile: only acceptance is at work.
 */
export async function accept(site: Site): Promise<Line[]> {
  const server = await site.startServer({ database: 'devices', sends: false });
  const [crowd, single] = await Promise.all(
    (['crowd', 'single'] as const).map((channel) => site.openLoad(server.url, channel, 1)),
  );
  const slices = await alternate({ crowd: () => acceptsOn(crowd), single: () => acceptsOn(single) });
  const want = { atMost: 1.5 };
  return [
    ratio('acceptance of an event for 100,000 devices', 'ms', slices.crowd, ['for 1 device', slices.single], { want }),
  ];

  async function acceptsOn(load: typeof crowd): Promise<number> {
    let sumMs = 0;
    for (let count = 0; count < ACCEPTS; count += 1)
      sumMs += (await load?.ask('postOne', undefined))?.tookMs ?? Number.NaN;
    return sumMs / ACCEPTS;
  }
}
