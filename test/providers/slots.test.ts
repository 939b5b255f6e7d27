import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Clock } from '../../src/clock.ts';
import { sendToEach, withDeadline } from '../../src/providers/sending.ts';
import { Slots } from '../../src/providers/slots.ts';
import type { Outcome } from '../../src/push.ts';
import { aBatch, aTarget } from '../support/pushes.ts';

const ACCEPTED: Outcome = { kind: 'accepted' };
const DOWN: Outcome = { kind: 'unavailable', reason: 'connect_failed' };
const STILL: Clock = { wallMs: () => 0, steadyMs: () => 0 };
const batchOf = (count: number) =>
  aBatch({ targets: Array.from({ length: count }, (_, deviceId) => aTarget({ deviceId })) });

test('no more tasks run at once than there are slots', async () => {
  const slots = new Slots(3);
  let running = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 20 }, () =>
      slots.run('standard', async () => {
        most = Math.max(most, ++running);
        await new Promise(setImmediate);
        running--;
      }),
    ),
  );
  assert.is(most, 3);
});

test('urgent tasks get the next slot, and each lane keeps its order', async () => {
  const slots = new Slots(1);
  const order: string[] = [];
  const run = (lane: 'urgent' | 'standard', name: string) =>
    slots.run(lane, async () => {
      order.push(name);
    });
  await Promise.all([
    slots.run('standard', () => new Promise((resolve) => setImmediate(resolve))),
    run('standard', 's1'),
    run('standard', 's2'),
    run('urgent', 'u1'),
    run('urgent', 'u2'),
  ]);
  assert.equal(order, ['u1', 'u2', 's1', 's2']);
});

test('a failing task gives its slot back', async () => {
  const slots = new Slots(1);
  await slots.run('standard', () => Promise.reject(new Error('x'))).catch(() => {});
  assert.is(await slots.run('standard', async () => 'ran'), 'ran');
});

test('each target is sent to once and answered for', async () => {
  const seen: number[] = [];
  const sent = await sendToEach(batchOf(5), new Slots(2), STILL, 1000, true, async ({ deviceId }) => {
    seen.push(deviceId);
    return ACCEPTED;
  });
  assert.equal(seen, [0, 1, 2, 3, 4]);
  assert.equal(
    sent,
    seen.map((deviceId) => ({ deviceId, outcome: ACCEPTED, fitted: true })),
  );
});

test('a route that is down is not asked for the rest of the batch', async () => {
  let asked = 0;
  const sent = await sendToEach(batchOf(50), new Slots(2), STILL, 1000, false, async () => {
    asked++;
    return DOWN;
  });
  assert.is(asked, 2);
  assert.is(sent.length, 50);
  assert.ok(sent.every(({ outcome }) => outcome === DOWN));
});

test('who is recalled while waiting for a slot is not sent, and that says nothing about the route', async () => {
  const batch = batchOf(4);
  const sent = await sendToEach(batch, new Slots(1), STILL, 1000, false, async ({ deviceId }) => {
    if (deviceId === 0) Atomics.store(batch.recalls, 2, 1);
    return ACCEPTED;
  });
  const RECALLED: Outcome = { kind: 'recalled', reason: 'recalled' };
  assert.equal(
    sent.map(({ outcome }) => outcome),
    [ACCEPTED, ACCEPTED, RECALLED, ACCEPTED],
  );
});

test('a push that is about to be written is asked for once more', async () => {
  const batch = batchOf(1);
  const asked: boolean[] = [];
  await sendToEach(batch, new Slots(1), STILL, 1000, false, async (_, isRecalled) => {
    asked.push(isRecalled());
    Atomics.store(batch.recalls, 0, 1);
    asked.push(isRecalled());
    return ACCEPTED;
  });
  assert.equal(asked, [false, true]);
});

test('who waits for a slot for too long is not sent', async () => {
  let nowMs = 0;
  const clock: Clock = { wallMs: () => 0, steadyMs: () => nowMs };
  const sent = await sendToEach(batchOf(3), new Slots(1), clock, 1000, false, async () => {
    nowMs += 600;
    return ACCEPTED;
  });
  assert.equal(
    sent.map(({ outcome }) => outcome),
    [ACCEPTED, ACCEPTED, { kind: 'deferred', pace: 'fault', reason: 'not_sent' }],
  );
});

test('a deadline ends what would never end', async () => {
  assert.is(await withDeadline(new Promise<string>(() => {}), 1, () => 'late'), 'late');
  assert.is(await withDeadline(Promise.resolve('in time'), 60_000, () => 'late'), 'in time');
});

test.run();
