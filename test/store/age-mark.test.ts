import * as assert from 'uvu/assert';
import { conformance } from '../support/engines.ts';
import { claim, settle } from '../support/queue.ts';
import { aWorld, HOUR_MS, NOW_MS, type World } from '../support/world.ts';

const { it, run } = conformance('retention and a clock that is set forward', ({ engine }) =>
  aWorld({ engine, devices: { ios: 1 } }),
);

const DAY_MS = 24 * HOUR_MS;

/** Prunes until nothing is left to do. Returns whether removal by age was held. */
async function pruned({ calls }: World, wallMs: number, passedMs = 0): Promise<boolean> {
  for (let isFirst = true; ; isFirst = false) {
    const { done, isHeld } = await calls.pruneStep({ wallMs, passedMs: isFirst ? passedMs : 0 });
    if (done) return isHeld;
  }
}

async function anEvent(world: World): Promise<void> {
  await world.post({});
  for (const batch of await claim(world)) await settle(world, batch);
}

it('a clock set forward by years removes nothing until servers have worked for a day', async (world) => {
  await anEvent(world);
  assert.is(await pruned(world, NOW_MS), false);
  const aheadMs = NOW_MS + 3_650 * DAY_MS;
  assert.is(await pruned(world, aheadMs), true);
  for (let hours = 1; hours < 24; hours += 1) {
    assert.is(await pruned(world, aheadMs + hours * HOUR_MS, HOUR_MS), true);
  }
  assert.is(await world.countRows('event'), 1);
  assert.is(await pruned(world, aheadMs + DAY_MS, HOUR_MS), false);
  assert.is(await world.countRows('event'), 0);
});

it('a clock that is set right again holds nothing', async (world) => {
  await anEvent(world);
  assert.is(await pruned(world, NOW_MS), false);
  assert.is(await pruned(world, NOW_MS + 3_650 * DAY_MS, HOUR_MS), true);
  assert.is(await pruned(world, NOW_MS + HOUR_MS, HOUR_MS), false);
  assert.is(await world.countRows('event'), 1);
});

it('events become old while servers run, though their clock is ahead of the mark by an hour', async (world) => {
  await anEvent(world);
  for (let hours = 0; hours <= 4_000 * 24 && (await world.countRows('event')) > 0; hours += 20) {
    assert.is(await pruned(world, NOW_MS + hours * HOUR_MS), false);
  }
  assert.is(await world.countRows('event'), 0);
});

run();
