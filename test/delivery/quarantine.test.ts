import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Quarantine } from '../../src/delivery/quarantine.ts';
import type { Outcome, Target } from '../../src/push.ts';
import { assertEach } from '../support/assert-each.ts';
import { aTarget } from '../support/pushes.ts';

const ACCEPTED: Outcome = { kind: 'accepted' };
const REFUSED: Outcome = { kind: 'unregistered', reason: 'BadDeviceToken', quarantine: true };
const STRANGER = aTarget({});
const KNOWN = aTarget({ wasAccepted: true });
const QUARANTINED = aTarget({ isQuarantined: true });
const KNOWN_QUARANTINED = aTarget({ wasAccepted: true, isQuarantined: true });

test('no refusal is believed of any device while nothing was accepted', () => {
  for (const target of [STRANGER, KNOWN, QUARANTINED, KNOWN_QUARANTINED])
    assert.is(kindOf(aQuarantine(), REFUSED, target), 'held');
});

test('a device that was never accepted is dead if another device is accepted', () => {
  const route = aQuarantine();
  judge(route, ACCEPTED, STRANGER);
  assert.is(kindOf(route, REFUSED, STRANGER), 'unregistered');
});

test('a device that was accepted before is dead once it is refused again after an acceptance', () => {
  const route = aQuarantine();
  judge(route, ACCEPTED, STRANGER);
  assert.is(kindOf(route, REFUSED, KNOWN), 'held');
  assert.is(kindOf(route, REFUSED, KNOWN_QUARANTINED), 'held', 'nothing was accepted since');
  judge(route, ACCEPTED, STRANGER);
  assert.is(kindOf(route, REFUSED, KNOWN_QUARANTINED), 'unregistered');
});

test('a device that was accepted before and is refused now speaks for all others, until one is accepted', () => {
  const route = aQuarantine();
  judge(route, ACCEPTED, STRANGER);
  judge(route, REFUSED, KNOWN);
  assert.is(kindOf(route, REFUSED, STRANGER), 'held');
  judge(route, ACCEPTED, KNOWN);
  assert.is(kindOf(route, REFUSED, STRANGER), 'unregistered');
});

test('an acceptance decides about nothing that went out before it', () => {
  const answers = [REFUSED, ACCEPTED].map((outcome, index) => ({ index, deviceId: index, outcome, fitted: false }));
  const route = aQuarantine();
  const judged = route.judge(answers, [STRANGER, STRANGER], route.turn, 0);
  assertEach(judged, ({ outcome }) => outcome.kind, ['held', 'accepted']);
});

test('the answer to a push that went out before the refusal does not end it', () => {
  const route = aQuarantine();
  judge(route, ACCEPTED, STRANGER);
  const { turn } = route;
  judge(route, REFUSED, KNOWN);
  judge(route, ACCEPTED, STRANGER, { turn });
  assert.not(route.isGood);
  judge(route, ACCEPTED, STRANGER);
  assert.ok(route.isGood);
});

test('with other credentials no outcome of the old ones counts, nor one that still comes', () => {
  const route = aQuarantine();
  judge(route, ACCEPTED, STRANGER);
  const { turn } = route;
  route.reset();
  assert.is(kindOf(route, REFUSED, STRANGER), 'held');
  judge(route, ACCEPTED, STRANGER, { turn });
  assert.is(kindOf(route, REFUSED, STRANGER), 'held');
  judge(route, ACCEPTED, STRANGER);
  assert.is(kindOf(route, REFUSED, STRANGER), 'unregistered');
});

test('new pushes are held of quarantined alone, and go out again once something is accepted', () => {
  const route = aQuarantine();
  assert.equal([QUARANTINED, STRANGER, KNOWN].map(route.isHeld, route), [true, false, false]);
  judge(route, ACCEPTED, STRANGER);
  assert.not(route.isHeld(QUARANTINED));
  assert.ok(route.isHeld(KNOWN_QUARANTINED), 'one that was good gets its while');
});

test('held pushes are tried at growing intervals while nothing is accepted, and at once when something is', () => {
  const route = aQuarantine();
  const waits = [0, 1, 2].map((trial) => {
    const before = trial === 0 ? 0 : route.nextTrialMs;
    route.tried(before);
    return route.nextTrialMs - before;
  });
  assert.equal(waits, [5_000, 10_000, 20_000]);
  judge(route, ACCEPTED, STRANGER);
  assert.is(route.nextTrialMs, 0);
});

test('an outcome that a route cannot decide is reported until a push is accepted', () => {
  const route = aQuarantine();
  judge(route, REFUSED, STRANGER, { steadyMs: 3_000 });
  assert.equal(route.unproven, { reason: 'BadDeviceToken', sinceMs: 3_000 });
  judge(route, ACCEPTED, STRANGER);
  assert.is(route.unproven, null);
});

test.run();

function aQuarantine(): Quarantine {
  return new Quarantine({ retryFirstMs: 5_000, retryBusyFirstMs: 60_000, retryMaxMs: 900_000 }, () => 1);
}

/** A push that goes out now, or in an earlier turn. */
function judge(route: Quarantine, outcome: Outcome, target: Target, { turn = route.turn, steadyMs = 0 } = {}) {
  return route.judge([{ index: 0, deviceId: 1, outcome, fitted: false }], [target], turn, steadyMs)[0];
}

function kindOf(route: Quarantine, outcome: Outcome, target: Target): string | undefined {
  return judge(route, outcome, target)?.outcome.kind;
}
