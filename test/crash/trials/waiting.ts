import { setTimeout as pause } from 'node:timers/promises';
import type { QueueDepth } from '../../../src/store/calls/queue.ts';
import { quantile } from '../../bench/statistics.ts';
import { freePort } from '../../support/free-port.ts';
import { Opened } from '../../support/opened.ts';
import { until } from '../../support/until.ts';
import { type Machines, machines } from '../nodes.ts';

export interface WaitingOptions {
  /** Events that wait. */
  readonly events: number;
  readonly seconds: number;
}

/** What a machine for so many has. */
const SETTINGS = { shared_buffers: '1GB', max_wal_size: '2GB' };
const ROUTE = 'apns_production';
const AT_ONCE = 100_000;
/** How a UUID of it begins, in hex; its last twelve digits are the event's. */
const VERSION_7 = '01900000000070008000';
const EVERY_MS = 200;

/** By what they differ from the one that was posted. */
const OWN_COLUMNS = ['id', 'uuid'];
const COLUMNS = `
  SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS names FROM pg_attribute
  WHERE attrelid = 'event'::regclass AND attnum > 0 AND NOT attisdropped
    AND attname NOT IN (${OWN_COLUMNS.map((name) => `'${name}'`).join(', ')})`;

/**
 * Two servers whose provider cannot be reached, with so many events waiting for it: for how long a look at `/readyz`, a
 * post, and what is asked of the queue take meanwhile.
 */
export async function* waiting({ events, seconds }: WaitingOptions): AsyncGenerator<string> {
  await using opened = new Opened();
  const unreachable = { PUSHCTL_APNS_ENDPOINT_PRODUCTION: `https://127.0.0.1:${await freePort()}` };
  const cluster = await machines(opened, ['one', 'two'], () => unreachable, SETTINGS);
  const team = await cluster.teamOn(cluster.all[0]);
  await team.addDevice(cluster.sandbox, { platform: 'ios' });
  // So that the place in the queue is as it was when the event came.
  await team.store.pauseRoute({ route: ROUTE });
  await team.post();
  const filledMs = await took(() => fill(cluster, events));
  await team.store.resumeRoute({ route: ROUTE });
  const { balancer } = cluster;
  const looks: Record<string, Look> = {
    '/readyz': async () => (await fetch(`${balancer.url}/readyz`)).status === 200,
    'a post': async () => (await team.post()).status === 202,
    queueDepth: async () => sumOf(await team.store.queueDepth({})) >= events,
    queueAge: async () => (await team.store.queueAge({})).length > 0,
  };
  // What waits is counted some seconds later.
  await until('all that waits is counted', async () => (await looks.queueDepth?.()) === true);
  const stop = AbortSignal.timeout(seconds * 1_000);
  const rows = await Promise.all(Object.entries(looks).map(([what, look]) => repeated(what, look, stop)));
  yield `${events} events waiting (put there in ${(filledMs / 1_000).toFixed(0)} s), two servers, for ${seconds} s`;
  yield '| asked each 200 ms | times | as it should be | median | p99 | longest |';
  yield '|---|---|---|---|---|---|';
  yield* rows;
}

function sumOf(lanes: readonly QueueDepth[]): number {
  return lanes.reduce((sum, { waiting: targets, deferred }) => sum + targets + deferred, 0);
}

/** Returns whether the answer was as it should be. */
type Look = () => Promise<boolean>;

async function repeated(what: string, look: Look, stop: AbortSignal): Promise<string> {
  const times: number[] = [];
  let good = 0;
  while (!stop.aborted) {
    times.push(await took(async () => (good += Number(await look()))));
    await pause(EVERY_MS);
  }
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
      INSERT INTO fan_out (event_id, route, lane, home, workspace_id, channel_id, claimed_to, last, targeted, expires_at)
      SELECT copied.id, route, lane, home, workspace_id, channel_id, 0, last, targeted, expires_at
      FROM copied, fan_out WHERE event_id = (SELECT id FROM first)`);
  }
}

async function took(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}
