import { mock } from 'node:test';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Clock, Lease, thisInstant } from '../../src/process/clock.ts';
import { type IsRevoked, Slots, sendToEach, withDeadline } from '../../src/providers/sending.ts';
import type { Batch, BatchEvent, Lane, Outcome, Sent, Target } from '../../src/push.ts';
import { assertEach } from '../support/assert-each.ts';
import { aBatch, aPushEvent, aTarget } from '../support/pushes.ts';
import { SimulatedClock } from '../support/simulation.ts';

test('answers come early only while others of their batch are out, and none after its end', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  using timers = mock.timers;
  const early: number[] = [];
  const waiting: ((outcome: Outcome) => void)[] = [];
  const sending = sendToEach(
    aBatch({ targets: [1, 2, 3].map((deviceId) => aTarget({ deviceId })) }),
    { slots: new Slots(3), clock: new SimulatedClock(), giveUpAfterMs: 1_000 },
    {
      prepare: () => ({ request: null, fitted: false }),
      send: () => new Promise<Outcome>((resolve) => waiting.push(resolve)),
    },
    (answers) => early.push(answers.length),
  );
  await new Promise(setImmediate);
  for (const answer of waiting) {
    answer({ kind: 'accepted' });
    await new Promise(setImmediate);
    if (answer === waiting[0]) timers.tick(50);
  }
  assert.is((await sending).length, 3);
  timers.tick(1_000);
  assert.equal(early, [1]);
});

test('a push whose lease is over is not sent, as another process may send it', async () => {
  const lease = new Lease();
  const clock = new SimulatedClock();
  const batch = () => aBatch({ targets: [1, 2].map((deviceId) => aTarget({ deviceId })), leaseEnd: lease.end });
  const asked: number[] = [];
  const send = () =>
    sendToEach(
      batch(),
      { slots: new Slots(1), clock, giveUpAfterMs: 1_000 },
      {
        prepare: () => ({ request: null, fitted: false }),
        send(_, { deviceId }, isRevoked) {
          asked.push(deviceId);
          assert.not(isRevoked());
          lease.giveUp();
          assert.ok(isRevoked(), 'right before its request is written');
          return { kind: 'accepted' };
        },
      },
    );
  lease.renew(thisInstant(), 60_000);
  const kinds = (await send()).map(({ outcome }) => outcome.kind);
  assert.equal([asked, kinds], [[1], ['accepted', 'recalled']]);
});

test('a deadline leaves no timer behind if its promise was quicker', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  assert.is(await withDeadline(Promise.resolve(1), 60_000, () => 2), 1);
  await withDeadline(Promise.reject(new Error('lost')), 60_000, () => 2).catch(() => null);
  assert.is(timers(), before);
});

const ACCEPTED: Outcome = { kind: 'accepted' };
const DOWN: Outcome = { kind: 'unavailable', reason: 'connect_failed' };
const STILL: Clock = { wallMs: () => 0, steadyMs: () => 0 };
const prepare = () => ({ request: null, fitted: false });
const limits = (slots: number, clock = STILL) => ({ slots: new Slots(slots), clock, giveUpAfterMs: 1000 });
const outcomesOf = (sent: readonly Sent[]) => sent.map(({ outcome }) => outcome);
const sendBy = (
  batch: Batch,
  within: ReturnType<typeof limits>,
  send: (target: Target, isRevoked: IsRevoked) => Promise<Outcome>,
) => sendToEach(batch, within, { prepare, send: (_, target, isRevoked) => send(target, isRevoked) });
const batchOf = (count: number) =>
  aBatch({ targets: Array.from({ length: count }, (_, deviceId) => aTarget({ deviceId })) });

/** Holds a slot until the task has ended. */
const inTurn = (slots: Slots, lane: Lane, task: () => Promise<unknown>) =>
  new Promise<void>((resolve) => {
    slots.take(lane, (free) => void task().then(free).then(resolve));
  });

test('no more tasks run at once than there are slots', async () => {
  const slots = new Slots(3);
  let running = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 20 }, () =>
      inTurn(slots, 'standard', async () => {
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
    inTurn(slots, lane, async () => {
      order.push(name);
    });
  await Promise.all([
    inTurn(slots, 'standard', () => new Promise(setImmediate)),
    run('standard', 's1'),
    run('standard', 's2'),
    run('urgent', 'u1'),
    run('urgent', 'u2'),
  ]);
  assert.equal(order, ['u1', 'u2', 's1', 's2']);
});

test('tasks that end at once do not pile up on the stack', () => {
  const slots = new Slots(1);
  let ended = 0;
  let freeFirst = () => {};
  slots.take('standard', (free) => {
    freeFirst = free;
  });
  for (let task = 0; task < 50_000; task += 1) {
    slots.take('standard', (free) => {
      ended += 1;
      free();
    });
  }
  freeFirst();
  assert.is(ended, 50_000);
  assert.is(slots.fill, 0);
});

test('a failing push gives its slot back', async () => {
  const sent = await sendBy(batchOf(2), limits(1), ({ deviceId }) =>
    deviceId === 0 ? Promise.reject(new Error('x')) : Promise.resolve(ACCEPTED),
  );
  assert.equal(outcomesOf(sent), [{ kind: 'deferred', pace: 'fault', reason: 'internal_error' }, ACCEPTED]);
});

test('each target is sent to once and answered for', async () => {
  const seen: number[] = [];
  const send = async (_: null, { deviceId }: Target) => {
    seen.push(deviceId);
    return ACCEPTED;
  };
  const sent = await sendToEach(batchOf(5), limits(2), { prepare: () => ({ request: null, fitted: true }), send });
  assert.equal(seen, [0, 1, 2, 3, 4]);
  assert.equal(
    sent,
    seen.map((index) => ({ index, deviceId: index, outcome: ACCEPTED, fitted: true })),
  );
});

test('each event of a batch is prepared once, and its targets are sent what was made of it', async () => {
  const events = ['a', 'b'].map((title) => ({ event: aPushEvent({ title }), ttlMs: 60_000 }));
  const targets = [0, 1, 1, 0].map((event, deviceId) => aTarget({ event, deviceId }));
  const prepared: string[] = [];
  const requests: string[] = [];
  await sendToEach(aBatch({ events, targets }), limits(4), {
    prepare({ event: { title } }) {
      prepared.push(title);
      return { request: title, fitted: false };
    },
    send(request, { deviceId }) {
      requests[deviceId] = request;
      return ACCEPTED;
    },
  });
  assert.equal(prepared, ['a', 'b']);
  assert.equal(requests, ['a', 'b', 'b', 'a']);
});

test('an event that cannot be prepared fails alone, and the error is reported once', async () => {
  const events = ['bad', 'good'].map((title) => ({ event: aPushEvent({ title }), ttlMs: 60_000 }));
  const targets = [0, 0, 1].map((event, deviceId) => aTarget({ event, deviceId }));
  const method = {
    prepare({ event: { title } }: BatchEvent) {
      if (title === 'bad') throw new Error('no payload');
      return { request: null, fitted: false };
    },
    send: () => ACCEPTED,
  };
  const reported: unknown[] = [];
  const onError = (error: unknown) => void reported.push(error);
  const sent = await sendToEach(aBatch({ events, targets }), limits(2), method, () => {}, onError);
  const failed = { kind: 'deferred', pace: 'fault', reason: 'internal_error' };
  assert.equal(outcomesOf(sent), [failed, failed, ACCEPTED]);
  assert.equal(reported.map(String), ['Error: no payload']);
});

test('an answer is reported while another target takes its time, and stands in the whole answer as well', async () => {
  const slow = Promise.withResolvers<Outcome>();
  const early = Promise.withResolvers<readonly Sent[]>();
  const send = (_: null, { deviceId }: Target) => (deviceId === 1 ? slow.promise : ACCEPTED);
  const sending = sendToEach(batchOf(3), limits(3), { prepare, send }, early.resolve);
  assertEach(await early.promise, ({ index }) => index, [0, 2]);
  slow.resolve(ACCEPTED);
  assert.equal((await sending).map(({ index }) => index).sort(), [0, 1, 2]);
});

test('a route that is down is not asked for the rest of the batch', async () => {
  let asked = 0;
  const sent = await sendBy(batchOf(50), limits(2), async () => {
    asked++;
    return DOWN;
  });
  assert.is(asked, 2);
  assert.is(sent.length, 50);
  assert.ok(sent.every(({ outcome }) => outcome === DOWN));
});

test('a target recalled while waiting for a slot is not sent to, and that says nothing about the route', async () => {
  const batch = batchOf(4);
  const sent = await sendBy(batch, limits(1), async ({ deviceId }) => {
    if (deviceId === 0) Atomics.store(batch.revoked, 2, 1);
    return ACCEPTED;
  });
  const RECALLED: Outcome = { kind: 'recalled', reason: 'recalled' };
  assert.equal(outcomesOf(sent), [ACCEPTED, ACCEPTED, RECALLED, ACCEPTED]);
});

test('a push that is about to be written is asked for once more', async () => {
  const batch = batchOf(1);
  const asked: boolean[] = [];
  await sendBy(batch, limits(1), async (_, isRevoked) => {
    asked.push(isRevoked());
    Atomics.store(batch.revoked, 0, 1);
    asked.push(isRevoked());
    return ACCEPTED;
  });
  assert.equal(asked, [false, true]);
});

test('a target that waits for a slot for too long is not sent to', async () => {
  let nowMs = 0;
  const clock: Clock = { wallMs: () => 0, steadyMs: () => nowMs };
  const sent = await sendBy(batchOf(3), limits(1, clock), async () => {
    nowMs += 600;
    return ACCEPTED;
  });
  assert.equal(outcomesOf(sent), [ACCEPTED, ACCEPTED, { kind: 'deferred', pace: 'fault', reason: 'not_sent' }]);
});

test('a deadline ends what would never end', async () => {
  assert.is(await withDeadline(new Promise<string>(() => {}), 1, () => 'late'), 'late');
  assert.is(await withDeadline(Promise.resolve('in time'), 60_000, () => 'late'), 'in time');
});

test.run();
