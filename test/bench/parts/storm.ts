import type { Line } from '../lines.ts';
import type { LoadHandlers } from '../processes/load.ts';
import type { Site } from '../site.ts';
import { SLICES } from '../slices.ts';
import { quantile } from '../statistics.ts';

const BUSY_MS = 1_500;
const STORM_AFTER_MS = 400;

/** 256 clients that come at once, while 64 others keep the server busy. */
export async function storm(site: Site): Promise<Line[]> {
  const server = await site.startServer({ database: 'devices', sends: false });
  const busy = await site.openLoad(server.url, 'one', 64);
  const newcomers = await site.start<LoadHandlers>('load');
  const { apiKey } = await site.fixture();
  const p99Ms: number[] = [];
  const p50Ms: number[] = [];
  for (let slice = 0; slice < SLICES; slice += 1) {
    const running = busy.ask('run', { ms: BUSY_MS });
    await new Promise((resolve) => setTimeout(resolve, STORM_AFTER_MS));
    const tookMs = await newcomers.ask('storm', { url: server.url, apiKey, channel: 'one', connections: 256 });
    await running;
    p99Ms.push(quantile(tookMs, 0.99));
    p50Ms.push(quantile(tookMs, 0.5));
  }
  return [
    {
      what: '256 connections at once while 64 are busy: first answers, p99',
      against: '',
      unit: 'ms',
      want: { atMost: 300 },
      values: p99Ms,
      raw: { 'p50 ms': p50Ms },
    },
  ];
}
