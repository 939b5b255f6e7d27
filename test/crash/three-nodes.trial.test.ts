import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { IN_FLIGHT_A_THREAD } from '../../src/delivery/limits.ts';
import { temporaryFolder } from '../support/folder.ts';
import { granted } from '../support/refusals.ts';
import { Resources } from '../support/resources.ts';
import type { Team } from '../support/server.ts';
import { until, untilIs } from '../support/until.ts';
import { additionsTo, populate } from '../support/workspace.ts';
import { Load } from './load.ts';
import { NEXT_VERSION, nextVersionIn } from './next-version.ts';
import { machines, nodesCalled, openIn, storedIn, usageOf } from './nodes.ts';

const nodes = suite('three nodes behind a TCP balancer');

const DEVICES = [{ platform: 'ios' }, { platform: 'ios' }, { platform: 'android' }] as const;
const ALLOWANCE = 400;
/** A rate that a busy machine can follow. */
const PACE = { posters: 6, pauseMs: 40, answerMs: 5_000 };
/** The most that a node with a delivery thread may have out on the routes of the devices. */
const OUT = 2 * (IN_FLIGHT_A_THREAD.urgent + IN_FLIGHT_A_THREAD.standard);

nodes(
  'While one is killed, one frozen and one upgraded, all that is acknowledged arrives, and no allowance is overrun',
  async () => {
    await using opened = new Resources();
    const cluster = await machines(opened, ['one', 'two', 'three']);
    const { all, balancer, arrivals } = cluster;
    const [killed, frozen, upgraded = killed] = all;
    const team = await cluster.teamOn(upgraded);
    const tokens: string[] = [];
    for (const device of DEVICES) tokens.push((await team.addDevice(cluster.sandbox, device)).token);
    const loads = { acme: new Load(team.key, PACE), small: new Load(await withAllowance(team), PACE) };
    const stop = new AbortController();
    const posting = Object.values(loads).map((load) => load.run(balancer.url, stop.signal));
    const goesOn = async () => {
      const before = loads.acme.acknowledged.size;
      await until(
        'events are acknowledged',
        () => loads.acme.acknowledged.size > before + 50 || loads.acme.acknowledged.size,
      );
    };

    await goesOn();
    await killed.process.end('SIGKILL');
    await goesOn();
    await killed.start();
    frozen.process.freeze();
    await goesOn();
    assert.is(await upgraded.process.end('SIGTERM'), 0);
    await goesOn();
    await upgraded.start(nextVersionIn(temporaryFolder()));
    assert.equal(await nodesCalled(cluster, upgraded.name), [NEXT_VERSION]);
    await goesOn();
    await until(
      'the frozen one is taken for dead',
      async () =>
        (await nodesCalled(cluster, frozen.name)).length === 0 || (await nodesCalled(cluster, frozen.name)).length,
    );
    frozen.process.thaw();
    await until(
      'it has joined again',
      async () =>
        (await nodesCalled(cluster, frozen.name)).length === 1 || (await nodesCalled(cluster, frozen.name)).length,
    );
    await goesOn();
    await until('the allowance is used up', () => loads.small.refusals.has('429'));
    stop.abort();
    await Promise.all(posting);
    for (const load of Object.values(loads)) await load.finish(balancer.url);
    await untilIs('the queue is empty', () => openIn(cluster), 0);

    const events = await storedIn(cluster, 'acme');
    const lost = [...loads.acme.acknowledged.keys()].filter((event) => !events.has(event));
    assert.is(lost.length, 0, 'acknowledged events are stored');
    assert.is(await usageOf(cluster, 'acme'), events.size, 'usage is exact');
    const missing = [...events].flatMap((event) => tokens.filter((token) => arrivals.copies(event, token) === 0));
    assert.is(missing.length, 0, 'all that is stored arrives');
    assert.ok(arrivals.duplicates <= 2 * OUT, `${arrivals.duplicates} pushes sent twice`);
    assert.equal([...loads.acme.torn, ...loads.small.torn], [], 'a key stands for one event');
    assert.is((await storedIn(cluster, 'small')).size, ALLOWANCE, 'the allowance is used up, and not overrun');
    assert.is(await usageOf(cluster, 'small'), ALLOWANCE);
    process.stdout.write(`\n${summary(loads.acme, arrivals.duplicates)}\n`);
  },
);

nodes.run();

/** A second workspace, with an allowance that its load will use up. Answers a key of it. */
async function withAllowance({ store }: Team): Promise<string> {
  await populate(store, { workspace: 'small', owner: null });
  granted(await store.setPlan({ name: 'small', monthlyEvents: ALLOWANCE }));
  granted(await store.setWorkspacePlan({ slug: 'small', plan: 'small' }));
  return (await additionsTo(store, { workspace: 'small' }).issueKey()).text;
}

function summary({ acknowledged, unanswered, refusals }: Load, duplicates: number): string {
  const others = [...refusals].map(([what, count]) => `${count} × ${what}`).join(', ');
  return `${acknowledged.size} acknowledged, ${unanswered} without an answer, ${others || 'no refusals'}; ${duplicates} sent twice`;
}
