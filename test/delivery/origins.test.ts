import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CircuitBreaker } from '../../src/delivery/circuit-breaker.ts';
import type { Outcome, Sent, Target } from '../../src/push.ts';
import { aTarget } from '../support/pushes.ts';

const GOOD = 'https://updates.push.services.mozilla.com/wpush/v2/';
const OTHER_GOOD = 'https://other.push.services.mozilla.com/wpush/v2/';
const ACCEPTED: Outcome = { kind: 'accepted' };
const DOWN = { kind: 'unavailable', reason: 'connect_failed' } as const satisfies Outcome;
const REFUSED: Outcome = { kind: 'unauthorized', reason: 'mozilla_109' };
const SILENT: Outcome = { kind: 'deferred', reason: 'timeout', pace: 'fault' };
const GONE: Outcome = { kind: 'unregistered', reason: 'mozilla_105' };

/** More than are remembered. */
const MANY = 250;

test('any number of hosts that never accepted pause nothing, and each device is deferred', () => {
  for (const outcome of [DOWN, SILENT]) {
    const route = newRoute();
    for (let n = 0; n < MANY; n += 1) {
      assert.equal(route.push(outcome, { token: madeUp(n) }, n * 1_000)?.outcome, {
        kind: 'deferred',
        reason: 'reason' in outcome ? outcome.reason : '',
        pace: 'fault',
      });
    }
    assert.is(route.breaker.pause, null);
  }
});

test('a signature that is refused for browsers that were never accepted pauses nothing', () => {
  const route = newRoute();
  route.push(ACCEPTED, { token: `${GOOD}good` });
  for (let n = 0; n < MANY; n += 1) {
    assert.is(route.push(REFUSED, { token: `${GOOD}${n}` })?.outcome.kind, 'deferred');
  }
  assert.is(route.breaker.pause, null);
});

test('a signature that is refused before any was taken is reported as undecided, and no device is deactivated', () => {
  const route = newRoute();
  assert.equal(route.push(REFUSED, { token: `${GOOD}1` })?.outcome, {
    kind: 'held',
    reason: 'mozilla_109',
    isSent: true,
  });
  assert.is(route.breaker.quarantine.unproven?.reason, 'mozilla_109');
});

test('a failing device that was accepted before pauses the route', () => {
  for (const outcome of [DOWN, REFUSED]) {
    const route = newRoute();
    assert.equal(route.push(outcome, { token: `${GOOD}1`, wasAccepted: true })?.outcome, outcome);
    assert.is(route.breaker.pause?.kind, outcome.kind);
  }
});

test('a new browser at a host that accepted others shows that the host is down', () => {
  const route = newRoute();
  route.push(ACCEPTED, { token: `${GOOD}1` });
  route.push(DOWN, { token: `${GOOD}2` });
  assert.is(route.breaker.pause?.kind, 'unavailable');
});

test('one host that is down pauses nothing while another one accepts', () => {
  const route = newRoute();
  route.push(ACCEPTED, { token: `${GOOD}1` });
  route.push(ACCEPTED, { token: `${OTHER_GOOD}1` });
  assert.is(route.push(DOWN, { token: `${OTHER_GOOD}1`, wasAccepted: true }, 59_000)?.outcome.kind, 'deferred');
  assert.is(route.breaker.pause, null);
  route.push(DOWN, { token: `${OTHER_GOOD}1`, wasAccepted: true }, 60_000);
  assert.is(route.breaker.pause?.kind, 'unavailable');
});

test('network failures are charged to no device, after any number of tries', () => {
  for (const outcome of [DOWN, SILENT]) {
    const route = newRoute();
    const last = { token: madeUp(1), attempts: 99 };
    const reason = 'reason' in outcome ? outcome.reason : '';
    assert.equal(route.push(outcome, last)?.outcome, { kind: 'deferred', reason, pace: 'fault' });
    route.push(ACCEPTED, { token: `${GOOD}1` });
    assert.equal(route.push(outcome, last)?.outcome, { kind: 'deferred', reason, pace: 'fault' });
    assert.is(route.breaker.quarantine.unproven, null);
  }
});

test('a signature that is refused again and again for a device that was never accepted ends it once others are accepted', () => {
  const route = newRoute();
  const last = { token: madeUp(1), attempts: 4 };
  assert.is(route.push(REFUSED, last)?.outcome.kind, 'held');
  route.push(ACCEPTED, { token: `${GOOD}1` });
  assert.is(route.push(REFUSED, last)?.outcome.kind, 'unregistered');
});

test('a pause keeps the words of the system, and a later one has its own', () => {
  const route = newRoute('apns_production');
  route.push({ ...DOWN, words: 'api.push.apple.com: ENOTFOUND' }, {});
  assert.is(route.breaker.pause?.words, 'api.push.apple.com: ENOTFOUND');
  const refused: Outcome = { kind: 'unauthorized', reason: 'InvalidProviderToken' };
  route.breaker.probed({ answers: [sent(refused)], targets: [aTarget({})], turn: 0 }, 5_000);
  assert.equal([route.breaker.pause?.reason, route.breaker.pause?.words], ['InvalidProviderToken', undefined]);
});

test('a probe that only a host that never accepted has answered leaves the pause as it is, until the next one', () => {
  const route = newRoute();
  route.push(DOWN, { token: `${GOOD}1`, wasAccepted: true });
  for (const outcome of [GONE, DOWN, SILENT]) {
    const target = aTarget({ token: madeUp(1) });
    route.breaker.probed({ answers: [sent(outcome)], targets: [target], turn: 0 }, 5_000);
    assert.equal([route.breaker.pause?.reason, route.breaker.pause?.nextProbeMs], ['connect_failed', 15_000]);
  }
  const good = aTarget({ token: `${GOOD}1`, wasAccepted: true });
  route.breaker.probed({ answers: [sent(GONE)], targets: [good], turn: 0 }, 20_000);
  assert.is(route.breaker.pause, null);
});

test('the hosts of Apple and Google are the operator’s: one fault pauses the route', () => {
  for (const name of ['apns_production', 'fcm'] as const) {
    const route = newRoute(name);
    route.push(ACCEPTED, {});
    route.push(DOWN, {});
    assert.is(route.breaker.pause?.kind, 'unavailable');
  }
});

test.run();

function newRoute(name: 'webpush_mozilla' | 'apns_production' | 'fcm' = 'webpush_mozilla') {
  const policy = { retryFirstMs: 5_000, retryBusyFirstMs: 60_000, retryMaxMs: 900_000 };
  const breaker = new CircuitBreaker(name, policy, 0, () => 1);
  return {
    breaker,
    /** The judged outcome of one push. */
    push(outcome: Outcome, target: Partial<Target>, steadyMs = 0): Sent | undefined {
      const { turn } = breaker.quarantine;
      return breaker.judge({ answers: [sent(outcome)], targets: [aTarget(target)], turn }, steadyMs)[0];
    },
  };
}

function sent(outcome: Outcome): Sent {
  return { index: 0, deviceId: 1, outcome, fitted: false };
}

function madeUp(n: number): string {
  return `https://nosuch${n}.push.services.mozilla.com/wpush/v2/x`;
}
