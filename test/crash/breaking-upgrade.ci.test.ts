import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readMigrations } from '../../src/store/postgres/migrations.ts';
import { temporaryFolder } from '../support/folder.ts';
import { Resources } from '../support/resources.ts';
import { until, untilIs } from '../support/until.ts';
import { Load } from './load.ts';
import { type Version, versionIn } from './next-version.ts';
import { type Machine, machines, nodesCalled, openIn, storedIn, usageOf } from './nodes.ts';

/** Leaves a busy machine able to follow. */
const PACE = { posters: 6, pauseMs: 40, answerMs: 10_000 };
const ADDS = { 'add.sql': 'ALTER TABLE event ADD COLUMN next {text}; CREATE TABLE next (id {identity});' };
const ADDITIVE: Version = {
  version: '98.0.0',
  migrations: ADDS,
  // Changes each file, so that all functions and triggers are written again.
  moreFunctions: "COMMENT ON TABLE next IS 'changed';",
};
const BREAKING: Version = {
  version: '99.0.0',
  migrations: {
    ...ADDS,
    'rename.breaking.sql': 'ALTER TABLE event RENAME COLUMN links_mark TO mark_of_links; DROP PROCEDURE post_events;',
  },
  renamed: { links_mark: 'mark_of_links', post_events: 'take_events' },
};
const BREAKS = readMigrations().length + 2;

test('Additive and breaking upgrades under load lose no event', async () => {
  await using opened = new Resources();
  const cluster = await machines(opened, ['one', 'two']);
  const { all, balancer, arrivals } = cluster;
  const [first, second] = all;
  const team = await cluster.teamOn(first);
  const { token } = await team.addDevice(cluster.sandbox, { platform: 'ios' });
  const load = new Load(team.key, PACE);
  const stop = new AbortController();
  opened.onEnd(() => stop.abort());
  const posting = load.run(balancer.url, stop.signal);
  const goesOn = async () => {
    const before = load.acknowledged.size;
    await until('events are acknowledged', () => load.acknowledged.size > before + 50 || load.acknowledged.size);
  };
  const stopsCalmly = async (machine: Machine) => assert.is(await machine.process.end('SIGTERM'), 0);

  await goesOn();
  const additive = versionIn(temporaryFolder(), ADDITIVE);
  const addedMs = await durationOf(() => migrate(additive, first));
  assert.is(load.unanswered, 0, 'older servers go on');
  await goesOn();
  await stopsCalmly(second);
  await second.start(additive);
  assert.equal(await nodesCalled(cluster, 'two'), ['98.0.0']);
  await goesOn();
  await stopsCalmly(second);
  await second.start();
  await goesOn();
  // A client that was held up for a second finds its connection closed, once at each stop.
  assert.ok(load.unanswered <= 2 * PACE.posters, `${load.unanswered} posts without an answer`);
  assert.equal([...load.refusals], [], 'no 5xx');

  const breaking = versionIn(temporaryFolder(), BREAKING);
  await stopsCalmly(second);
  const refusal = await second.start(breaking).catch(({ message }: Error) => message);
  assert.match(
    String(refusal),
    new RegExp(`needs schema ${BREAKS}, which older versions cannot use. Run .pushctl migrate`),
  );
  await second.start();
  await goesOn();
  const unanswered = load.unanswered;
  assert.equal([...load.refusals], [], 'no 5xx');
  const beganMs = performance.now();
  const { stderr } = await migrate(breaking, first);
  const migratedMs = performance.now() - beganMs;
  assert.match(stderr, /these servers stop, since they cannot use the new schema: one \(.*\), two \(/);
  for (const { process } of all) {
    const { exitCode, errorText } = await process.ended;
    assert.is(exitCode, 75);
    assert.match(errorText, `A newer pushctl upgrades the database to schema ${BREAKS}`);
  }
  await first.start(breaking);
  const before = load.acknowledged.size;
  await until('the next event is acknowledged', () => load.acknowledged.size > before);
  const pauseMs = performance.now() - beganMs;
  const duringPause = [...load.refusals];
  await second.start(breaking);
  await goesOn();
  stop.abort();
  await posting;
  assert.equal([...load.refusals], duringPause, 'no 5xx after the pause');
  assert.equal(
    duringPause.filter(([what]) => what !== '503'),
    [],
    'no server used a schema that it does not know',
  );
  await stopsCalmly(first);
  const older = await first.start().catch(({ message }: Error) => message);
  assert.match(String(older), 'needs at least schema');
  await load.finish(balancer.url);
  await untilIs('the queue is empty', () => openIn(cluster), 0);

  const events = await storedIn(cluster, 'acme');
  assert.is([...load.acknowledged.keys()].filter((event) => !events.has(event)).length, 0, 'nothing is lost');
  assert.is(await usageOf(cluster, 'acme'), events.size);
  assert.is([...events].filter((event) => arrivals.copies(event, token) === 0).length, 0, 'each arrives');
  assert.equal(load.torn, []);
  process.stdout.write(
    `\n${load.acknowledged.size} acknowledged, ${load.unanswered - unanswered} without an answer in the pause, ` +
      `${arrivals.duplicates} sent twice; additive migration ${inS(addedMs)}, ` +
      `breaking one ${inS(migratedMs)}, pause ${inS(pauseMs)}, ${JSON.stringify(duringPause)}\n`,
  );
});

test.run();

function migrate(main: string, { env }: Machine): Promise<{ readonly stderr: string }> {
  return promisify(execFile)(process.execPath, [main, 'migrate'], { env: { PATH: process.env.PATH, ...env } });
}

async function durationOf(work: () => Promise<unknown>): Promise<number> {
  const beganMs = performance.now();
  await work();
  return performance.now() - beganMs;
}

function inS(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
