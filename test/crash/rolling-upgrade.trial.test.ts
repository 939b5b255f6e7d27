import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryFolder } from '../support/folder.ts';
import { Resources } from '../support/resources.ts';
import { until, untilIs } from '../support/until.ts';
import { Load } from './load.ts';
import { NEXT_VERSION, nextVersionIn } from './next-version.ts';
import { machines, nodesCalled, openIn, storedIn, usageOf } from './nodes.ts';

const PACE = { posters: 6, pauseMs: 40 };

test('Nodes that are upgraded one after the other under load lose and repeat nothing, and refuse with a 503 at most', async () => {
  await using opened = new Resources();
  const cluster = await machines(opened, ['one', 'two']);
  const { all, balancer, arrivals } = cluster;
  const team = await cluster.teamOn(all[0]);
  const { token } = await team.addDevice(cluster.sandbox, { platform: 'ios' });
  const load = new Load(team.key, PACE);
  const stop = new AbortController();
  const posting = load.run(balancer.url, stop.signal);
  const goesOn = async () => {
    const before = load.acknowledged.size;
    await until('events are acknowledged', () => load.acknowledged.size > before + 50 || load.acknowledged.size);
  };

  const next = nextVersionIn(temporaryFolder());
  for (const machine of all) {
    await goesOn();
    assert.is(await machine.process.end('SIGTERM'), 0);
    await goesOn();
    await machine.start(next);
    assert.equal(await nodesCalled(cluster, machine.name), [NEXT_VERSION]);
  }
  await goesOn();
  stop.abort();
  await posting;
  await load.finish(balancer.url);
  await untilIs('the queue is empty', () => openIn(cluster), 0);

  process.stdout.write(`\n${load.acknowledged.size} acknowledged, ${load.unanswered} without an answer\n`);
  // A client that was held up for a second finds its connection closed, once at each stop.
  assert.ok(load.unanswered <= all.length * PACE.posters, `${load.unanswered} posts without an answer`);
  assert.equal(
    [...load.refusals.keys()].filter((what) => what !== '503'),
    [],
  );
  assert.equal(load.torn, []);
  const events = await storedIn(cluster, 'acme');
  assert.is([...load.acknowledged.keys()].filter((event) => !events.has(event)).length, 0, 'nothing is lost');
  assert.is(await usageOf(cluster, 'acme'), events.size);
  assert.is(
    [...events].filter((event) => arrivals.copies(event, token) === 1).length,
    events.size,
    'each arrives once',
  );
});

test.run();
