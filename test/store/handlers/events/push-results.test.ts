import * as assert from 'uvu/assert';
import type { PushResult } from '../../../../src/contract/push-results.ts';
import type { MuteRequest } from '../../../../src/store/calls/own-devices.ts';
import type { DeviceResult, Verdict } from '../../../../src/store/calls.ts';
import { toTimestamp } from '../../../../src/values/timestamp.ts';
import { anInsistingWorld, INSISTING, MINUTE_MS, roundAt, sentAt } from '../../../support/alerts.ts';
import { ADA, BOB } from '../../../support/cast.ts';
import { conformance } from '../../../support/engines.ts';
import { idOf } from '../../../support/people.ts';
import { claim, settle } from '../../../support/queue.ts';
import { granted } from '../../../support/refusals.ts';
import { at, expire, sendAll } from '../../../support/resends.ts';
import { prune } from '../../../support/retention.ts';
import { tokenOf } from '../../../support/workspace.ts';
import { aWorld, HOUR_MS, NOW_MS, type World } from '../../../support/world.ts';

const { test, run } = conformance('push results');

const LATER = toTimestamp(NOW_MS + HOUR_MS);
const PLACE = { workspace: 'acme', channels: ['alerts'] };

/** Returns the words of `event show` on an event and a member, and on the whole event. */
async function shown(world: World, publicId: string, email = ADA, ms = 0) {
  const { event, member } = granted(await world.calls.showEvent({ publicId, email, limit: 1, ...at(ms) }));
  assert.ok(member);
  return { ...member, untried: event.never_tried.map(({ result, devices }) => [result, devices]) };
}

async function resultOn(world: World, publicId: string, device = world.devices[0]): Promise<DeviceResult> {
  const found = (await shown(world, publicId)).devices.find(({ device_id }) => device_id === device);
  assert.ok(found);
  return found;
}

/** Sends what waits on APNs, with a verdict for each device in their order. */
async function sendWith(world: World, verdicts: readonly Verdict[]): Promise<void> {
  const [batch] = await claim(world);
  assert.ok(batch);
  assert.is(batch.targets.length, verdicts.length);
  const lines = verdicts.map((verdict, index) => ({ index, verdict, fitted: false, linksLost: false }));
  await world.calls.settleBatch({ claimId: batch.claimId, verdicts: lines, ...at(0) });
}

async function mute(world: World, deviceId: string, muted: MuteRequest): Promise<void> {
  const place = { userId: await idOf(world, ADA), deviceId, workspace: 'acme', channel: 'alerts' };
  granted(await world.calls.subscribe({ ...place, ...muted }));
}

test('each device of a member has the reason why it got an event or did not, and the event counts what was never tried', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 6, android: 1 } });
  const [sent = '', dead = '', waits = '', snoozed = '', strict = '', left = '', paused = ''] = world.devices;
  await mute(world, snoozed, { mutedUntil: LATER });
  await mute(world, strict, { minLevel: 'error' });
  granted(await world.calls.unsubscribeDevice({ id: left, ...PLACE }));
  await world.calls.pauseRoute({ route: 'fcm' });
  const publicId = await world.post({ level: 'warning' });
  const late = await world.addDevice({ token: tokenOf(77) });
  const token = '';
  await sendWith(world, [
    { state: 'accepted' },
    { state: 'unregistered', reason: 'BadDeviceToken', token, atMs: null },
    { state: 'pending', reason: 'timeout', retryInMs: HOUR_MS, spent: true },
  ]);
  const { devices, result, untried } = await shown(world, publicId);
  const expected: Readonly<Record<string, readonly [PushResult, string | null, string | null]>> = {
    [sent]: ['accepted', null, null],
    [dead]: ['refused', 'BadDeviceToken', null],
    [waits]: ['waiting', 'timeout', LATER],
    [snoozed]: ['muted', null, LATER],
    [strict]: ['muted', null, null],
    [left]: ['not_subscribed', null, null],
    [paused]: ['route_paused', null, null],
    [late]: ['subscribed_later', null, null],
  };
  const found = devices.map(({ device_id, result, reason, until }) => [device_id, [result, reason, until]]);
  assert.equal(Object.fromEntries(found), expected);
  assert.is(devices.find(({ device_id }) => device_id === strict)?.min_level, 'error');
  assert.is(result, 'accepted');
  assert.equal(untried, [
    ['route_paused', 1],
    ['muted', 2],
  ]);
});

test('a pause of the running server is the result on each device, in the counts and in the list', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1, android: 1 } });
  const publicId = await world.post();
  const scheduled = await world.post({ sendAtMs: NOW_MS + HOUR_MS });
  const pauses = { fcm: 'connect_failed', apns_production: 'shutdown' };
  const onEvent = async (id: string) =>
    granted(await world.calls.showEvent({ publicId: id, email: ADA, limit: 1, pauses }));
  const { event, member } = await onEvent(publicId);
  assert.equal(
    member?.devices.map(({ result, reason, until }) => [result, reason, until]),
    [
      ['route_paused', 'shutdown', null],
      ['route_paused', 'connect_failed', null],
    ],
  );
  assert.is(member?.result, 'route_paused');
  assert.equal(event.never_tried, [{ result: 'route_paused', devices: 2 }]);
  const { events } = granted(await world.calls.listMemberEvents({ workspace: 'acme', email: ADA, limit: 1, pauses }));
  assert.equal(
    events.map(({ result }) => result),
    ['route_paused'],
  );
  assert.is((await onEvent(scheduled)).member?.result, 'waiting');
});

test('a reminder that expired before its turn is expired, and one for a person alone is not for the others', async (engine) => {
  const world = await anInsistingWorld({ engine });
  granted(await world.calls.addMember({ workspace: 'acme', email: BOB, role: 'member' }));
  const bobs = await world.addDevice({ token: tokenOf(6) }, BOB);
  const publicId = await world.post(INSISTING);
  await sentAt(world, NOW_MS);
  await roundAt(world, NOW_MS + MINUTE_MS);
  const waiting = async () =>
    (await world.calls.listWaiting({ after: 0, limit: 10 })).map(({ public_id }) => public_id);
  const [reminder = ''] = await waiting();
  granted(await world.calls.reassignAlert({ publicId, to: BOB, ...at(MINUTE_MS) }));
  const others = (await waiting()).filter((id) => id !== reminder);
  await expire(world, 24 * HOUR_MS);
  assert.is((await resultOn(world, reminder)).result, 'expired');
  const resultsOf = async (id: string) => [
    (await resultOn(world, id)).result,
    (await shown(world, id, BOB)).devices.find(({ device_id }) => device_id === bobs)?.result,
  ];
  const found = await Promise.all(others.map(resultsOf));
  assert.ok(
    found.some(([ada, bob]) => ada === 'not_for_it' && bob === 'expired'),
    JSON.stringify(found),
  );
});

test('a member without a device, and one who joined later, are told apart', async (engine) => {
  const world = await aWorld({ engine });
  const publicId = await world.post();
  assert.is((await shown(world, publicId)).result, 'no_device');
  granted(await world.calls.addMember({ workspace: 'acme', email: BOB, role: 'member', ...at(1) }));
  await world.addDevice({ token: tokenOf(5) }, BOB);
  assert.is((await shown(world, publicId, BOB)).result, 'joined_later');
  const refused = await world.calls.showEvent({ publicId, email: 'nobody@example.com', limit: 1 });
  assert.match('refused' in refused ? refused.message : '', 'is not a member of workspace "acme"');
});

test('an inactive device says since when and why', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1 } });
  await world.post();
  const [batch] = await claim(world);
  assert.ok(batch);
  const token = String(batch.targets[0]?.token);
  await settle(world, batch, { state: 'unregistered', reason: 'Unregistered', token, atMs: NOW_MS });
  const { result, reason, at } = await resultOn(world, await world.post());
  assert.equal([result, reason, at], ['inactive', 'Unregistered', toTimestamp(NOW_MS)]);
});

test('a push that waits for its time or its workspace says so, and so does a cancelled or expired push', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1 } });
  const scheduled = await world.post({ sendAtMs: NOW_MS + HOUR_MS });
  const cancelled = await world.post();
  granted(await world.calls.cancelEvent({ publicId: cancelled }));
  const overdue = await world.post({ expiresInS: 60 });
  const held = await world.post({ expiresInS: 7_200 });
  granted(await world.calls.setWorkspaceStatus({ slug: 'acme', status: 'suspended' }));
  await expire(world, 61_000);
  const { result, until } = await resultOn(world, scheduled);
  assert.equal([result, until], ['waiting', LATER]);
  for (const [id, expected] of [
    [cancelled, 'cancelled'],
    [overdue, 'expired'],
    [held, 'workspace_suspended'],
  ] as const) {
    assert.is((await resultOn(world, id)).result, expected);
    assert.equal((await shown(world, id)).untried, [[expected, 1]]);
  }
});

test('an event in quiet hours was accepted without a sound, and a test push was for its device alone', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 2 } });
  const [tested = '', other] = world.devices;
  const quiet = { from: '00:00', to: '23:59', timezone: 'UTC' };
  granted(await world.calls.updateChannel({ workspace: 'acme', slug: 'alerts', quiet }));
  const publicId = await world.post();
  const { event } = granted(await world.calls.testDevice({ id: tested, uuid: '01930000-0000-7000-8000-000000000009' }));
  await sendAll(world, 'apns_production', 0);
  await sendAll(world, 'apns_production', 0, 'urgent');
  assert.is((await resultOn(world, publicId)).result, 'quiet');
  assert.is((await resultOn(world, event.public_id)).result, 'accepted');
  assert.is((await resultOn(world, event.public_id, other)).result, 'not_for_it');
});

test("a member's list has the newest events of their channels, page by page, with one word each", async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1 }, channels: ['alerts', 'builds'] });
  const [device = ''] = world.devices;
  const first = await world.post();
  await sendAll(world, 'apns_production', 0);
  await world.post({ channel: 'builds' });
  await mute(world, device, { mutedUntil: LATER });
  const second = await world.post();
  await sendAll(world, 'apns_production', 0);
  const page = async (before?: string) => {
    const asked = { workspace: 'acme', email: ADA, limit: 1, ...(before !== undefined && { before }) };
    return granted(await world.calls.listMemberEvents(asked));
  };
  const newest = await page();
  const older = await page(newest.next ?? undefined);
  const found = [...newest.events, ...older.events].map(({ public_id, result }) => [public_id, result]);
  assert.equal(found, [
    [second, 'muted'],
    [first, 'accepted'],
  ]);
  assert.is(older.next, null);
});

test('a device that left before the push was sent is counted, and after the retention of deliveries nothing is said', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 2 }, deliveriesRetentionMs: HOUR_MS });
  const [left = ''] = world.devices;
  const publicId = await world.post();
  granted(await world.calls.unsubscribeDevice({ id: left, ...PLACE }));
  await sendAll(world, 'apns_production', 0);
  const { untried } = await shown(world, publicId);
  assert.equal(untried, [['gone', 1]]);
  await prune(world, NOW_MS + 2 * HOUR_MS);
  const old = await shown(world, publicId, ADA, 2 * HOUR_MS);
  assert.equal([old.result, old.untried], ['not_subscribed', []]);
  assert.is(old.devices[1]?.result, 'unknown');
});

run();
