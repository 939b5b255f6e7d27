import * as assert from 'uvu/assert';
import type { Verdict } from '../../../../src/store/calls.ts';
import { androidToken } from '../../../support/android-token.ts';
import { assertEach } from '../../../support/assert-each.ts';
import { ADA, BOB } from '../../../support/cast.ts';
import { conformance } from '../../../support/engines.ts';
import { granted, refused } from '../../../support/refusals.ts';
import { tokenOf } from '../../../support/workspace.ts';
import { aWorld, NOW_MS, type World } from '../../../support/world.ts';

const { it, run } = conformance('events', aWorld);

it('an event is read back with its counts by state, all pending at first', async (world) => {
  await world.addDevice();
  const { event } = await world.accept();
  const read = await world.calls.readEvent({
    boundKeyId: null,
    workspaceId: world.workspaceId,
    publicId: event.public_id,
  });
  assert.equal(read?.event, event);
  assert.equal(read?.deliveries, {
    pending: 1,
    accepted: 0,
    failed: 0,
    unregistered: 0,
    expired: 0,
    withdrawn: 0,
    fitted: 0,
    shown: null,
    opened: null,
    first_accepted_at: null,
    last_accepted_at: null,
  });
});

it("another workspace's event, and a text that is no event, read as none", async (world) => {
  const { workspaceId: other } = await world.addWorkspace('umbrella');
  const { event } = await world.accept();
  assert.is(await world.calls.readEvent({ boundKeyId: null, workspaceId: other, publicId: event.public_id }), null);
  assert.is(await world.calls.readEvent({ boundKeyId: null, workspaceId: world.workspaceId, publicId: 'evt_1' }), null);
});

it('events are listed newest first, page by page', async (world) => {
  const ids = await Promise.all(
    ['one', 'two', 'three'].map(async (title) => (await world.accept({ title })).event.public_id),
  );
  const page = granted(await world.calls.listEvents({ workspace: 'acme', limit: 2 }));
  assert.equal([page.events.map(({ title }) => title), page.next], [['three', 'two'], ids[1]]);
  const rest = granted(await world.calls.listEvents({ workspace: 'acme', limit: 2, before: ids[1] ?? '' }));
  assert.equal([rest.events.map(({ title }) => title), rest.next], [['one'], null]);
  assert.is(
    refused(await world.calls.listEvents({ workspace: 'acme', limit: 2, before: 'evt_1' })).detail?.field,
    'before',
  );
});

it('a listed event has its whole text, and its channel', async (world) => {
  await world.accept({ title: 'Deploy finished', description: 'Version 2', urgency: 'time_sensitive' });
  const [event] = granted(await world.calls.listEvents({ workspace: 'acme', limit: 1 })).events;
  const { workspace, channel, title, description, delivery_urgency } = event ?? {};
  assert.equal(
    { workspace, channel, title, description, delivery_urgency },
    {
      workspace: 'acme',
      channel: 'alerts',
      title: 'Deploy finished',
      description: 'Version 2',
      delivery_urgency: 'time_sensitive',
    },
  );
});

it('an event is shown with every try of each device, page by page', async (world) => {
  const ids = await Promise.all([1, 2].map((n) => world.addDevice({ token: tokenOf(n) })));
  const { event } = await world.accept();
  await settle(world, NOW_MS, [
    { state: 'pending', reason: 'TooManyRequests', retryInMs: 1000, spent: true },
    { state: 'accepted', keptS: 60 },
  ]);
  await settle(world, NOW_MS + 1000, [{ state: 'failed', reason: 'PayloadEmpty' }]);

  const first = granted(await world.calls.showEvent({ publicId: event.public_id, limit: 1 }));
  assert.equal(first.deliveries, [
    {
      device_id: ids[0],
      device: 'iOS device',
      member: ADA,
      platform: 'ios',
      state: 'failed',
      attempts: [
        { at: '2026-11-21T09:30:00.123+00:00', state: 'deferred', reason: 'TooManyRequests' },
        { at: '2026-11-21T09:30:01.123+00:00', state: 'failed', reason: 'PayloadEmpty' },
      ],
      reason: 'PayloadEmpty',
      at: '2026-11-21T09:30:01.123+00:00',
      kept_s: null,
      shown_at: null,
      opened_at: null,
      quiet: null,
    },
  ]);
  const second = granted(await world.calls.showEvent({ publicId: event.public_id, limit: 1, after: first.next ?? '' }));
  assertEach(second.deliveries, ({ device_id, state, kept_s }) => [device_id, state, kept_s], [
    [ids[1], 'accepted', 60],
  ]);
  assert.is(second.next, null);
});

it('a delivery that waits shows its tries so far, and one that was never tried shows none', async (world) => {
  const id = await world.addDevice();
  const deferred = (await world.accept()).event;
  await settle(world, NOW_MS, [{ state: 'pending', reason: 'busy', retryInMs: 1000, spent: true }]);
  const fresh = granted(await world.calls.testDevice({ id, uuid: crypto.randomUUID() })).event;
  const attemptsOf = async (publicId: string) =>
    granted(await world.calls.showEvent({ publicId, limit: 9 })).deliveries.map(({ state, attempts }) => [
      state,
      attempts.length,
    ]);
  assert.equal(await attemptsOf(deferred.public_id), [['pending', 1]]);
  assert.equal(await attemptsOf(fresh.public_id), [['pending', 0]]);
});

it('a device is named with whose it is, unless they belong to the workspace no longer', async (world) => {
  await world.addWorkspace('umbrella');
  for (const workspace of ['acme', 'umbrella']) await world.join(BOB, { workspace });
  const id = await world.addDevice({ name: "Bob's phone" }, BOB);
  const { event } = await world.accept();
  await settle(world, NOW_MS, [{ state: 'accepted' }]);
  const shown = async () => {
    const [line] = granted(await world.calls.showEvent({ publicId: event.public_id, limit: 9 })).deliveries;
    return [line?.device_id, line?.device, line?.member];
  };
  assert.equal(await shown(), [id, "Bob's phone", BOB]);
  granted(await world.calls.removeMember({ workspace: 'acme', email: BOB }));
  assert.equal(await shown(), [id, null, null]);
});

it('a device that is gone is shown without its id', async (world) => {
  const id = await world.addDevice({ platform: 'android', token: androidToken('fcm') });
  const { event } = await world.accept();
  await settle(world, NOW_MS, [{ state: 'accepted' }], 'fcm');
  granted(await world.calls.removeDevice({ id }));
  const [line] = granted(await world.calls.showEvent({ publicId: event.public_id, limit: 9 })).deliveries;
  assert.is(line?.device_id, null);
  assert.is(line?.platform, 'android');
});

it('only one of two pushes that were accepted together may be kept for less', async (world) => {
  const ids = await Promise.all([1, 2, 3].map((n) => world.addDevice({ token: tokenOf(n) })));
  const { event } = await world.accept();
  await settle(world, NOW_MS, [{ state: 'accepted' }, { state: 'accepted', keptS: 0 }, { state: 'accepted' }]);
  const { deliveries } = granted(await world.calls.showEvent({ publicId: event.public_id, limit: 9 }));
  assertEach(deliveries, ({ device_id, kept_s }) => [device_id, kept_s], [
    [ids[0], null],
    [ids[1], 0],
    [ids[2], null],
  ]);
});

run();

/** One verdict for each target that can be claimed now. */
async function settle(
  { calls }: World,
  nowMs: number,
  verdicts: readonly Verdict[],
  route: 'fcm' | 'apns_production' = 'apns_production',
): Promise<void> {
  const time = { steadyMs: nowMs, wallMs: nowMs };
  const [claim] = (await calls.claimBatches({ route, lane: 'standard', limit: 9, batchSize: 9, ...time })).claims;
  const settled = verdicts.map((verdict, index) => {
    return { index, verdict, fitted: false, linksLost: false };
  });
  await calls.settleBatch({ claimId: claim?.claimId ?? '', verdicts: settled, ...time });
}
