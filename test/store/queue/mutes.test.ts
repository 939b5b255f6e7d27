import * as assert from 'uvu/assert';
import type { MuteRequest } from '../../../src/store/calls/own-devices.ts';
import { toTimestamp } from '../../../src/values/timestamp.ts';
import { anInsistingWorld, INSISTING, MINUTE_MS, roundAt, sentAt } from '../../support/alerts.ts';
import { assertEach } from '../../support/assert-each.ts';
import { ADA, BOB } from '../../support/cast.ts';
import { conformance } from '../../support/engines.ts';
import { idOf } from '../../support/people.ts';
import { claim, countsOf, settle } from '../../support/queue.ts';
import { granted } from '../../support/refusals.ts';
import { at, expire, sendAll } from '../../support/resends.ts';
import { tokenOf } from '../../support/workspace.ts';
import { aWorld, HOUR_MS, NOW_MS, type World } from '../../support/world.ts';

const { test, it, run } = conformance('mutes', anInsistingWorld);

const IN_AN_HOUR = toTimestamp(NOW_MS + HOUR_MS);

async function mute(world: World, deviceId: string, muted: MuteRequest, channel = 'alerts'): Promise<void> {
  const place = { userId: await idOf(world, ADA), deviceId, workspace: 'acme', channel };
  granted(await world.calls.subscribe({ ...place, ...muted }));
}

async function firstDevice(world: World): Promise<string> {
  const [device = ''] = world.devices;
  return device;
}

/** Devices of an event whose delivery says that it was muted. */
async function recordedAsMuted(world: World, publicId: string): Promise<number> {
  const { deliveries } = granted(await world.calls.showEvent({ publicId, state: 'withdrawn', limit: 1_000 }));
  return deliveries.filter(({ reason, attempts }) => reason === 'muted' && attempts.length === 0).length;
}

/** The push to its only device waits for another try, an hour later. */
async function deferred(world: World): Promise<string> {
  const publicId = await world.post();
  const [batch] = await claim(world);
  assert.ok(batch);
  await settle(world, batch, { state: 'pending', reason: 'timeout', retryInMs: HOUR_MS, spent: true });
  return publicId;
}

test('a device gets nothing of a channel until the time up to which it is muted there', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1 } });
  await mute(world, await firstDevice(world), { mutedUntil: IN_AN_HOUR });
  const muted = await world.post();
  assert.equal(await sentAt(world, NOW_MS + HOUR_MS - 1), []);
  const after = await world.post();
  const sent = await sentAt(world, NOW_MS + HOUR_MS);
  assertEach(sent, ({ event }) => event.publicId, [after]);
  assert.is((await countsOf(world, muted)).withdrawn, 1);
  assert.is((await countsOf(world, after)).accepted, 1);
});

test('a device gets the events of a channel from a level up', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1 } });
  const levels = ['info', 'success', 'warning', 'error'] as const;
  for (const [place, minLevel] of levels.entries()) {
    await mute(world, await firstDevice(world), { minLevel });
    for (const level of levels) await world.post({ level });
    const sent = await sentAt(world, NOW_MS);
    assertEach(sent, ({ event }) => event.level, levels.slice(place), minLevel);
  }
});

test('in a fan-out of many pages only unmuted devices are sent to, and the rest is withdrawn', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 450 } });
  const muted = world.devices.filter((_, place) => place < 190 || place % 3 === 0 || place > 430);
  for (const device of muted) await mute(world, device, { mutedUntil: IN_AN_HOUR });
  const publicId = await world.post();
  const heard = world.devices.length - muted.length;
  assert.is(await sendAll(world, 'apns_production', 0), heard);
  const counts = await countsOf(world, publicId);
  assert.equal([counts.accepted, counts.withdrawn, counts.pending], [heard, muted.length, 0]);
  assert.is(await recordedAsMuted(world, publicId), muted.length);
});

test('an event that all have muted ends, and no claim records hundreds of mutes', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 320 } });
  for (const device of world.devices) await mute(world, device, { minLevel: 'error' });
  const publicId = await world.post({ level: 'warning' });
  for (let left = 2; left > 0; left -= 1) assert.equal(await claim(world), []);
  const counts = await countsOf(world, publicId);
  assert.equal([counts.withdrawn, counts.pending], [320, 0]);
  assert.is(await recordedAsMuted(world, publicId), 320);
});

test('a mute between the acceptance of an event and its push holds for it', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1 } });
  const publicId = await world.post();
  await mute(world, await firstDevice(world), { mutedUntil: IN_AN_HOUR });
  assert.equal(await claim(world), []);
  assert.is((await countsOf(world, publicId)).withdrawn, 1);
});

test('a push that waits for another try is withdrawn if its channel is muted then', async (engine) => {
  for (const muted of [{ mutedUntil: toTimestamp(NOW_MS + HOUR_MS + 1) }, { minLevel: 'error' }] as const) {
    const world = await aWorld({ engine, devices: { ios: 1 } });
    const publicId = await deferred(world);
    await mute(world, await firstDevice(world), muted);
    assert.equal(await claim(world, { atMs: NOW_MS + HOUR_MS }), []);
    const { deliveries } = granted(await world.calls.showEvent({ publicId, limit: 10 }));
    assertEach(deliveries, ({ state, reason }) => [state, reason], [['withdrawn', 'muted']]);
  }
});

test('a push that waits for another try goes out if its channel is muted no more', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1 } });
  const publicId = await deferred(world);
  await mute(world, await firstDevice(world), { mutedUntil: IN_AN_HOUR });
  assert.is(await sendAll(world, 'apns_production', HOUR_MS), 1);
  assert.is((await countsOf(world, publicId)).accepted, 1);
});

test('the mutes are those of the last request, and a request without mutes mutes nothing', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1 } });
  const device = await firstDevice(world);
  const mutesOf = async () => {
    const { devices } = granted(await world.calls.listDevices({ workspace: 'acme', limit: 10 }));
    return devices[0]?.mutes;
  };
  await mute(world, device, { minLevel: 'warning', mutedUntil: IN_AN_HOUR });
  assert.equal(await mutesOf(), [{ channel: 'alerts', min_level: 'warning', muted_until: IN_AN_HOUR }]);
  await mute(world, device, { minLevel: 'error' });
  assert.equal(await mutesOf(), [{ channel: 'alerts', min_level: 'error', muted_until: null }]);
  await mute(world, device, {});
  assert.equal(await mutesOf(), []);
});

test('a manager who subscribes the device again leaves it muted', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1 } });
  const device = await firstDevice(world);
  await mute(world, device, { minLevel: 'error' });
  granted(await world.calls.subscribeDevice({ id: device, workspace: 'acme', channels: ['alerts'] }));
  await world.post();
  assert.equal(await claim(world), []);
});

test('a device that comes back is muted as it was, and one of another person is not', async (engine) => {
  const world = await aWorld({ engine, channels: ['alerts', 'builds'] });
  const device = await world.addDevice({ token: tokenOf(1), subscribe: ['alerts', 'builds'] });
  await mute(world, device, { minLevel: 'error', mutedUntil: IN_AN_HOUR });
  await world.calls.registerDevice({
    userId: await idOf(world, ADA),
    platform: 'ios',
    token: tokenOf(1),
    environment: 'sandbox',
  });
  const shown = async () => granted(await world.calls.showDevice({ workspace: 'acme', id: device }));
  assert.equal((await shown()).mutes, [{ channel: 'alerts', min_level: 'error', muted_until: IN_AN_HOUR }]);
  granted(await world.calls.addMember({ workspace: 'acme', email: BOB, role: 'member' }));
  granted(await world.calls.moveDevice({ id: device, email: BOB }));
  assert.equal([(await shown()).channels, (await shown()).mutes], [['alerts', 'builds'], []]);
});

it('a reminder of an alert is muted as its event would be', async (world) => {
  const device = await firstDevice(world);
  await world.post(INSISTING);
  assert.is((await sentAt(world, NOW_MS)).length, 1);
  await mute(world, device, { mutedUntil: toTimestamp(NOW_MS + MINUTE_MS + 1) });
  await roundAt(world, NOW_MS + MINUTE_MS);
  assert.equal(await sentAt(world, NOW_MS + MINUTE_MS), []);
  await roundAt(world, NOW_MS + 2 * MINUTE_MS);
  assertEach(await sentAt(world, NOW_MS + 2 * MINUTE_MS), ({ event }) => event.alert?.reminder, [2]);
});

test('a bundle comes wherever one of its alerts does, in each channel that they have reached, and ends there', async (engine) => {
  const leads = { escalate: { after: 60, channel: 'leads' } };
  const world = await anInsistingWorld({ engine, channels: ['alerts', 'leads'] }, leads);
  const leader = await world.addDevice({ token: tokenOf(2), subscribe: ['leads'] });
  await mute(world, await firstDevice(world), { minLevel: 'error' });
  await mute(world, leader, { minLevel: 'error' }, 'leads');
  const wallMs = (minute: number) => NOW_MS + minute * MINUTE_MS;
  const sent = async (minute: number) => {
    await roundAt(world, wallMs(minute));
    const events = await sentAt(world, wallMs(minute));
    return events.map(({ event }) => [event.channel, event.title, event.description].join(': ')).sort();
  };
  /** More than a bundle names. */
  const slow = (minute: number) =>
    Promise.all(
      ['one', 'two', 'three', 'four'].map((collapseKey) =>
        world.post({ ...INSISTING, level: 'warning', collapseKey, title: 'Slow', wallMs: wallMs(minute) }),
      ),
    );
  await world.post({ ...INSISTING, title: 'Disk full', description: null });
  const first = await slow(0);
  assert.is((await sentAt(world, NOW_MS)).length, 1);
  const five = '5 open alerts: Slow\nSlow\nSlow';
  assert.equal(await sent(1), [`alerts: ${five}`, `leads: ${five}`]);
  for (const publicId of first) granted(await world.calls.resolveAlert({ publicId, wallMs: wallMs(1) }));
  assert.equal(
    await sent(2),
    ['alerts', 'leads'].flatMap((channel) => [`${channel}: 1 open alert: `, `${channel}: Disk full: `]),
  );
  const [publicId = ''] = (await slow(2)).toSorted().reverse();
  assert.equal(await sent(3), [`alerts: ${five}`, `leads: ${five}`]);
  granted(await world.calls.acknowledgeAlert({ publicId, all: true, wallMs: wallMs(3) }));
  assert.equal(await sent(4), [
    'alerts: 5 alerts: pushctl has them.',
    'alerts: Disk full: pushctl has it.',
    'leads: 5 alerts: pushctl has them.',
    'leads: Disk full: pushctl has it.',
  ]);
});

test('a success that resolves an alert comes to all devices that got the alert, at its first try and after it', async (engine) => {
  const levels = ['info', 'success', 'warning', 'error'] as const;
  for (const level of ['warning', 'error'] as const) {
    const world = await anInsistingWorld({ engine, devices: { ios: levels.length } });
    for (const [place, minLevel] of levels.entries()) await mute(world, world.devices[place] ?? '', { minLevel });
    const heard = levels.indexOf(level) + 1;
    await world.post({ ...INSISTING, level });
    assert.is(await sendAll(world, 'apns_production', 0, 'urgent'), heard);
    const resolving = await world.post({ level: 'success', collapseKey: INSISTING.collapseKey });
    for (const batch of await claim(world)) {
      await settle(world, batch, { state: 'pending', reason: 'timeout', retryInMs: HOUR_MS, spent: true });
    }
    assert.is(await sendAll(world, 'apns_production', HOUR_MS), heard);
    const other = await world.post({ level: 'success', collapseKey: INSISTING.collapseKey });
    assert.is(await sendAll(world, 'apns_production', HOUR_MS), 2, 'it resolves nothing');
    const accepted = [(await countsOf(world, resolving)).accepted, (await countsOf(world, other)).accepted];
    assert.equal(accepted, [heard, 2]);
  }
});

it('a reminder names no alert below the lowest level of a device', async (world) => {
  await mute(world, await firstDevice(world), { minLevel: 'error' });
  for (const collapseKey of ['one', 'two']) await world.post({ ...INSISTING, level: 'warning', collapseKey });
  await roundAt(world, NOW_MS + MINUTE_MS);
  assert.equal(await sentAt(world, NOW_MS + MINUTE_MS), []);
});

test('a test push comes also if all is muted', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 1 } });
  const device = await firstDevice(world);
  await mute(world, device, { minLevel: 'error', mutedUntil: IN_AN_HOUR });
  granted(await world.calls.testDevice({ id: device, uuid: '01932f1c-5d3a-7000-8000-000000000001' }));
  assert.is((await sentAt(world, NOW_MS)).length, 1);
});

test('a resent event goes to channels that are not muted', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 2 } });
  const publicId = await world.post();
  assert.is(await expire(world, 48 * HOUR_MS), 1);
  await mute(world, await firstDevice(world), { mutedUntil: toTimestamp(NOW_MS + 72 * HOUR_MS) });
  granted(await world.calls.resendEvent({ publicId, ...at(48 * HOUR_MS) }));
  assert.is(await sendAll(world, 'apns_production', 48 * HOUR_MS), 1);
  const counts = await countsOf(world, publicId);
  assert.equal([counts.accepted, counts.withdrawn], [1, 1]);
});

run();
