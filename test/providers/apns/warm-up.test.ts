import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { WarmUp } from '../../../src/providers/apns/warm-up.ts';
import type { Outcome } from '../../../src/push.ts';

const ACCEPTED: Outcome = { kind: 'accepted' };
const LOST: Outcome = { kind: 'deferred', pace: 'fault', reason: 'connection_lost' };
const RECALLED: Outcome = { kind: 'recalled', reason: 'recalled' };
const BUSY: Outcome = { kind: 'deferred', pace: 'busy', reason: 'ServiceUnavailable' };

/** Ten sends at once over a connection that `answer` may end; says how they went and how many were really made. */
async function tenSends(answer: (nth: number, end: () => void) => Outcome) {
  let connection: object | null = null;
  const warmUp = new WarmUp(() => connection);
  let made = 0;
  let running = 0;
  const atOnce: number[] = [];
  const outcomes = await Promise.all(
    Array.from({ length: 10 }, () =>
      warmUp.send(async () => {
        connection ??= {};
        const nth = made++;
        atOnce.push(++running);
        await new Promise(setImmediate);
        running--;
        return answer(nth, () => {
          connection = null;
        });
      }),
    ),
  );
  return { outcomes, made, atOnce };
}

test('the first send on a fresh connection goes alone, the others after it', async () => {
  const { outcomes, made, atOnce } = await tenSends(() => ACCEPTED);
  assert.is(made, 10);
  assert.equal(atOnce, [1, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.ok(outcomes.every((outcome) => outcome === ACCEPTED));
});

test('a connection that is lost with its first send is not opened for each of the others', async () => {
  const { outcomes, made } = await tenSends((_, end) => {
    end();
    return LOST;
  });
  assert.is(made, 1);
  assert.ok(outcomes.every((outcome) => outcome === LOST));
});

test('an answer for the first device alone says nothing to the others', async () => {
  for (const first of [LOST, BUSY, { kind: 'unregistered', reason: 'Unregistered' } as const]) {
    const { outcomes, made } = await tenSends((nth) => (nth === 0 ? first : ACCEPTED));
    assert.is(made, 10);
    assert.is(outcomes.filter((outcome) => outcome === ACCEPTED).length, 9);
  }
});

test('a provider that answers 5xx and hangs up is given up after three connections', async () => {
  const { outcomes, made } = await tenSends((_, end) => {
    end();
    return BUSY;
  });
  assert.is(made, 3);
  assert.ok(outcomes.every((outcome) => outcome === BUSY));
});

test('a first send that was called off asked nothing, so the next one goes alone', async () => {
  const { outcomes, atOnce } = await tenSends((nth) => (nth === 0 ? RECALLED : ACCEPTED));
  assert.equal(atOnce, [1, 1, 1, 2, 3, 4, 5, 6, 7, 8]);
  assert.is(outcomes.filter((outcome) => outcome === ACCEPTED).length, 9);
});

test('acceptance is never shared', async () => {
  const { made } = await tenSends((_, end) => {
    end();
    return ACCEPTED;
  });
  assert.is(made, 10);
});

test.run();
