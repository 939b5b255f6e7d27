import * as assert from 'uvu/assert';
import type { ClaimedEvent } from '../../../src/store/calls.ts';
import { anInsistingWorld, INSISTING, insist, MINUTE_MS, roundAt, stateOf } from '../../support/alerts.ts';
import { assertEach } from '../../support/assert-each.ts';
import { ADA, BOB } from '../../support/cast.ts';
import { conformance } from '../../support/engines.ts';
import { idOf } from '../../support/people.ts';
import { claim } from '../../support/queue.ts';
import { granted } from '../../support/refusals.ts';
import { NOW_MS, type World } from '../../support/world.ts';

/** More than one call has follow. */
const MANY = 600;

const { test, it, run } = conformance('alerts: marks', anInsistingWorld);

/** Ids of the first, the second and the last of many alerts. */
async function aStorm(world: World, wallMs = NOW_MS): Promise<readonly [string, string, string]> {
  const first = await world.post({ ...INSISTING, collapseKey: 'first', wallMs });
  const second = await world.post({ ...INSISTING, collapseKey: 'second', wallMs });
  await world.together(
    'acceptEvent',
    Array.from({ length: MANY - 3 }, () => world.anEvent({ ...INSISTING, collapseKey: null, wallMs })),
  );
  return [first, second, await world.post({ ...INSISTING, collapseKey: 'last', wallMs })];
}

/** All that the housekeeping has to do. */
async function settled(world: World, wallMs = NOW_MS): Promise<void> {
  while (!(await world.calls.pruneStep({ wallMs })).done);
}

/** All that is handed out. A claim that only ends events hands out nothing, and is followed by others. */
async function claimedOf(world: World): Promise<readonly ClaimedEvent[]> {
  const events: ClaimedEvent[] = [];
  for (let left = 10; left > 0; left -= 1) {
    for (const claimed of await claim(world, { lane: 'urgent' })) events.push(...claimed.events);
  }
  return events;
}

async function listed(world: World, state: 'open' | 'acknowledged' | 'ended', channel = 'alerts'): Promise<number> {
  const asked = { workspace: 'acme', channel, state, limit: 100 } as const;
  let page = granted(await world.calls.listAlerts(asked));
  let count = page.alerts.length;
  while (page.next !== null) {
    page = granted(await world.calls.listAlerts({ ...asked, before: page.next }));
    count += page.alerts.length;
  }
  return count;
}

it('one mark acknowledges any number of alerts at once, and their rows follow', async (world) => {
  const [first, , last] = await aStorm(world);
  const answer = granted(await world.calls.acknowledgeAlert({ publicId: last, all: true }));
  assert.is(answer.acknowledged, 500, 'more are not counted');
  const seen = async () => [
    await listed(world, 'open'),
    await listed(world, 'acknowledged'),
    await stateOf(world, first),
  ];
  assert.equal(await seen(), [0, MANY, 'acknowledged']);
  assert.equal((await world.calls.countAlerts({})).open, 0);
  await settled(world);
  assert.equal(await seen(), [0, MANY, 'acknowledged']);
  assert.is((await roundAt(world, NOW_MS + MINUTE_MS)).reminders, 0);
});

it('nothing of an acknowledged storm is sent any more, no matter whether its rows have followed', async (world) => {
  const [, , last] = await aStorm(world);
  granted(await world.calls.acknowledgeAlert({ publicId: last, all: true }));
  assert.equal(await claimedOf(world), []);
});

test('all that waits of an alert expires when its sender ends the alert, however many events that are', async (engine) => {
  const world = await anInsistingWorld({ engine });
  await world.post(INSISTING);
  await world.together(
    'acceptEvent',
    Array.from({ length: 149 }, () => world.anEvent(INSISTING)),
  );
  await world.post({ ...INSISTING, level: 'success' });
  const claimed = await claimedOf(world);
  assertEach(claimed, ({ event }) => event.level, ['success']);
  await settled(world);
  while ((await world.calls.expireOverdue({ wallMs: NOW_MS })).more);
  const { reasons } = granted(await world.calls.stats({ sinceMs: 0, wallMs: NOW_MS }));
  assertEach(reasons, ({ reason, count }) => `${reason} ${count}`, ['ttl 150']);
  assert.is(await world.countRows('alert_mark'), 0);
});

it('an alert that left an acknowledged storm comes back', async (world) => {
  const [, , last] = await aStorm(world);
  const open = world.openClaims.take(await claim(world, { lane: 'urgent', limit: 10 }));
  assert.is(open.flatMap(({ targets }) => targets).length, 10);
  granted(await world.calls.acknowledgeAlert({ publicId: last, all: true }));
  for (const { revoked } of open) assert.ok(revoked.every((mark) => mark === 1));
});

it('the first mark wins, and who comes later acknowledges nothing', async (world) => {
  await world.join(BOB);
  const [first, , last] = await aStorm(world);
  granted(await world.calls.acknowledgeAlert({ publicId: last, all: true, as: BOB }));
  const { events } = granted(await world.calls.listInbox({ userId: await idOf(world), limit: 1 }));
  assert.equal(events[0]?.alert, { id: last, state: 'acknowledged' }, 'the inbox does not wait for the rows');
  const { alert, acknowledged } = granted(await world.calls.acknowledgeAlert({ publicId: first }));
  assert.equal([alert.acknowledged_by, acknowledged], ['bob', 0]);
  assert.is(granted(await world.calls.acknowledgeAlert({ publicId: last, all: true })).acknowledged, 0);
  await settled(world);
  assert.is(granted(await world.calls.showAlert({ publicId: first })).alert.acknowledged_by, 'bob');
});

it('a later act on one alert stands after a mark', async (world) => {
  const [first, second, last] = await aStorm(world);
  granted(await world.calls.acknowledgeAlert({ publicId: last, all: true }));
  assert.ok(granted(await world.calls.acknowledgeAlert({ publicId: first, forS: 600 })).snoozed);
  assert.ok(granted(await world.calls.resolveAlert({ publicId: second })).resolved);
  await settled(world);
  const { alert } = granted(await world.calls.showAlert({ publicId: first }));
  assert.equal([alert.state, alert.snoozed_until], ['acknowledged', '2026-11-21T09:40:00.123+00:00']);
  assert.is(await stateOf(world, second), 'resolved');
  await roundAt(world, NOW_MS + 10 * MINUTE_MS);
  assert.is(await stateOf(world, first, NOW_MS + 10 * MINUTE_MS), 'open', 'an old mark does not take it again');
});

it('an event joins an alert that a mark has acknowledged quietly, and opens a new alert if a mark has ended it', async (world) => {
  const [first, , last] = await aStorm(world);
  granted(await world.calls.acknowledgeAlert({ publicId: last, all: true }));
  const joined = await world.post({ ...INSISTING, collapseKey: 'first' });
  assert.equal(
    (await claimedOf(world)).map(({ event: { publicId, quiet, alert } }) => [publicId, quiet, alert?.id, alert?.state]),
    [[joined, true, first, 'acknowledged']],
  );
  granted(await world.calls.updateChannel({ workspace: 'acme', slug: 'alerts', insist: null }));
  assert.is(await stateOf(world, first), 'resolved');
  await insist(world);
  const second = await world.post({ ...INSISTING, collapseKey: 'first' });
  await settled(world);
  assert.equal([await stateOf(world, first), await stateOf(world, second)], ['resolved', 'open']);
});

test('all alerts of a channel that insists no more, is deactivated or deleted end at once', async (engine) => {
  for (const change of [{ insist: null }, { status: 'inactive' }] as const) {
    const world = await anInsistingWorld({ engine });
    const [first] = await aStorm(world);
    granted(await world.calls.updateChannel({ workspace: 'acme', slug: 'alerts', ...change }));
    const seen = async () => [await listed(world, 'open'), await listed(world, 'ended'), await stateOf(world, first)];
    assert.equal(await seen(), [0, MANY, 'resolved']);
    await settled(world);
    assert.equal(await seen(), [0, MANY, 'resolved']);
  }
  const world = await anInsistingWorld({ engine });
  await aStorm(world);
  granted(await world.calls.deleteChannel({ workspace: 'acme', slug: 'alerts' }));
  assert.equal((await world.calls.countAlerts({})).open, 0);
  await settled(world);
  assert.is(await world.countRows('alert'), 0);
  assert.is(await world.countRows('alert_mark'), 0);
});

it("the author of a storm's acknowledgement takes it back for all unchanged alerts, and one reminder tells the others", async (world) => {
  const [first, second, last] = await aStorm(world);
  await claimedOf(world);
  granted(await world.calls.acknowledgeAlert({ publicId: last, all: true, as: ADA }));
  granted(await world.calls.acknowledgeAlert({ publicId: first, forS: 600 }));
  granted(await world.calls.resolveAlert({ publicId: second }));
  await settled(world);
  const { reopened } = granted(await world.calls.reopenAlert({ publicId: last, all: true, as: ADA }));
  assert.is(reopened, 500, 'more are not counted');
  const seen = async () => [await listed(world, 'open'), await stateOf(world, first), await stateOf(world, second)];
  assert.equal(await seen(), [MANY - 2, 'acknowledged', 'resolved'], 'at once');
  assert.is((await roundAt(world, NOW_MS)).reminders, 0, 'not before all rows have followed');
  await settled(world);
  assert.equal(await seen(), [MANY - 2, 'acknowledged', 'resolved']);
  assert.is((await roundAt(world, NOW_MS)).reminders, 1);
  const { alert } = granted(await world.calls.showAlert({ publicId: last }));
  assert.equal(
    [alert.acknowledged_by, alert.reopened_by, alert.stops_at],
    [null, 'ada', '2026-11-21T10:20:00.123+00:00'],
  );
});

it('a storm that is taken back before its rows have followed is open at once, and may be acknowledged again', async (world) => {
  await world.join(BOB);
  const [first, , last] = await aStorm(world);
  granted(await world.calls.acknowledgeAlert({ publicId: last, all: true, as: ADA }));
  granted(await world.calls.reopenAlert({ publicId: first, all: true, as: ADA }));
  assert.equal([await listed(world, 'open'), await listed(world, 'acknowledged')], [MANY, 0]);
  const acknowledgement = granted(await world.calls.acknowledgeAlert({ publicId: last, as: BOB }));
  assert.equal([acknowledgement.acknowledged, acknowledgement.alert.acknowledged_by], [1, 'bob']);
  granted(await world.calls.acknowledgeAlert({ publicId: last, all: true, as: BOB }));
  await settled(world);
  assert.equal([await listed(world, 'open'), await listed(world, 'acknowledged')], [0, MANY]);
  assert.is(granted(await world.calls.showAlert({ publicId: first })).alert.acknowledged_by, 'bob');
});

it('an event joins an alert whose acknowledgement was taken back, and the rest follows after a crash', async (world) => {
  const [first, , last] = await aStorm(world);
  granted(await world.calls.acknowledgeAlert({ publicId: last, all: true, as: ADA }));
  await settled(world);
  granted(await world.calls.reopenAlert({ publicId: last, all: true, as: ADA }));
  await world.post({ ...INSISTING, collapseKey: 'first' });
  const [claimed] = await claimedOf(world);
  assert.equal([claimed?.event.alert?.id, claimed?.event.alert?.state], [first, 'open']);
  await world.restart();
  assert.is(await listed(world, 'open'), MANY);
  await settled(world);
  assert.equal([await listed(world, 'open'), await world.countRows('alert_mark')], [MANY, 0]);
});

it('rows follow a mark after a crash as well', async (world) => {
  const [first, , last] = await aStorm(world);
  granted(await world.calls.acknowledgeAlert({ publicId: last, all: true }));
  await world.restart();
  assert.is(await stateOf(world, first), 'acknowledged');
  await settled(world);
  assert.is(await world.countRows('alert_mark'), 0);
  assert.is(await stateOf(world, first), 'acknowledged');
});

run();
