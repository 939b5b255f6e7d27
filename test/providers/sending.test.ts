import { mock } from 'node:test';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Lease, thisInstant } from '../../src/process/clock.ts';
import { Slots, sendToEach, withDeadline } from '../../src/providers/sending.ts';
import type { Outcome } from '../../src/push.ts';
import { aBatch, aTarget } from '../support/pushes.ts';
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

test.run();
