import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryFolder } from '../support/folder.ts';
import { temporarySchema } from '../support/postgres.ts';
import { granted } from '../support/refusals.ts';
import { Resources } from '../support/resources.ts';
import type { Sandbox } from '../support/sandbox/start.ts';
import { aSandbox } from '../support/sandbox.ts';
import { aTeam, type Env, serverEnv } from '../support/server.ts';
import { until } from '../support/until.ts';
import { additionsTo } from '../support/workspace.ts';
import { ArrivedReminders, type Reminder } from './arrived-reminders.ts';
import { serverProcess } from './server-process.ts';
import { sizeFrom } from './size-from.ts';
import { readingFrom } from './stopped-data.ts';

/** The number of kills for each kind of store. KILLS=50 takes twice as long. */
const KILLS = sizeFrom('KILLS', 25);
const REPEAT_MS = 60_000;
/** Their rounds lie evenly over a repeat, so each kill meets one of every part of it. */
const CHANNELS = 120;
/** A kill comes so soon after it listens, while the rounds of the outage are made, or so soon after they are. */
const LONGEST_MS = { before: 150, after: 1_000 };
/** A reminder that comes before its time would be one too many. The clock of a new process is a few milliseconds off. */
const EARLY_MS = 500;

/** The alert of a channel: how many reminders it counts, how many were made, and when the next is due. */
interface Reminded {
  readonly channel: string;
  readonly counted: number;
  readonly made: number;
  readonly nextAtMs: number;
}
const REMINDED = `
  SELECT channel.slug AS channel, reminders AS counted, next_at AS "nextAtMs",
    (SELECT count(*) FROM event WHERE kind = 'reminder' AND alert_id = alert.event_id) AS made
  FROM alert JOIN channel ON channel.id = alert.channel_id JOIN insisting ON insisting.channel_id = channel.id`;
const NEXT_AT = 'SELECT min(next_at) AS number FROM insisting';
/** Reminders that a device has not got before the next. */
const EXPIRED = "SELECT coalesce(sum(expired), 0) AS number FROM event WHERE kind = 'reminder'";

for (const [what, settings, count] of [
  ['SQLite', async (): Promise<Env> => ({}), 1],
  ['PostgreSQL and two servers', async () => ({ PUSHCTL_STORE_URL: await temporarySchema() }), 2],
] as const) {
  test(`Over ${what}, killed ${KILLS} times, no round is made twice or by half, and none is missing`, async () => {
    await using opened = new Resources();
    const sandbox = opened.add(await aSandbox({ record: 'count' }));
    const common = await serverEnv(sandbox, await settings());
    const machines = Array.from({ length: count }, (_, n) => machineOf(common, n));
    const read = readingFrom(machines[0] ?? {});
    const reminded = () => read<Reminded>(REMINDED);
    const numberOf = async (statement: string) => Number((await read<{ number: number }>(statement))[0]?.number);
    const nextAtMs = () => numberOf(NEXT_AT);
    const tokens = await openAlerts(opened, machines[0] ?? {}, sandbox);
    const arrived = new ArrivedReminders();
    sandbox.onPush((push) => arrived.take(push));
    const beganAtMs = Date.now();
    await read(`
      UPDATE insisting SET next_at = ${beganAtMs} + channel_id % ${CHANNELS} * ${REPEAT_MS / CHANNELS}`);
    const firstAtMs = new Map((await reminded()).map(({ channel, nextAtMs }) => [channel, nextAtMs]));
    assert.is(firstAtMs.size, CHANNELS);

    const running = machines.map((env) => serverProcess(opened, env));
    for (const { url } of running) await url;
    /** Between two moments at which all rounds were made. */
    let longestOutageMs = 0;
    let madeAtMs = beganAtMs;
    const allMade = async () => {
      await until('the rounds of the outage are made', async () => (await nextAtMs()) > Date.now());
      longestOutageMs = Math.max(longestOutageMs, Date.now() - madeAtMs);
      madeAtMs = Date.now();
    };
    for (let kill = 0; kill < KILLS; kill += 1) {
      const isAfter = Math.floor(kill / count) % 2 === 1;
      if (isAfter) await allMade();
      await pause(Math.random() * LONGEST_MS[isAfter ? 'after' : 'before']);
      const victim = kill % count;
      await running[victim]?.end('SIGKILL');
      running[victim] = serverProcess(opened, machines[victim] ?? {});
      await running[victim].url;
    }
    const endedAtMs = Date.now();
    await allMade();
    const now = await reminded();
    assert.is(now.length, CHANNELS);
    for (const { channel, counted, made, nextAtMs } of now) {
      assert.is(made, counted, channel);
      const kept = (firstAtMs.get(channel) ?? 0) + counted * REPEAT_MS;
      // If no outage was as long as a repeat, each round has been made in time. None is made up later.
      if (longestOutageMs < REPEAT_MS) assert.is(nextAtMs, kept, `${channel}: ${counted} reminders`);
      else assert.ok(nextAtMs >= kept, `${channel}: ${counted} reminders`);
    }

    const made = now.flatMap(({ channel, counted }) => Array.from({ length: counted }, (_, n) => ({ channel, n })));
    const reminders = made.flatMap(({ channel, n }) => tokens.map((token) => ({ channel, nth: n + 1, token })));
    const hasCome = (reminder: Reminder) => arrived.atMs(reminder) !== undefined;
    // One lives until the next: on a busy machine that is killed again and again, some have no time to be sent.
    await until(
      'all have arrived, or have expired',
      async () => reminders.filter((reminder) => !hasCome(reminder)).length <= (await numberOf(EXPIRED)),
      3 * REPEAT_MS,
    );
    const lateMs = reminders.filter(hasCome).map((reminder) => {
      const dueAtMs = (firstAtMs.get(reminder.channel) ?? 0) + (reminder.nth - 1) * REPEAT_MS;
      return (arrived.atMs(reminder) ?? 0) - dueAtMs;
    });
    lateMs.sort((a, b) => a - b);
    assert.ok((lateMs[0] ?? 0) > -EARLY_MS, `${lateMs[0]} ms late`);
    const seconds = Math.round((endedAtMs - beganAtMs) / 1_000);
    const numbers = [
      `${KILLS} kills in ${seconds} s; ${reminders.length} reminders, ${lateMs.length} of them arrived`,
      `${arrived.copies} sent again; the longest outage ${longestOutageMs} ms; late by ${lateMs[lateMs.length >> 1]} ms (median), ${lateMs.at(-1)} ms at most`,
    ];
    process.stdout.write(`\n${what}: ${numbers.join(', ')}\n`);
  });
}

test.run();

function machineOf(common: Env, n: number): Env {
  return n === 0 ? common : { ...common, PUSHCTL_DATA_DIR: temporaryFolder() };
}

/** One in each of many channels, for two devices. Answers their tokens. */
async function openAlerts(opened: Resources, env: Env, sandbox: Sandbox): Promise<readonly string[]> {
  const server = serverProcess(opened, env);
  const { store, post, close } = await aTeam(env, await server.url);
  const slugs = Array.from({ length: CHANNELS }, (_, n) => `disk-${n}`);
  for (const slug of slugs) {
    granted(await store.createChannel({ workspace: 'acme', slug }));
    granted(await store.updateChannel({ workspace: 'acme', slug, insist: { repeat: 60, until: 3_000 } }));
  }
  const tokens = (['ios', 'android'] as const).map((platform) => ({ platform, token: sandbox.token({ platform }) }));
  for (const device of tokens) await additionsTo(store).addDevice({ ...device, subscribe: slugs });
  for (const channel of slugs) await post({ channel, level: 'error', delivery_urgency: 'time_sensitive' });
  await until(
    'all alerts have arrived',
    () => sandbox.counts.accepted >= CHANNELS * tokens.length || sandbox.counts.accepted,
  );
  await close();
  await server.end('SIGTERM');
  return tokens.map(({ token }) => token);
}
