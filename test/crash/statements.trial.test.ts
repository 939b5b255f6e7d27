import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Resources } from '../support/resources.ts';
import { untilIs } from '../support/until.ts';
import { Load } from './load.ts';
import { type Machines, machines, openIn, storedIn, usageOf } from './nodes.ts';
import { sizeFrom } from './size-from.ts';

const MINUTES = sizeFrom('STATEMENTS_MINUTES', 3);
/** Posts, as far as the machine can. */
const EVENTS_PER_S = sizeFrom('STATEMENTS_EVENTS_PER_S', 10);
/** Each event goes to so many. */
const PHONES = sizeFrom('STATEMENTS_PHONES', 60);
const SETTINGS = { shared_preload_libraries: 'pg_stat_statements' };
const POST_MS = 30;
const PAUSE_MS = 50;
const READ_EVERY_MS = 1_000;
const DRAINS_WITHIN_MS = 60_000;

/** Its functions and tables are in a schema of their own, as a server refuses one that holds what is not its own. */
const BEGIN_COUNTING = 'CREATE SCHEMA counted; CREATE EXTENSION pg_stat_statements SCHEMA counted';
const RESET = 'SELECT counted.pg_stat_statements_reset()';
const COUNTED = `
  SELECT regexp_replace(query, '\\s+', ' ', 'g') AS text, sum(calls)::bigint AS calls,
    sum(total_exec_time) / sum(calls) AS mean, min(min_exec_time) AS least, max(max_exec_time) AS longest
  FROM counted.pg_stat_statements WHERE query ~* '^\\s*(select|insert|update|delete|with|call)'
  GROUP BY 1 ORDER BY sum(total_exec_time) DESC LIMIT 20`;

test('Two servers over a database send each event once, and the database says what it was asked for that', async () => {
  await using opened = new Resources();
  const cluster = await machines(opened, ['one', 'two'], undefined, SETTINGS);
  const { all, balancer, arrivals, sandbox, rows } = cluster;
  await rows(BEGIN_COUNTING);
  const team = await cluster.teamOn(all[0]);
  for (let n = 0; n < PHONES; n += 1) await team.addDevice(sandbox, { platform: 'ios' });
  const posters = Math.ceil((EVENTS_PER_S * (PAUSE_MS + POST_MS)) / 1_000);
  const load = new Load(team.key, { posters, pauseMs: PAUSE_MS });
  const stop = new AbortController();
  await rows(RESET);
  const posting = load.run(balancer.url, stop.signal);
  const reading = read(balancer.url, team.key, stop.signal);
  await pause(MINUTES * 60_000);
  stop.abort();
  await posting;
  assert.equal(await reading, []);
  await untilIs('the queue is empty', () => openIn(cluster), 0, DRAINS_WITHIN_MS);

  const { acknowledged, unanswered, refusals } = load;
  const { total } = arrivals;
  const counted = await rows(COUNTED);
  const lines = [
    `${acknowledged.size} events and ${total} pushes in ${MINUTES} minutes, ${await pushesACall(cluster, total)} a call of settle_claims`,
    '| statement | calls | mean | least | longest |',
    '|---|---|---|---|---|',
    ...counted.map(inOneRow),
  ];
  process.stdout.write(`\n${lines.join('\n')}\n`);
  assert.ok(acknowledged.size > 0);
  assert.equal({ unanswered, refusals: [...refusals] }, { unanswered: 0, refusals: [] });
  assert.equal(await storedIn(cluster, 'acme'), acknowledged);
  assert.is(await usageOf(cluster, 'acme'), acknowledged.size);
  assert.is(total, acknowledged.size * PHONES);
  assert.is(arrivals.duplicates, 0);
  assert.ok(
    counted.some(({ text }) => String(text).includes('post_events')),
    'the database has counted',
  );
});

test.run();

/** Reads like a program that shows what came last. Returns each answer that was none. */
async function read(url: string, key: string, signal: AbortSignal): Promise<readonly string[]> {
  const failures: string[] = [];
  while (!signal.aborted) {
    const headers = { authorization: `Bearer ${key}` };
    await fetch(`${url}/api/v1/events?limit=100`, { headers }).then(
      async (answer) => {
        const text = await answer.text();
        if (!answer.ok) failures.push(text);
      },
      (error: Error) => failures.push(error.message),
    );
    await pause(READ_EVERY_MS);
  }
  return failures;
}

async function pushesACall({ rows }: Machines, pushes: number): Promise<string> {
  const [found] = await rows(
    "SELECT sum(calls)::bigint AS calls FROM counted.pg_stat_statements WHERE query ~ 'FROM settle_claims'",
  );
  return (pushes / Number(found?.calls)).toFixed(0);
}

function inOneRow({ text, calls, mean, least, longest }: Readonly<Record<string, unknown>>): string {
  const short = String(text).trim().replaceAll('|', '\\|').slice(0, 90);
  return `| \`${short}\` | ${calls} | ${inMs(mean)} | ${inMs(least)} | ${inMs(longest)} |`;
}

function inMs(value: unknown): string {
  return `${Number(value).toFixed(2)} ms`;
}
