import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Outcome } from '../../src/push.ts';
import { StoreUnavailable } from '../../src/store/calls.ts';
import { countsOf, outcomesFor } from '../support/queue.ts';
import { aRelay } from '../support/relay.ts';

const ACCEPTED: Outcome = { kind: 'accepted' };
const FAULT: Outcome = { kind: 'deferred', reason: 'timeout', pace: 'fault' };

test('waits for as long as it may, even for longer than a minute', async () => {
  const sim = await aRelay({ stopTimeoutMs: 120_000, devices: { ios: 1 } });
  sim.hang = () => true;
  const publicId = await sim.post();
  await sim.run(0);
  sim.after(90_000, sim.release);
  await sim.stop();
  assert.is((await countsOf(sim.world, publicId)).accepted, 1);
});

test('at once after the start leaves nothing behind that would keep the process from ending', async () => {
  const sim = await aRelay();
  await sim.stop();
  assert.is(sim.timers(), 0);
});

test('sends due pushes and keeps waiting ones', async () => {
  const sim = await aRelay({ devices: { ios: 300, android: 1 } });
  sim.answer = (batch) => outcomesFor(batch, batch.route === 'fcm' ? FAULT : ACCEPTED);
  const publicId = await sim.post();
  await sim.stop();
  assert.is((await countsOf(sim.world, publicId)).accepted, 300);
  assert.is((await countsOf(sim.world, publicId)).pending, 1);
});

test("goes on at the pace of the provider's quota, for as long as it may", async () => {
  const sim = await aRelay({ perMinute: 60, stopTimeoutMs: 30_000, devices: { android: 60 } });
  const publicId = await sim.post();
  await sim.stop();
  const { accepted, pending } = await countsOf(sim.world, publicId);
  assert.equal([accepted, pending], [30, 30]);
});

test('does not wait for a provider that never answers beyond its time', async () => {
  const sim = await aRelay({ devices: { ios: 1 } });
  sim.hang = () => true;
  const publicId = await sim.post();
  await sim.run(0);
  await sim.stop();
  assert.is((await countsOf(sim.world, publicId)).pending, 1);
  sim.release();
});

test('asks a store that takes nothing back no second time, and logs no pause that comes of the stop', async () => {
  const sim = await aRelay({ devices: { ios: 1 }, stopTimeoutMs: 1_000 });
  let asked = 0;
  sim.giveBack = async () => {
    asked += 1;
    throw new StoreUnavailable('closed');
  };
  sim.hang = () => true;
  sim.answer = (batch) => outcomesFor(batch, { kind: 'unavailable', reason: 'worker_lost' });
  await sim.post();
  await sim.run(0);
  sim.after(2_000, sim.release);
  await sim.stop();
  assert.is(asked, 1);
  assert.is(sim.timers(), 0);
  assert.not.match(sim.logged.join(''), 'route paused');
});

test.run();
