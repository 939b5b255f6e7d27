import { v7 } from 'uuid';
import * as assert from 'uvu/assert';
import { anInsistingWorld, INSISTING, MINUTE_MS } from '../support/alerts.ts';
import { assertEach } from '../support/assert-each.ts';
import { BOB } from '../support/cast.ts';
import { conformance } from '../support/engines.ts';
import { claim } from '../support/queue.ts';
import { granted, refused } from '../support/refusals.ts';
import { AT_MS, claimedAt, DAY_MS, LATER, listed, read, releasedAt } from '../support/scheduled.ts';
import { standingClock } from '../support/standing-clock.ts';
import { tokenOf } from '../support/workspace.ts';
import { aWorld, HOUR_MS, NOW_MS } from '../support/world.ts';

const { test, it, run } = conformance('events that are sent later', anInsistingWorld);

test('before its time an event is counted, and neither sent nor listed; at its time it is', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 2 } });
  const { event, routes } = await world.accept(LATER);
  const id = event.public_id;
  assert.equal([event.target_device_count, event.received_at, routes], [2, '2026-11-21T09:30:00.123+00:00', []]);
  assert.is((await world.calls.readUsage({ workspaceId: world.workspaceId })).used, 1);
  assert.equal(await world.calls.nextRelease({}), { inMs: HOUR_MS });
  assert.is(await releasedAt(world, AT_MS - 1), 0);
  assert.equal([await claimedAt(world, AT_MS - 1), await listed(world)], [[], []]);
  const waiting = await read(world, id);
  assert.equal(
    [waiting?.state, waiting?.send_at, waiting?.event, waiting?.deliveries.pending],
    ['scheduled', '2026-11-21T10:30:00.123+00:00', event, 0],
  );
  assert.is(await releasedAt(world, AT_MS + 5), 1);
  assert.equal(await world.calls.nextRelease({ wallMs: AT_MS + 5 }), { inMs: null });
  const sent = await read(world, id);
  assert.equal(
    [sent?.state, sent?.event, sent?.deliveries.pending],
    ['queued', { ...event, received_at: '2026-11-21T10:30:00.128+00:00' }, 2],
  );
  assert.equal([await listed(world), await claimedAt(world, AT_MS + 5)], [[id], [id]]);
  assert.is((await world.calls.readUsage({ workspaceId: world.workspaceId })).used, 1);
});

test('an event that waits is found by its collapse key or id in its channel, as far as a key reaches', async (engine) => {
  const world = await aWorld({ engine });
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1)
    ids.push((await world.accept({ collapseKey: 'disk', ...LATER })).event.public_id);
  await world.accept({ collapseKey: 'disk' });
  const found = async (collapseKey: string, publicId: string, more = {}) => {
    const asked = {
      workspaceId: world.workspaceId,
      boundKeyId: null,
      channel: 'alerts',
      collapseKey,
      publicId,
      ...more,
    };
    return (await world.calls.findScheduled(asked)).publicIds;
  };
  assert.equal(await found('disk', 'disk'), ids);
  const [first = ''] = ids;
  assert.equal(await found(first, first), [first]);
  assert.equal([await found('disk', 'disk', { channel: 'ops' }), await found('x', 'x')], [[], []]);
  assert.equal(await found('disk', 'disk', { boundKeyId: 'of-no-channel' }), []);
  granted(await world.calls.cancelEvent({ publicId: first }));
  assert.equal(await found('disk', first), ids.slice(1));
});

test('a time that has passed means now', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1 } });
  const { event, routes } = await world.accept({ sendAtMs: NOW_MS });
  assert.equal(routes, ['apns_production']);
  assert.equal(await claimedAt(world, NOW_MS), [event.public_id]);
  assert.equal(await world.calls.nextRelease({}), { inMs: null });
});

test('it goes to those who are subscribed at its time, and expires by then', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1 } });
  const [first = ''] = world.devices;
  const { event } = await world.accept({ ...LATER, expiresInS: 60 });
  await world.addDevice({ token: tokenOf(8) });
  await world.addDevice({ token: tokenOf(9) });
  granted(await world.calls.removeDevice({ id: first }));
  await releasedAt(world, AT_MS);
  const after = await read(world, event.public_id);
  assert.equal([after?.event.target_device_count, after?.deliveries.pending], [1, 2]);
  const [batch] = await claim(world, { atMs: AT_MS + 59_000 });
  assert.equal([batch?.targets.length, batch?.events[0]?.leftMs], [2, 1_000]);
});

test('a replay is answered with the first record, before its time and after', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1 } });
  const asked = { ...LATER, idempotencyKey: 'once' };
  const { event } = await world.accept(asked);
  await world.addDevice({ token: tokenOf(9) });
  const again = async (wallMs: number, more = {}) =>
    world.calls.acceptEvent({ ...world.anEvent({ ...asked, ...more }), wallMs });
  const replayed = { kind: 'replayed', event, isSame: true };
  assert.equal(await again(NOW_MS + 1), replayed);
  assert.equal(await again(NOW_MS + 1, { sendAtMs: AT_MS + 1 }), { ...replayed, isSame: false });
  assert.is(await releasedAt(world, AT_MS), 1);
  assert.equal(await again(AT_MS + 1), replayed);
  assert.is((await claimedAt(world, AT_MS + 1)).length, 1);
});

test('an allowance that is spent refuses it, and one that is spent meanwhile does not', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1 } });
  granted(await world.calls.setPlan({ name: 'small', monthlyEvents: 2 }));
  granted(await world.calls.setWorkspacePlan({ slug: 'acme', plan: 'small' }));
  await world.post(LATER);
  await world.post();
  const over = await world.calls.acceptEvent(world.anEvent(LATER));
  assert.is(over.kind, 'allowance_exhausted');
  assert.is(await releasedAt(world, AT_MS), 1);
});

test('a thousand of a workspace wait at most, and what was taken back counts for a day', async (engine) => {
  // So that no pause makes two groups of what is asked at once, which would not count each other.
  using _ = standingClock();
  const world = await aWorld({ engine, devices: { ios: 1 } });
  const key = { ...LATER, idempotencyKey: 'once' };
  const publicId = await world.post(key);
  await world.together(
    'acceptEvent',
    Array.from({ length: 990 }, () => world.anEvent(LATER)),
  );
  // Sorted: on PostgreSQL what is asked at once is answered in any order.
  const kindsOf = async (count: number, more: object = LATER) =>
    (
      await world.together(
        'acceptEvent',
        Array.from({ length: count }, () => world.anEvent(more)),
      )
    )
      .map(({ kind }) => kind)
      .sort();
  const places = [...Array<string>(9).fill('accepted'), ...Array<string>(3).fill('too_many_scheduled')];
  assert.equal(await kindsOf(12), places);
  const checked = async () => (await world.calls.checkEvent(world.anEvent(LATER))).kind;
  assert.is(await checked(), 'too_many_scheduled');
  assert.equal(await kindsOf(1, key), ['replayed']);
  assert.equal(await kindsOf(1, {}), ['accepted']);
  assert.equal(await kindsOf(1, { sendAtMs: NOW_MS }), ['accepted']);
  granted(await world.calls.cancelEvent({ publicId }));
  assert.is(await checked(), 'too_many_scheduled');
  const nextDay = { sendAtMs: NOW_MS + 2 * DAY_MS, wallMs: NOW_MS + DAY_MS };
  assert.equal(await kindsOf(2, nextDay), ['accepted', 'too_many_scheduled']);
});

test('all that are due go out, in the order of their times, however many', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1 } });
  const posted = await world.together(
    'acceptEvent',
    Array.from({ length: 130 }, (_, nth) => world.anEvent({ sendAtMs: AT_MS - nth })),
  );
  const ids = posted.map((answer) => (answer.kind === 'accepted' ? answer.event.public_id : ''));
  await world.post({ sendAtMs: AT_MS + 1 });
  assert.ok((await world.calls.releaseDue({ wallMs: AT_MS })).released.length < 130);
  await releasedAt(world, AT_MS);
  const { events } = granted(await world.calls.listEvents({ workspace: 'acme', limit: 200 }));
  assertEach(events, ({ public_id }) => public_id, ids);
  assert.equal(await world.calls.nextRelease({ wallMs: AT_MS }), { inMs: 1 });
});

test('one alone is sent that is behind others', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1 } });
  const [, second = ''] = [await world.post(LATER), await world.post({ sendAtMs: AT_MS + 1 }), await world.post(LATER)];
  const { released } = await world.calls.releaseDue({ skip: 2, wallMs: AT_MS + 1 });
  assertEach(released, ({ publicId }) => publicId, [second]);
  assert.equal(await world.calls.releaseDue({ skip: 2, wallMs: AT_MS + 1 }), { released: [] });
});

test('after a clock that was set back it is not sent again, and one set forward sends it', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1 } });
  await world.post(LATER);
  assert.is(await releasedAt(world, NOW_MS + 2 * DAY_MS), 1);
  assert.is(await releasedAt(world, NOW_MS), 0);
  assert.is(await releasedAt(world, AT_MS), 0);
  const after = await world.restart();
  assert.equal(await after.calls.releaseDue({ wallMs: AT_MS + DAY_MS }), { released: [] });
});

test('a scheduled event is there after a crash', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1 } });
  await world.post(LATER);
  const after = await world.restart();
  assert.equal(await after.calls.nextRelease({}), { inMs: HOUR_MS });
  const answers = await Promise.all([1, 2, 3].map(() => after.calls.releaseDue({ wallMs: AT_MS })));
  assert.is(answers.flatMap(({ released }) => released).length, 1);
  assert.is((await claim(after, { atMs: AT_MS })).length, 1);
});

test('it is withdrawn once before its time, and nothing of it is sent', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1 } });
  const publicId = await world.post({ ...LATER, idempotencyKey: 'once' });
  const cancelled = granted(await world.calls.cancelEvent({ publicId, wallMs: NOW_MS + 5 }));
  assert.equal([cancelled.isNew, cancelled.wasScheduled, cancelled.withdrawn, cancelled.done], [true, true, 0, true]);
  const again = granted(await world.calls.cancelEvent({ publicId, wallMs: NOW_MS + 9 }));
  assert.equal([again.isNew, again.wasScheduled], [false, false]);
  assert.is(await releasedAt(world, AT_MS), 0);
  const found = await read(world, publicId);
  assert.equal([found?.state, found?.cancelled_at], ['cancelled', '2026-11-21T09:30:00.128+00:00']);
  assert.equal(await claimedAt(world, AT_MS), []);
  assert.is((await world.calls.acceptEvent(world.anEvent({ ...LATER, idempotencyKey: 'once' }))).kind, 'replayed');
});

test('either the cancellation or the release of an event comes first', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1 } });
  for (let round = 0; round < 6; round += 1) {
    const publicId = await world.post(LATER);
    const release = () => world.calls.releaseDue({ wallMs: AT_MS });
    const cancel = () => world.calls.cancelEvent({ publicId, wallMs: AT_MS });
    const first = round % 2 === 0 ? release() : cancel();
    const [earlier, later] = await Promise.all([first, round % 2 === 0 ? cancel() : release()]);
    const [released, cancelled] = round % 2 === 0 ? [earlier, later] : [later, earlier];
    const isReleased = (released as Awaited<ReturnType<typeof release>>).released.length === 1;
    assert.is(granted(cancelled as Awaited<ReturnType<typeof cancel>>).wasScheduled, !isReleased);
    assert.equal(await claimedAt(world, AT_MS), []);
    assert.is((await read(world, publicId))?.state, 'cancelled');
  }
});

test('only managers of its workspace and keys that reach it take it back', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1 } });
  const bob = await world.join(BOB, { role: 'member' });
  const publicId = await world.post(LATER);
  const stranger = { workspaceId: world.workspaceId + 1, boundKeyId: null };
  assert.is(refused(await world.calls.cancelEvent({ publicId, reach: stranger })).refused, 'not_found');
  const bound = { workspaceId: world.workspaceId, boundKeyId: 'another' };
  assert.is(refused(await world.calls.cancelEvent({ publicId, reach: bound })).refused, 'not_found');
  assert.is(refused(await world.calls.cancelEvent({ publicId, userId: bob })).refused, 'forbidden');
  const reach = { workspaceId: world.workspaceId, boundKeyId: null };
  assert.ok(granted(await world.calls.cancelEvent({ publicId, reach })).wasScheduled);
});

test('an inactive channel and a suspended workspace hold up no time, and a deleted channel takes it along', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1 } });
  const inactive = await world.post(LATER);
  granted(await world.calls.updateChannel({ workspace: 'acme', slug: 'alerts', status: 'inactive' }));
  assert.is(await releasedAt(world, AT_MS), 1);
  assert.equal(await claimedAt(world, AT_MS), [inactive]);
  granted(await world.calls.updateChannel({ workspace: 'acme', slug: 'alerts', status: 'active' }));
  const held = await world.post(LATER);
  granted(await world.calls.setWorkspaceStatus({ slug: 'acme', status: 'suspended' }));
  assert.is(await releasedAt(world, AT_MS), 1);
  assert.equal(await claimedAt(world, AT_MS), []);
  granted(await world.calls.setWorkspaceStatus({ slug: 'acme', status: 'active' }));
  assert.equal(await claimedAt(world, AT_MS), [held]);
  const gone = await world.post(LATER);
  granted(await world.calls.deleteChannel({ workspace: 'acme', slug: 'alerts' }));
  assert.equal(await world.calls.nextRelease({}), { inMs: null });
  assert.is(await releasedAt(world, AT_MS), 0);
  assert.is(await read(world, gone), null);
});

it('an alert is opened at its time, and none if its channel insists no more', async (world) => {
  const id = await world.post({ ...INSISTING, ...LATER });
  assert.is((await world.calls.countAlerts({})).open, 0);
  await releasedAt(world, AT_MS);
  const { alert } = granted(await world.calls.showAlert({ publicId: id, wallMs: AT_MS }));
  assert.equal([alert.id, alert.opened_at], [id, '2026-11-21T10:30:00.123+00:00']);
  assert.equal(await world.calls.nextRound({ wallMs: AT_MS }), { inMs: MINUTE_MS, soonestMs: MINUTE_MS });
  granted(await world.calls.resolveAlert({ publicId: id, wallMs: AT_MS }));
  await world.post({ ...INSISTING, ...LATER });
  granted(await world.calls.updateChannel({ workspace: 'acme', slug: 'alerts', status: 'inactive' }));
  await releasedAt(world, AT_MS);
  assert.is((await world.calls.countAlerts({})).open, 0);
});

test('quiet hours are those of its time', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1 } });
  const quiet = { from: '10:00', to: '11:00', timezone: 'UTC' };
  granted(await world.calls.updateChannel({ workspace: 'acme', slug: 'alerts', quiet }));
  const loudly = await world.post({ sendAtMs: AT_MS + HOUR_MS });
  const quietly = await world.post(LATER);
  const soundOf = async (atMs: number) => {
    await releasedAt(world, atMs);
    const claims = await claim(world, { atMs });
    return claims.flatMap(({ events }) => events.map(({ event }) => [event.publicId, event.quiet === true]));
  };
  assert.equal(await soundOf(AT_MS), [[quietly, true]]);
  assert.equal(await soundOf(AT_MS + HOUR_MS), [[loudly, false]]);
});

test('withdrawing all that waits names it from its time on, and posting it once more sends the copy at once', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1 } });
  const publicId = await world.post(LATER);
  const waiting = async (wallMs: number) =>
    (await world.calls.listWaiting({ after: 0, limit: 9, wallMs })).map(({ public_id }) => public_id);
  assert.equal([await waiting(AT_MS - 1), await waiting(AT_MS)], [[], [publicId]]);
  const { event } = granted(await world.calls.repostEvent({ publicId, uuid: v7() }));
  assert.equal([event.deliveries.pending, event.send_at], [1, null]);
});

run();
