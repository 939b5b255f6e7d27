import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { QueueDepth } from '../../src/store/calls/queue.ts';
import { quantile } from '../bench/statistics.ts';
import { freePort } from '../support/free-port.ts';
import { Resources } from '../support/resources.ts';
import { until } from '../support/until.ts';
import { type Machines, machines } from './nodes.ts';
import { sizeFrom } from './size-from.ts';

/** So many wait. */
const EVENTS = sizeFrom('WAITING', 500_000);
const SECONDS = sizeFrom('WAITING_SECONDS', 60);

/** The size of a machine for so many. */
const SETTINGS = { shared_buffers: '1GB', max_wal_size: '2GB' };
const ROUTE = 'apns_production';
const AT_ONCE = 100_000;
/** How a UUID of it begins, in hex; its last twelve digits are the event's. */
const VERSION_7 = '01900000000070008000';
const EVERY_MS = 200;

/** The columns in which they differ from the posted event. */
const OWN_COLUMNS = ['id', 'uuid'];
const COLUMNS = `
  SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS names FROM pg_attribute
  WHERE attrelid = 'event'::regclass AND attnum > 0 AND NOT attisdropped
    AND attname NOT IN (${OWN_COLUMNS.map((name) => `'${name}'`).join(', ')})`;

test('While very many events wait, two servers are ready, take posts, and know their queue', async () => {
  await using opened = new Resources();
  const unreachable = { PUSHCTL_APNS_ENDPOINT_PRODUCTION: `https://127.0.0.1:${await freePort()}` };
  const cluster = await machines(opened, ['one', 'two'], () => unreachable, SETTINGS);
  const team = await cluster.teamOn(cluster.all[0]);
  await team.addDevice(cluster.sandbox, { platform: 'ios' });
  // So that the place in the queue is as it was when the event came.
  await team.store.pauseRoute({ route: ROUTE });
  await team.post();
  const filledMs = await took(() => fill(cluster, EVENTS));
  await team.store.resumeRoute({ route: ROUTE });
  const { balancer } = cluster;
  const looks: Record<string, Look> = {
    '/readyz': async () => (await fetch(`${balancer.url}/readyz`)).status === 200,
    'a post': async () => (await team.post()).status === 202,
    queueDepth: async () => sumOf(await team.store.queueDepth({})) >= EVENTS,
    queueAge: async () => (await team.store.queueAge({})).length > 0,
  };
  // Waiting pushes are counted some seconds later.
  await until('all that waits is counted', async () => (await looks.queueDepth?.()) === true);
  const stop = AbortSignal.timeout(SECONDS * 1_000);
  const asked = await Promise.all(Object.entries(looks).map(([what, look]) => repeated(what, look, stop)));
  const lines = [
    `${EVENTS} events waiting (put there in ${(filledMs / 1_000).toFixed(0)} s), two servers, for ${SECONDS} s`,
    '| asked each 200 ms | times | as it should be | median | p99 | longest |',
    '|---|---|---|---|---|---|',
    ...asked.map(inOneRow),
  ];
  process.stdout.write(`\n${lines.join('\n')}\n`);
  for (const { what, good, times } of asked) assert.is(good, times.length, what);
  assert.is(cluster.arrivals.total, 0, 'all of them still wait');
});

test.run();

function sumOf(lanes: readonly QueueDepth[]): number {
  return lanes.reduce((sum, { waiting: targets, deferred }) => sum + targets + deferred, 0);
}

/** Returns whether the answer was as it should be. */
type Look = () => Promise<boolean>;

interface Asked {
  readonly what: string;
  readonly good: number;
  readonly times: readonly number[];
}

async function repeated(what: string, look: Look, stop: AbortSignal): Promise<Asked> {
  const times: number[] = [];
  let good = 0;
  while (!stop.aborted) {
    times.push(await took(async () => (good += Number(await look()))));
    await pause(EVERY_MS);
  }
  return { what, good, times };
}

function inOneRow({ what, good, times }: Asked): string {
  const figures = [0.5, 0.99, 1].map((share) => `${quantile(times, share).toFixed(1)} ms`);
  return `| ${[what, times.length, good, ...figures].join(' | ')} |`;
}

/** Copies of the event that waits, each with its place in the queue. */
async function fill({ rows }: Machines, events: number): Promise<void> {
  const [{ names } = {}] = await rows(COLUMNS);
  for (let done = 0; done < events; done += AT_ONCE) {
    const last = Math.min(events, done + AT_ONCE);
    await rows(`
      WITH first AS (
        SELECT id FROM event ORDER BY id LIMIT 1
      ), copied AS (
        INSERT INTO event (uuid, ${names})
        SELECT decode('${VERSION_7}' || lpad(to_hex(nth), 12, '0'), 'hex'), ${names} FROM event, generate_series(${done + 1}, ${last}) AS nth
        WHERE id = (SELECT id FROM first) RETURNING id
      )
      INSERT INTO fan_out (event_id, route, lane, home, workspace_id, channel_id, last, targeted, expires_at)
      SELECT copied.id, route, lane, home, workspace_id, channel_id, last, targeted, expires_at
      FROM copied, fan_out WHERE event_id = (SELECT id FROM first)`);
  }
}

async function took(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}
