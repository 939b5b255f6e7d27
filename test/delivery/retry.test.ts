import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type RetryPolicy, type Tried, verdictOf, waitOf } from '../../src/delivery/retry.ts';
import type { Outcome } from '../../src/push.ts';
import { assertEach } from '../support/assert-each.ts';
import { aTarget } from '../support/pushes.ts';

const POLICY: RetryPolicy = { retryFirstMs: 5_000, retryBusyFirstMs: 60_000, retryMaxMs: 900_000 };
const DAY_MS = 86_400_000;

test('an accepted push ends as accepted, a rejected one as failed, a dead token as unregistered with its guards', () => {
  assert.equal(decide({ kind: 'accepted' }), { state: 'accepted', token: 'abc' });
  assert.equal(decide({ kind: 'rejected', reason: 'PayloadEmpty' }), { state: 'failed', reason: 'PayloadEmpty' });
  assert.equal(decide({ kind: 'unregistered', reason: 'Unregistered', atMs: 7 }), {
    state: 'unregistered',
    reason: 'Unregistered',
    token: 'abc',
    atMs: 7,
  });
});

test('waits double with each try, from the pace of the outcome up to the maximum', () => {
  const most = (pace: 'fault' | 'busy', attempts: number) =>
    dueAfter({ kind: 'deferred', reason: 'x', pace }, attempts, 1);
  assertEach([0, 1, 2, 10], (attempts) => most('fault', attempts), [5_000, 10_000, 20_000, 900_000]);
  assertEach([0, 1, 2, 10], (attempts) => most('busy', attempts), [60_000, 120_000, 240_000, 900_000]);
});

test('jitter spreads waits over the whole range, but never below a fifth of the first wait', () => {
  fc.assert(
    fc.property(fc.nat(40), fc.double({ min: 0, max: 1, noNaN: true }), (attempts, random) => {
      const wait = waitOf(5_000, attempts, 900_000, undefined, () => random);
      assert.ok(wait >= 1_000 && wait <= Math.min(900_000, 5_000 * 2 ** attempts));
    }),
  );
});

test('a push whose app is not set up waits as long as its client says', () => {
  const held = (retryAfterS?: number) =>
    decide({ kind: 'held', reason: 'x', isSent: true, ...(retryAfterS !== undefined && { retryAfterS }) });
  assert.equal(held(300), { state: 'held', reason: 'x', token: 'abc', retryInMs: 300_000, spent: true });
  assert.equal(held(), { state: 'held', reason: 'x', token: 'abc', retryInMs: 0, spent: true });
});

test('a Retry-After is the least that is waited', () => {
  const deferred: Outcome = { kind: 'deferred', reason: 'x', pace: 'busy', retryAfterS: 120 };
  assert.is(dueAfter(deferred, 0, 0), 120_000);
  assert.is(dueAfter(deferred, 5, 1), 132_000);
});

test('a Retry-After of no time at all leaves the least wait of each pace', () => {
  const deferred = (pace: 'fault' | 'busy'): Outcome => ({ kind: 'deferred', reason: 'x', pace, retryAfterS: 0 });
  for (const attempts of [0, 1, 10]) {
    assert.is(dueAfter(deferred('fault'), attempts, 0), 1_000);
    assert.is(dueAfter(deferred('busy'), attempts, 1), 12_000);
  }
});

test('no push waits beyond its time to live', () => {
  const deferred: Outcome = { kind: 'deferred', reason: 'x', pace: 'busy', retryAfterS: 2 * 86_400 };
  assert.is(dueAfter(deferred, 0, 0), DAY_MS);
});

test('a push that a paused route returns is due at once and has no try counted', () => {
  for (const kind of ['unavailable', 'unauthorized'] as const) {
    assert.equal(decide({ kind, reason: 'x' }), { state: 'pending', reason: 'x', retryInMs: 0, spent: false });
  }
});

test.run();

function decide(outcome: Outcome, attempts = 0, random = 0.5) {
  const target = aTarget({ token: 'abc', attempts });
  const tried: Tried = { outcome, target, leftMs: DAY_MS };
  return verdictOf(tried, POLICY, () => random);
}

function dueAfter(outcome: Outcome, attempts: number, random: number): number {
  const verdict = decide(outcome, attempts, random);
  return verdict.state === 'pending' ? verdict.retryInMs : Number.NaN;
}
