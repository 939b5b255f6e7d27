import type { Line, Skipped } from '../lines.ts';
import type { Site } from '../site.ts';
import { alternate } from '../slices.ts';
import { buildSlowSync, hasCompiler } from '../slow-sync.ts';
import { ratios } from '../statistics.ts';

const SLICE_MS = 1_500;
const WHAT = 'ingest with 2 ms added to every sync';

/** What is left of the throughput on a slow disk. */
export async function disk(site: Site): Promise<(Line | Skipped)[]> {
  if (!hasCompiler()) return [{ what: WHAT, because: 'there is no C compiler (`cc`) to build the slow disk with' }];
  const slowSync = { LD_PRELOAD: buildSlowSync(site.folder) };
  const fast = await site.startServer({ database: 'devices', sends: false });
  const slow = await site.startServer({ database: 'devices', sends: false, env: slowSync });
  const fastLoad = await site.openLoad(fast.url, 'one', 256);
  const slowLoad = await site.openLoad(slow.url, 'one', 256);
  const fewer = await site.openLoad(slow.url, 'one', 64);

  const slices = await alternate({
    fast: () => fastLoad.ask('run', { ms: SLICE_MS }),
    slow: () => slowLoad.ask('run', { ms: SLICE_MS }),
    fewer: () => fewer.ask('run', { ms: SLICE_MS }),
  });
  const per = (side: keyof typeof slices) => slices[side].map(({ perSecond }) => perSecond);
  return [
    {
      what: `${WHAT}, 256 connections`,
      against: 'itself without',
      unit: '×',
      want: { atLeast: 0.75 },
      values: ratios(per('slow'), per('fast')),
      raw: { 'requests/s': per('slow'), 'without, requests/s': per('fast') },
    },
    {
      what: `${WHAT}, 64 connections: p99`,
      against: '',
      unit: 'ms',
      want: { atMost: 50 },
      values: slices.fewer.map(({ p99Ms }) => p99Ms),
      raw: { 'requests/s': per('fewer'), 'p50 ms': slices.fewer.map(({ p50Ms }) => p50Ms) },
    },
  ];
}
