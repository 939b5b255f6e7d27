import { setTimeout as pause } from 'node:timers/promises';
import { Opened } from '../../support/opened.ts';
import { until } from '../../support/until.ts';
import { Load } from '../load.ts';
import { type Machines, machines, openIn } from '../nodes.ts';

export interface StatementsOptions {
  readonly minutes: number;
  /** Events that are posted a second, as far as the machine can. */
  readonly aSecond: number;
  /** To which each event goes. */
  readonly phones: number;
}

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

/**
 * What the database was asked by two servers behind a balancer that take events, send them and are read from: the rows
 * of a table in docs/benchmarks.md, the costliest statement first.
 */
export async function* statements({ minutes, aSecond, phones }: StatementsOptions): AsyncGenerator<string> {
  await using opened = new Opened();
  const cluster = await machines(opened, ['one', 'two'], undefined, SETTINGS);
  const { all, balancer, arrivals, sandbox, rows } = cluster;
  await rows(BEGIN_COUNTING);
  const team = await cluster.teamOn(all[0]);
  for (let n = 0; n < phones; n += 1) await team.addDevice(sandbox, { platform: 'ios' });
  const posters = Math.ceil((aSecond * (PAUSE_MS + POST_MS)) / 1_000);
  const load = new Load(team.key, { posters, pauseMs: PAUSE_MS });
  const stop = new AbortController();
  await rows(RESET);
  const running = [load.run(balancer.url, stop.signal), read(balancer.url, team.key, stop.signal)];
  await pause(minutes * 60_000);
  stop.abort();
  await Promise.all(running);
  await until('the queue is empty', async () => (await openIn(cluster)) === 0 || openIn(cluster), DRAINS_WITHIN_MS);
  yield `${load.acknowledged.size} events and ${arrivals.total} pushes in ${minutes} minutes, ${await pushesACall(cluster, arrivals.total)} a call of settle_claims`;
  yield '| statement | calls | mean | least | longest |';
  yield '|---|---|---|---|---|';
  for (const row of await rows(COUNTED)) yield inOneRow(row);
}

/** As a program that shows what came last. */
async function read(url: string, key: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const headers = { authorization: `Bearer ${key}` };
    await fetch(`${url}/api/v1/events?limit=100`, { headers }).then((answer) => answer.text());
    await pause(READ_EVERY_MS);
  }
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
