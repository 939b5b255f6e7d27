import * as assert from 'uvu/assert';
import { storedFindings } from '../../src/health/findings.ts';
import { toTimestamp } from '../../src/values/timestamp.ts';
import { conformance } from '../support/engines.ts';
import { OPERATOR } from '../support/people.ts';
import { claim, settle } from '../support/queue.ts';
import { granted } from '../support/refusals.ts';
import { aWorld, HOUR_MS, NOW_MS, type World } from '../support/world.ts';

const MINUTE_MS = HOUR_MS / 60;

const { test, it, run } = conformance('retention and a clock that is set forward', ({ engine }) =>
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

/** More than a step examines. */
const MANY = 230;
const AHEAD_MS = NOW_MS + 10_000 * DAY_MS;
const OLD_MS = NOW_MS + 3_000 * DAY_MS;

it('events and audit entries dated ahead of a clock that was set back stop no removal of those behind them', async (world) => {
  granted(await world.calls.createChannel({ workspace: 'acme', slug: 'empty' }));
  const rename = (nth: number, wallMs: number) =>
    world.calls.updateChannel({ workspace: 'acme', slug: 'empty', name: `Name ${nth}`, wallMs }, OPERATOR);
  await pruned(world, OLD_MS, DAY_MS);
  for (let nth = 0; nth < MANY; nth += 1) {
    await world.post({ channel: 'empty', wallMs: AHEAD_MS });
    granted(await rename(nth, AHEAD_MS));
  }
  await world.post({ channel: 'empty' });
  granted(await rename(MANY, NOW_MS));
  const entries = await world.countRows('audit');
  await pruned(world, OLD_MS, DAY_MS);
  assert.is(await world.countRows('event'), MANY);
  assert.is(await world.countRows('audit'), entries - 1);
  await pruned(world, AHEAD_MS + 3_000 * DAY_MS);
  await pruned(world, AHEAD_MS + 3_001 * DAY_MS, DAY_MS);
  assert.is(await world.countRows('event'), 0);
});

it('several servers count the time at work once, not each', async (world) => {
  await anEvent(world);
  await pruned(world, NOW_MS);
  const aheadMs = NOW_MS + 3_650 * DAY_MS;
  assert.is(await pruned(world, aheadMs), true);
  // Three servers prune once an hour, in turns.
  for (let minutes = 20; minutes < 24 * 60; minutes += 20) {
    assert.is(await pruned(world, aheadMs + minutes * MINUTE_MS, HOUR_MS), true, `after ${minutes} minutes`);
  }
  assert.is(await world.countRows('event'), 1);
  assert.is(await pruned(world, aheadMs + DAY_MS, HOUR_MS), false);
});

it('further jumps of the shared clock count as no more work than a server has done', async (world) => {
  await anEvent(world);
  await pruned(world, NOW_MS);
  const ahead = (years: number, hours: number) => NOW_MS + years * 365 * DAY_MS + hours * HOUR_MS;
  assert.is(await pruned(world, ahead(10, 0)), true);
  assert.is(await pruned(world, ahead(20, 0), HOUR_MS), true);
  assert.is(await pruned(world, ahead(10, 0), HOUR_MS), true, 'no time passes by a clock that goes back');
  for (let hours = 1; hours < 23; hours += 1) assert.is(await pruned(world, ahead(10, hours), HOUR_MS), true);
  assert.is(await world.countRows('event'), 1);
  assert.is(await pruned(world, ahead(10, 23), HOUR_MS), false);
});

it('a clock that was ahead for long and is set right is guarded again after a day at work', async (world) => {
  const aheadMs = NOW_MS + 3_650 * DAY_MS;
  await pruned(world, aheadMs);
  await anEvent(world);
  for (let hours = 0; hours <= 24; hours += 1) {
    assert.is(await pruned(world, NOW_MS + hours * HOUR_MS, HOUR_MS), false, 'what is old by the wall clock goes');
  }
  assert.is(await pruned(world, aheadMs + HOUR_MS, HOUR_MS), true);
  assert.is(await world.countRows('event'), 1);
});

it('a clock that is set back for less than a day at work leaves the mark alone', async (world) => {
  await pruned(world, NOW_MS);
  await world.post({ wallMs: NOW_MS });
  for (let hours = 0; hours < 24; hours += 1) await pruned(world, hours * HOUR_MS, HOUR_MS);
  assert.is(await pruned(world, NOW_MS + HOUR_MS, HOUR_MS), false);
});

it('time at work with a clock set back shortens no hold of a clock set forward', async (world) => {
  await pruned(world, NOW_MS);
  for (let hours = 0; hours < 24; hours += 1) await pruned(world, hours * HOUR_MS, HOUR_MS);
  const aheadMs = NOW_MS + 3_650 * DAY_MS;
  for (let hours = 0; hours < 23; hours += 1) assert.is(await pruned(world, aheadMs + hours * HOUR_MS, HOUR_MS), true);
});

test('while the clock is held, time at work makes rows old', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1 }, eventsRetentionMs: 2 * DAY_MS });
  await anEvent(world);
  for (const hours of [0, 20, 40, 47]) await pruned(world, NOW_MS + hours * HOUR_MS, HOUR_MS);
  const aheadMs = NOW_MS + 3_650 * DAY_MS;
  for (let hours = 0; hours < 2; hours += 1) await pruned(world, aheadMs + hours * HOUR_MS, hours * HOUR_MS);
  assert.is(await world.countRows('event'), 1);
  assert.is(await pruned(world, aheadMs + 2 * HOUR_MS, HOUR_MS), true);
  assert.is(await world.countRows('event'), 0);
});

it('the status says how long the clock is still held, and warns meanwhile', async (world) => {
  const statusAt = (wallMs: number) => world.calls.readStatus({ wallMs });
  const aheadMs = NOW_MS + 3_650 * DAY_MS;
  await pruned(world, NOW_MS);
  assert.is((await statusAt(aheadMs)).ageHold, null, 'no server has worked since');
  await pruned(world, aheadMs);
  await pruned(world, aheadMs + HOUR_MS, HOUR_MS);
  const held = await statusAt(aheadMs + HOUR_MS);
  assert.equal(held.ageHold, { lastAt: toTimestamp(NOW_MS), leftMs: 23 * HOUR_MS });
  const [finding, ...others] = storedFindings(held);
  assert.equal([finding?.check, finding?.status, others], ['retention', 'warn', []]);
  assert.match(finding?.message ?? '', '23 h');
  assert.is((await statusAt(NOW_MS)).ageHold, null, 'the clock is right again');
  await pruned(world, aheadMs + DAY_MS, DAY_MS);
  const after = await statusAt(aheadMs + DAY_MS);
  assert.equal([after.ageHold, storedFindings(after)], [null, []]);
});

run();
