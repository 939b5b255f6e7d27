import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Outcome } from '../../src/push.ts';
import { assertEach } from '../support/assert-each.ts';
import { countsOf, outcomesFor } from '../support/queue.ts';
import { aRelay } from '../support/relay.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ACCEPTED: Outcome = { kind: 'accepted' };
const BUSY: Outcome = { kind: 'deferred', reason: 'InternalServerError', pace: 'busy' };
const FAULT: Outcome = { kind: 'deferred', reason: 'timeout', pace: 'fault' };
const RECALLED: Outcome = { kind: 'recalled', reason: 'recalled' };
const DOWN: Outcome = { kind: 'unavailable', reason: 'ECONNREFUSED' };

test('sends an event to every device and lets go of its links', async () => {
  await using sim = await aRelay({ devices: { ios: 250, android: 1 } });
  const publicId = await sim.post({ links: { url: 'https://example.com/a' } });
  await sim.run(0);
  assert.is((await countsOf(sim.world, publicId)).accepted, 251);
  assert.ok(sim.batches.every(({ events }) => events[0]?.event.links.url === 'https://example.com/a'));
  assert.is(sim.links.bytes, 0);
});

test('settles a batch of dead devices even if the store takes only a few at a time', async () => {
  await using sim = await aRelay({ devices: { ios: 30 } });
  sim.answer = (batch) => outcomesFor(batch, { kind: 'unregistered', reason: 'Unregistered' });
  const publicId = await sim.post();
  await sim.run(0);
  assert.is((await countsOf(sim.world, publicId)).unregistered, 30);
  assert.is(sim.batches.length, 1);
});

test('tries a deferred push again at doubling intervals until it is accepted', async () => {
  await using sim = await aRelay({ random: 1, devices: { ios: 1 } });
  sim.answer = (batch) => outcomesFor(batch, sim.batches.length > 4 ? ACCEPTED : FAULT);
  const publicId = await sim.post();
  await sim.run(HOUR_MS);
  assert.equal(sim.sentAfterMs(), [0, 5_000, 15_000, 35_000, 75_000]);
  assert.is((await countsOf(sim.world, publicId)).accepted, 1);
});

test('a busy provider is asked at the slower pace, and its Retry-After is honoured', async () => {
  await using sim = await aRelay({ random: 0, devices: { android: 1 } });
  const answers: Outcome[] = [BUSY, { ...BUSY, retryAfterS: 90 } as Outcome, ACCEPTED];
  sim.answer = (batch) => outcomesFor(batch, answers[sim.batches.length - 1] ?? ACCEPTED);
  await sim.post();
  await sim.run(HOUR_MS);
  assert.equal(sim.sentAfterMs(), [0, 12_000, 102_000]);
});

test('a push that is never accepted expires at its time to live, and not earlier', async () => {
  await using sim = await aRelay({ devices: { ios: 1 } });
  sim.answer = (batch) => outcomesFor(batch, FAULT);
  const publicId = await sim.post({ links: { url: 'https://example.com/a' } });
  await sim.run(DAY_MS - 1);
  assert.is((await countsOf(sim.world, publicId)).pending, 1);
  await sim.run(2 * HOUR_MS);
  assert.is((await countsOf(sim.world, publicId)).expired, 1);
  assert.is(sim.links.bytes, 0);
});

test('after a restart the rest goes out without links, and that is counted', async () => {
  const sim = await aRelay({ devices: { ios: 3 } });
  sim.answer = (batch) => outcomesFor(batch, DOWN);
  const publicId = await sim.post({ links: { imageUrl: 'https://example.com/a.png' } });
  await sim.run(0);
  await sim.stop();
  const next = await aRelay({ world: { ...sim.world, ...(await sim.world.restart()) } });
  await next.run(0);
  assert.is((await countsOf(next.world, publicId)).accepted, 3);
  const lost = next.world.db.prepare(`SELECT sum(count) FROM tally WHERE measure = 'links_lost'`).pluck().get();
  assert.is(lost, 3);
  await next.stop();
});

test('unsent pushes of a device that leaves are withdrawn from their thread, and all others are sent', async () => {
  for (const leaving of [1, 3]) {
    const sim = await aRelay({ devices: { ios: 3 } });
    sim.hang = () => sim.batches.length === 1;
    sim.answer = ({ targets, revoked }) =>
      targets.map(({ deviceId }, index) => ({
        index,
        deviceId,
        outcome: revoked[index] === 1 ? RECALLED : ACCEPTED,
        fitted: false,
      }));
    const publicId = await sim.post({ links: { url: 'https://example.com/a' } });
    await sim.run(0);
    for (const id of sim.world.devices.slice(0, leaving)) await sim.world.calls.removeDevice({ id });
    sim.release();
    await sim.run(0);
    const { accepted, withdrawn, pending } = await countsOf(sim.world, publicId);
    assert.equal([accepted, withdrawn, pending], [3 - leaving, leaving, 0]);
    assert.is(sim.batches.length, 1);
    assert.is(sim.links.bytes, 0);
    await sim.stop();
  }
});

test('small events that wait together go out together, and one that comes alone goes at once', async () => {
  await using sim = await aRelay({ devices: { ios: 1 } });
  sim.hang = () => sim.batches.length === 1;
  const alone = await sim.post();
  await sim.run(0);
  assert.equal(sim.batches[0]?.events[0]?.event.publicId, alone);
  await Promise.all(Array.from({ length: 250 }, () => sim.post()));
  await sim.run(0);
  assertEach(sim.batches, ({ targets }) => targets.length, [1, 100, 100, 50]);
  assert.equal(
    sim.sentAfterMs().filter((ms) => ms > 0),
    [],
  );
  sim.release();
});

test('early outcomes are settled and make room, while one push of each batch is slow', async () => {
  await using sim = await aRelay({ devices: { ios: 2_000 } });
  sim.hang = () => true;
  sim.early = (batch) => outcomesFor(batch, ACCEPTED).slice(1);
  const publicId = await sim.post();
  await sim.run(0);
  const { accepted, pending } = await countsOf(sim.world, publicId);
  assert.equal([accepted, pending], [2_000 - sim.batches.length, sim.batches.length]);
  sim.release();
  await sim.run(0);
  assert.is((await countsOf(sim.world, publicId)).accepted, 2_000);
});

test("no minute sees more pushes than the provider's quota, however many fall due in it", async () => {
  const perMinute = 60;
  await using sim = await aRelay({ perMinute, devices: { android: 800 } });
  await sim.post();
  await sim.run(20 * 60_000);
  const sends = sim.sentAfterMs().map((atMs, index) => ({ atMs, count: sim.batches[index]?.targets.length ?? 0 }));
  assert.is(
    sends.reduce((sum, { count }) => sum + count, 0),
    800,
  );
  for (const { atMs } of sends) {
    const inMinute = sends.filter((send) => send.atMs > atMs - 60_000 && send.atMs <= atMs);
    assert.ok(inMinute.reduce((sum, { count }) => sum + count, 0) <= perMinute);
  }
});

test('a route sends at the pace that other processes leave to it', async () => {
  await using sim = await aRelay({ perMinute: 120, devices: { android: 400 } });
  sim.share(2);
  await sim.post();
  await sim.run(2 * 60_000);
  const pushes = () => sim.batches.reduce((sum, { targets }) => sum + targets.length, 0);
  const shared = pushes();
  assert.ok(shared > 110 && shared <= 120, `${shared} in two minutes`);
  sim.share(1);
  await sim.run(2 * 60_000);
  const alone = pushes() - shared;
  assert.ok(alone > 230 && alone <= 240, `${alone} in two minutes`);
});

test.run();
