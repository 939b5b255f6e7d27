import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type AnsweredBatch, CircuitBreaker } from '../../src/delivery/circuit-breaker.ts';
import type { Outcome, Route, Sent, Target } from '../../src/push.ts';
import { aTarget } from '../support/pushes.ts';

const ACCEPTED: Outcome = { kind: 'accepted' };
const DEAD: Outcome = { kind: 'unregistered', reason: 'Unregistered' };
const BUSY: Outcome = { kind: 'deferred', reason: 'InternalServerError', pace: 'busy' };
const FAULT: Outcome = { kind: 'deferred', reason: 'timeout', pace: 'fault' };
const DOWN: Outcome = { kind: 'unavailable', reason: 'ECONNREFUSED' };
const LOCKED: Outcome = { kind: 'unauthorized', reason: 'InvalidProviderToken' };

const RECALLED: Outcome = { kind: 'recalled', reason: 'recalled' };

test("one 5xx is the push's own trouble, those of twenty devices in a row pause the route", () => {
  const route = newRoute();
  route.judge(answered(sentTo(BUSY, 19)), 0);
  route.judge(answered(sentTo(BUSY, 19)), 0);
  assert.is(route.pause, null);
  route.judge(answered(sentTo(BUSY, 20)), 0);
  assert.is(route.pause?.kind, 'unavailable');
});

test('a few devices pause the route only once nothing else was answered for ten seconds', () => {
  const route = newRoute();
  for (let push = 0; push < 30; push += 1) route.judge(answered(sentTo(BUSY, 1)), 9_999);
  assert.is(route.pause, null);
  route.judge(answered(sentTo(BUSY, 1)), 10_000);
  assert.is(route.pause?.kind, 'unavailable');
});

test('once the route accepts pushes, those to devices that were never accepted make no streak', () => {
  const route = newRoute();
  route.judge(answered(sentTo(ACCEPTED, 1)), 0);
  route.judge(answered(sentTo(BUSY, 400)), 60_000);
  route.judge(answered(sentTo(FAULT, 400)), 60_000);
  assert.is(route.pause, null);
  route.judge(answered(sentTo(BUSY, 20), { wasAccepted: true }), 60_000);
  assert.is(route.pause?.kind, 'unavailable');
});

test('any answer about a device ends a streak', () => {
  const route = newRoute();
  for (let round = 0; round < 5; round += 1) route.judge(answered([...sentTo(BUSY, 19), ...sentTo(DEAD, 1)]), 0);
  assert.is(route.pause, null);
});

test('one broken connection among good ones does not pause the route', () => {
  const route = newRoute();
  route.judge(answered(sentTo(ACCEPTED, 1)), 1_000);
  route.judge(answered(sentTo(FAULT, 400)), 5_000);
  assert.is(route.pause, null);
});

test('nothing but faults for ten seconds pauses the route', () => {
  const route = newRoute();
  route.judge(answered(sentTo(FAULT, 100)), 10_000);
  assert.is(route.pause?.kind, 'unavailable');
});

test('a refused connection or a refused credential pauses at once, and the push is not spent', () => {
  for (const outcome of [DOWN, LOCKED]) {
    const route = newRoute();
    const [judged] = route.judge(answered(sentTo(outcome, 1)), 0);
    assert.is(route.pause?.kind, outcome.kind);
    assert.equal(judged?.outcome, outcome);
  }
});

test('probes come every five to ten seconds however long it takes, and an answer about a device opens the route', () => {
  for (const [random, everyMs] of [
    [0, 5_000],
    [1, 10_000],
  ] as const) {
    const route = newRoute({ random });
    route.judge(answered(sentTo(DOWN, 1)), 0);
    const intervals = new Set<number>();
    for (let probe = 0; probe < 300; probe += 1) {
      const atMs = route.pause?.nextProbeMs ?? 0;
      route.probed(answered(sentTo(DOWN, 1)), atMs);
      intervals.add((route.pause?.nextProbeMs ?? 0) - atMs);
    }
    assert.equal([...intervals], [everyMs]);
    assert.is(route.pause?.sinceMs, 0);
    route.probed(answered(sentTo(ACCEPTED, 1)), 5_000_000);
    assert.is(route.pause, null);
  }
});

test('pushes that were recalled say nothing: no streak ends or grows, and a probe leaves the pause as it is', () => {
  const route = newRoute();
  route.judge(answered([...sentTo(BUSY, 19), ...sentTo(RECALLED, 100)]), 20_000);
  assert.is(route.pause, null);
  route.judge(answered(sentTo(BUSY, 1)), 20_000);
  const { pause } = route;
  assert.is(pause?.kind, 'unavailable');
  assert.equal(route.probed(answered(sentTo(RECALLED, 1)), 100_000), sentTo(RECALLED, 1));
  assert.is(route.pause, pause);
});

test('a probe that is held since its app is not set up leaves the pause, and the next one waits', () => {
  const route = newRoute();
  route.judge(answered(sentTo(DOWN, 1)), 0);
  const atMs = route.pause?.nextProbeMs ?? 0;
  route.probed(answered(sentTo({ kind: 'held', reason: 'TopicDisallowed', isSent: true, retryAfterS: 300 }, 1)), atMs);
  assert.is(route.pause?.reason, 'ECONNREFUSED');
  assert.ok((route.pause?.nextProbeMs ?? 0) > atMs);
});

test('a provider that names a time is not probed before it', () => {
  const route = newRoute();
  route.judge(answered(sentTo({ ...DOWN, retryAfterS: 60 } as Outcome, 1)), 0);
  assert.ok((route.pause?.nextProbeMs ?? 0) >= 60_000);
});

test('a provider that asks for no wait is probed no sooner than others', () => {
  for (const [random, everyMs] of [
    [0, 5_000],
    [1, 10_000],
  ] as const) {
    const route = newRoute({ random });
    route.judge(answered(sentTo({ ...DOWN, retryAfterS: 0 } as Outcome, 1)), 0);
    assert.is(route.pause?.nextProbeMs, everyMs);
    route.probed(answered(sentTo({ ...DOWN, retryAfterS: 0 } as Outcome, 1)), 20_000);
    assert.is(route.pause?.nextProbeMs, 20_000 + everyMs);
  }
});

test('a provider that names a time at a probe is not probed before it either', () => {
  const route = newRoute();
  route.judge(answered(sentTo(DOWN, 1)), 0);
  route.probed(answered(sentTo({ ...DOWN, retryAfterS: 600 } as Outcome, 1)), 10_000);
  assert.ok((route.pause?.nextProbeMs ?? 0) >= 610_000);
});

test('a probe may show another reason than the one that paused the route', () => {
  const route = newRoute();
  route.judge(answered(sentTo(DOWN, 1)), 0);
  route.probed(answered(sentTo(LOCKED, 1)), 10_000);
  assert.is(route.pause?.kind, 'unauthorized');
});

test('a token that the provider knows to be dead is always believed', () => {
  assert.equal(newRoute().judge(answered(sentTo(DEAD, 1)), 0)[0]?.outcome, DEAD);
});

test("an operator's pause stands above the provider's, and its end leaves that", () => {
  const route = newRoute();
  route.judge(answered(sentTo(DOWN, 1)), 0);
  route.hold(1_000);
  assert.equal([route.pause?.kind, route.pause?.sinceMs], ['operator', 1_000]);
  route.hold(null);
  assert.is(route.pause?.kind, 'unavailable');
});

test('an operator who is in a hurry has a paused route probed at once', () => {
  const route = newRoute();
  route.judge(answered(sentTo(DOWN, 1)), 0);
  route.hurry(1_000);
  assert.is(route.pause?.nextProbeMs, 1_000);
});

test('a provider that stays without usable credentials is off since the first time that this was found', () => {
  const route = newRoute();
  route.switchOff('there is no key', 1_000);
  route.switchOff('it is no key', 60_000);
  assert.equal([route.pause?.reason, route.pause?.sinceMs], ['it is no key', 1_000]);
});

test.run();

function newRoute({ route = 'apns_production' as Route, random = 1 } = {}): CircuitBreaker {
  return new CircuitBreaker(
    route,
    { retryFirstMs: 5_000, retryBusyFirstMs: 60_000, retryMaxMs: 900_000 },
    0,
    () => random,
  );
}

function answered(answers: readonly Sent[], like: Partial<Target> = {}): AnsweredBatch {
  return { answers, targets: answers.map(({ deviceId }) => aTarget({ deviceId, ...like })), turn: 0 };
}

function sentTo(outcome: Outcome, count: number): Sent[] {
  return Array.from({ length: count }, (_, index) => ({ index, deviceId: index, outcome, fitted: false }));
}
