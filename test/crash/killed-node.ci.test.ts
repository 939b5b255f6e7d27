import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { IN_FLIGHT_A_THREAD } from '../../src/delivery/limits.ts';
import { Resources } from '../support/resources.ts';
import { until, untilIs } from '../support/until.ts';
import { Load } from './load.ts';
import { type Machine, type Machines, machines, nodesCalled, openIn, storedIn, usageOf } from './nodes.ts';

const DEVICES = 8;
/** So long that each node has pushes out at any time. */
const PROVIDER_MS = 2_000;
/** Leaves a busy machine able to follow. */
const PACE = { posters: 6, pauseMs: 100, answerMs: 5_000 };
const EVENTS = 30;
/** The most that a node with one delivery thread may have out. */
const OUT = IN_FLIGHT_A_THREAD.urgent + IN_FLIGHT_A_THREAD.standard;

test('A node that leaves or is killed under load loses no event, and only what a killed one had out is sent twice', async () => {
  await using opened = new Resources();
  const cluster = await machines(opened, ['one', 'two', 'three']);
  const { all, arrivals, balancer, sandbox } = cluster;
  const [living, killed, leaving = killed] = all;
  const team = await cluster.teamOn(living);
  const tokens: string[] = [];
  for (let n = 0; n < DEVICES; n += 1) tokens.push((await team.addDevice(sandbox, { platform: 'ios' })).token);
  sandbox.behave({ match: {}, answer: { kind: 'accept', afterMs: PROVIDER_MS } });
  const load = new Load(team.key, PACE);

  async function endUnderLoad(node: Machine, signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    const stop = new AbortController();
    const posting = load.run(balancer.url, stop.signal);
    await untilTaken(load);
    await until('it has some out', async () => (await pagesOut(cluster, node)) > 0 || pagesOut(cluster, node));
    const exitCode = await node.process.end(signal);
    await untilTaken(load);
    stop.abort();
    await posting;
    await load.finish(balancer.url);
    await untilIs('the others have sent all', () => openIn(cluster), 0);
    const stored = await storedIn(cluster, 'acme');
    assert.equal(
      [...load.acknowledged.keys()].filter((event) => !stored.has(event)),
      [],
      'what was taken is stored',
    );
    assert.is(await usageOf(cluster, 'acme'), stored.size, 'usage is exact');
    const missing = [...stored].flatMap((event) => tokens.filter((token) => arrivals.copies(event, token) === 0));
    assert.equal(missing, [], 'each push has arrived');
    assert.equal(load.torn, [], 'a key stands for one event');
    return exitCode;
  }

  assert.is(await endUnderLoad(leaving, 'SIGTERM'), 0);
  assert.equal(await nodesCalled(cluster, leaving.name), [], 'it has left');
  assert.is(arrivals.duplicates, 0);
  await endUnderLoad(killed, 'SIGKILL');
  assert.ok(arrivals.duplicates <= OUT, `${arrivals.duplicates} pushes sent twice`);
  process.stdout.write(`\n${load.acknowledged.size} events taken, ${arrivals.duplicates} pushes sent twice\n`);
});

test.run();

async function untilTaken({ acknowledged }: Load): Promise<void> {
  const { size } = acknowledged;
  await until('events are taken', () => acknowledged.size >= size + EVENTS || acknowledged.size);
}

async function pagesOut({ rows }: Machines, { name }: Machine): Promise<number> {
  const found = await rows(`SELECT 1 FROM fan_out JOIN node ON node.id = owner WHERE name = '${name}'`);
  return found.length;
}
