import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Lanes } from '../../src/delivery/lanes.ts';
import { assertEach } from '../support/assert-each.ts';

test('the urgent lane comes first', () => {
  assert.equal(new Lanes({ urgent: 1, standard: 1, quarantine: 0 }).claimable(0), ['urgent', 'standard']);
});

test('a full standard lane leaves the urgent one its room', () => {
  const route = new Lanes({ urgent: 1, standard: 1, quarantine: 0 });
  route.claimed('standard', 1, true, null);
  assert.equal(route.claimable(0), ['urgent']);
  route.settled('standard', 1);
  assert.equal(route.claimable(0), ['urgent', 'standard']);
});

test('a lane that answered with nothing is not asked again before something may wait in it', () => {
  const route = new Lanes({ urgent: 1, standard: 1, quarantine: 0 });
  for (const lane of ['urgent', 'standard'] as const) {
    route.claiming(lane);
    route.claimed(lane, 0, false, null);
  }
  assert.equal(route.claimable(0), []);
  route.noteWork('standard');
  assert.equal(route.claimable(0), ['standard']);
});

test('work that comes during a claim is not lost', () => {
  const route = new Lanes({ urgent: 1, standard: 1, quarantine: 0 });
  route.claiming('urgent');
  route.noteWork();
  route.claimed('urgent', 0, false, null);
  assert.ok(route.claimable(0).includes('urgent'));
});

test('a lane becomes claimable when a push in it falls due', () => {
  const route = new Lanes({ urgent: 1, standard: 1, quarantine: 0 });
  route.claiming('urgent');
  route.claimed('urgent', 0, false, null);
  route.claiming('standard');
  route.claimed('standard', 0, false, 500);
  assert.is(route.wakeAtMs(0), 500);
  assert.equal(route.claimable(499), []);
  assert.equal(route.claimable(500), ['standard']);
});

test('a closed lane is not claimed from, and is looked at once it opens', () => {
  const route = new Lanes({ urgent: 0, standard: 0, quarantine: 1 });
  route.closeUntil('quarantine', 500);
  assert.is(route.wakeAtMs(0), 500);
  assert.equal(route.claimable(499), []);
  assert.equal(route.claimable(500), ['quarantine']);
});

test('after an outage a lane starts with a few pushes, looks again soon, and is at full speed within five seconds', () => {
  const route = new Lanes({ urgent: 10, standard: 400 * 64, quarantine: 100 });
  route.startSlowly(1_000);
  assertEach(['urgent', 'standard', 'quarantine'] as const, (lane) => route.free(lane, 1_000), [10, 16, 16]);
  route.claimed('urgent', 10, true, null);
  route.claimed('standard', 16, true, null);
  route.claimed('quarantine', 16, true, null);
  assert.equal(route.claimable(1_000), []);
  assert.is(route.wakeAtMs(1_000), 1_400);
  assert.equal(route.claimable(1_400), ['standard', 'quarantine']);
  assert.ok(route.free('standard', 2_000) < 100);
  assert.is(route.free('standard', 6_000), 400 * 64 - 16);
});

test.run();
