import { DEVICES } from '../fixture.ts';
import type { Line } from '../lines.ts';
import type { Site } from '../site.ts';
import { alternate } from '../slices.ts';

const LATENCIES_MS = [0, 50, 200] as const;
const SLICES = 5;

/** What the default settings carry, by the provider's distance. For information: it is the machine's figure. */
export async function capacity(site: Site): Promise<Line[]> {
  const lines: Line[] = [];
  for (const channel of ['apns', 'fcm'] as const) lines.push(...(await ofRoute(site, channel)));
  return lines;
}

async function ofRoute(site: Site, channel: 'apns' | 'fcm'): Promise<Line[]> {
  const sandbox = await site.startSandbox();
  const { process, url } = await site.startServer({ database: 'devices', sends: true }, sandbox);
  const load = await site.openLoad(url, channel, 1);
  const count = DEVICES[channel];
  const burst = async (latencyMs: number): Promise<number> => {
    await sandbox.ask('answerAfter', latencyMs);
    await sandbox.ask('mark', undefined);
    await load.ask('postOne', undefined);
    const { firstMs, lastMs } = await sandbox.ask('reach', count);
    return ((count - 1) * 1000) / (lastMs + latencyMs - firstMs);
  };
  const sides = Object.fromEntries(LATENCIES_MS.map((ms) => [ms, () => burst(ms)]));
  const slices = await alternate(sides, SLICES);
  await process.kill();
  return LATENCIES_MS.map((ms) => ({
    what: `${channel === 'apns' ? 'APNs' : 'FCM'} pushes a second, default settings, ${ms} ms from the provider`,
    against: '',
    unit: '/s',
    want: null,
    values: slices[ms] ?? [],
    raw: {},
  }));
}
