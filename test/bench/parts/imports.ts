import { databasePath } from '../../../src/store/data-folder.ts';
import { openReadOnly } from '../../../src/store/sqlite/database.ts';
import { granted } from '../../support/refusals.ts';
import { device, importAll } from '../fixture.ts';
import { type Line, line } from '../lines.ts';
import type { Load } from '../processes/load.ts';
import type { Site } from '../site.ts';
import { SLICES } from '../slices.ts';
import { quantile } from '../statistics.ts';

/** `BENCH_DEVICES=20000 npm run bench -- import` for a short look. */
const DEVICES = Number(process.env.BENCH_DEVICES ?? 500_000);
const MOVED = 'moved@example.com';
const SLICE_MS = 1_000;
const HOUR_MS = 3_600_000;

/** A member comes from another system with very many devices, beside events from 64 connections, and goes again. */
export async function imports(site: Site): Promise<Line[]> {
  const dataDir = await site.dataFolder('empty');
  const server = await site.startServerIn(dataDir, { sends: false });
  const load = await site.openLoad(server.url, 'single', 64);
  const store = await site.storeIn(dataDir);
  granted(await store.addMember({ workspace: 'acme', email: MOVED, role: 'member' }));
  const devices = Array.from({ length: DEVICES }, () => device('crowd'));

  await load.ask('run', { ms: SLICE_MS });
  await server.process.ask('longestOfStore', undefined);
  const quiet: Load[] = [];
  for (let slice = 0; slice < SLICES; slice += 1) quiet.push(await load.ask('run', { ms: SLICE_MS }));
  const quietP99Ms = quantile(p99Of(quiet), 0.5);
  const quietly = await server.process.ask('longestOfStore', undefined);
  const coming = await loadDuring(async () => importAll(store, devices, MOVED));
  const going = await loadDuring(async () => {
    granted(await store.deleteChannel({ workspace: 'acme', slug: 'crowd' }));
    granted(await store.removeMember({ workspace: 'acme', email: MOVED }));
    await untilCleanedUp(dataDir);
  });
  await store.close();

  const many = `${DEVICES.toLocaleString('en')} devices`;
  const both = `while ${many} are imported and removed`;
  const longest = (figure: keyof typeof quietly) => ({
    most: [Math.max(coming.longest[figure], going.longest[figure])],
    raw: {
      'while imported ms': [coming.longest[figure]],
      'while removed ms': [going.longest[figure]],
      'without, ms': [quietly[figure]],
    },
  });
  const [held, answered] = [longest('storeHeldMs'), longest('answeredMs')];
  const checkpoints = [coming.longest.checkpointMs, going.longest.checkpointMs];
  return [
    line(`import of ${many} beside ingest`, 's', [coming.tookMs / 1_000], {
      want: { atMost: 60 },
      raw: { 'removed again, s': [going.tookMs / 1_000] },
    }),
    line(`longest hold of the store thread ${both} beside ingest`, 'ms', held.most, {
      want: { atMost: 50 },
      raw: { ...held.raw, 'its part of a checkpoint, while imported and removed, ms': checkpoints },
    }),
    line(`longest commit as the HTTP thread sees it, its own delays included, ${both}`, 'ms', answered.most, {
      raw: answered.raw,
    }),
    against('imported', coming.loads),
    against('removed', going.loads),
  ];

  function against(what: string, loads: readonly Load[]): Line {
    const times = p99Of(loads).map((p99Ms) => p99Ms / quietP99Ms);
    return line(`ingest p99 while ${many} are ${what}`, '×', times, {
      against: 'without',
      want: { atMost: 3 },
      raw: {
        'p99 ms': p99Of(loads),
        'without, p99 ms': p99Of(quiet),
        'requests/s': loads.map(({ perSecond }) => perSecond),
      },
    });
  }

  /** Slices of load for as long as `work` takes. */
  async function loadDuring(work: () => Promise<void>) {
    const startMs = performance.now();
    let isOver = false;
    const done = work()
      .then(() => performance.now() - startMs)
      .finally(() => {
        isOver = true;
      });
    const loads: Load[] = [];
    do loads.push(await load.ask('run', { ms: SLICE_MS }));
    while (!isOver);
    const tookMs = await done;
    return { loads, tookMs, longest: await server.process.ask('longestOfStore', undefined) };
  }
}

function p99Of(loads: readonly Load[]): number[] {
  return loads.map(({ p99Ms }) => p99Ms);
}

async function untilCleanedUp(dataDir: string): Promise<void> {
  const untilMs = performance.now() + HOUR_MS;
  const db = openReadOnly(databasePath(dataDir));
  const isLeft = db.prepare<[], 1>('SELECT 1 FROM cleanup_job LIMIT 1').pluck();
  while (isLeft.get() === 1) {
    if (performance.now() > untilMs) throw new Error('the cleanup does not end');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  db.close();
}
