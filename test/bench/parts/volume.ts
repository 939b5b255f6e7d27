import type { Line } from '../lines.ts';
import type { Site } from '../site.ts';
import { alternate } from '../slices.ts';
import { ratios } from '../statistics.ts';
import { EVENTS, fillDatabase } from '../volume.ts';

const SLICE_MS = 1_500;
const MILLIONS = `${EVENTS / 1_000_000} million`;

/** Three months of a busy service in the database. */
export async function volume(site: Site): Promise<Line[]> {
  const fullDir = await site.dataFolder('devices');
  const builtInMs = fillDatabase(fullDir);
  const full = await site.startServerIn(fullDir, { sends: false });
  const none = await site.startServer({ database: 'devices', sends: false });
  const fullLoad = await site.openLoad(full.url, 'one', 64);
  const noneLoad = await site.openLoad(none.url, 'one', 64);
  const slices = await alternate({
    full: () => fullLoad.ask('run', { ms: SLICE_MS }),
    none: () => noneLoad.ask('run', { ms: SLICE_MS }),
  });
  await full.process.kill();
  const per = (side: keyof typeof slices) => slices[side].map(({ perSecond }) => perSecond);

  const starts = await alternate({
    full: () => firstAnswer(fullDir),
    none: async () => firstAnswer(await site.dataFolder('empty')),
  });
  return [
    {
      what: `ingest with ${MILLIONS} events in the database`,
      against: 'with none',
      unit: '×',
      want: { atLeast: 0.85 },
      values: ratios(per('full'), per('none')),
      raw: { 'requests/s': per('full'), 'with none, requests/s': per('none'), 'built in ms': [builtInMs] },
    },
    {
      what: `start with ${MILLIONS} events and 1 million waiting deliveries, to the first answer`,
      against: 'an empty start',
      unit: '×',
      want: { atMost: 2 },
      values: ratios(starts.full, starts.none),
      raw: { ms: starts.full, 'empty ms': starts.none },
    },
  ];

  async function firstAnswer(dataDir: string): Promise<number> {
    const startMs = performance.now();
    const server = await site.startServerIn(dataDir, { sends: false });
    const answer = await fetch(`${server.url}/readyz`);
    const tookMs = performance.now() - startMs;
    if (!answer.ok) throw new Error(`/readyz answered ${answer.status}`);
    await server.process.kill();
    return tookMs;
  }
}
