import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { NewDevice } from '../../../../src/store/calls.ts';
import type { OwnDevice } from '../../../../src/store/people-calls.ts';
import { androidToken } from '../../../support/android-token.ts';
import { BOB, idOf, join } from '../../../support/people.ts';
import { claim, countsOf, settle } from '../../../support/queue.ts';
import { aWorld, EMAIL, granted, NOW_MS, refused, tokenOf, type World } from '../../../support/world.ts';

const test = suite('own devices');

test('an app registers its device once: the same token again updates it', () => {
  const world = aWorld();
  const device = { platform: 'ios', token: tokenOf(1), name: 'Phone', appVersion: '1.0' } as const;
  const first = register(world, device);
  assert.is(first.created, true);
  assert.equal(first.device, {
    id: first.device.id,
    platform: 'ios',
    environment: 'production',
    token_kind: 'token',
    name: 'Phone',
    app_version: '1.0',
    status: 'active',
    inactive_reason: null,
    registered_at: '2026-11-21T09:30:00.123+00:00',
    subscriptions: [],
  });
  const again = register(world, { platform: 'ios', token: tokenOf(1), appVersion: '1.1' }, EMAIL, NOW_MS + 1);
  assert.is(again.created, false);
  assert.equal(again.device, { ...first.device, app_version: '1.1', registered_at: '2026-11-21T09:30:00.124+00:00' });
});

test('what is no token of its platform names the wrong field', () => {
  const { calls, ...world } = aWorld();
  const owner = { userId: idOf(world), wallMs: NOW_MS };
  const fieldOf = (device: NewDevice) => refused(calls.registerDevice({ ...owner, ...device })).field;
  assert.is(fieldOf({ platform: 'ios', token: 'no hex' }), 'token');
  assert.is(fieldOf({ platform: 'ios', token: tokenOf(1), tokenKind: 'installation_id' }), 'token_kind');
  assert.is(fieldOf({ platform: 'android', token: androidToken('x'), environment: 'sandbox' }), 'environment');
  assert.is(fieldOf({ platform: 'android', token: androidToken('x'), name: ' ' }), 'name');
});

test('a person registers at most fifty devices, and may still update each of them', () => {
  const world = aWorld();
  for (let n = 1; n <= 50; n += 1) register(world, { platform: 'ios', token: tokenOf(n) });
  const another = { userId: idOf(world), platform: 'ios', token: tokenOf(51), wallMs: NOW_MS } as const;
  assert.match(refused(world.calls.registerDevice(another)).message, 'already have 50 devices');
  assert.is(register(world, { platform: 'ios', token: tokenOf(50) }).created, false);
  const imported = { workspace: 'acme', email: EMAIL, platform: 'ios', token: tokenOf(52), wallMs: NOW_MS } as const;
  assert.ok(granted(world.calls.addDevice(imported)).created, 'operators are not held to that');
});

test('who was forgotten meanwhile registers nothing', () => {
  const world = aWorld();
  const userId = join(world, BOB);
  granted(world.calls.removeMember({ workspace: 'acme', email: BOB }));
  const device = { platform: 'ios', token: tokenOf(1) } as const;
  assert.is(refused(world.calls.registerDevice({ userId, ...device, wallMs: NOW_MS })).refused, 'not_found');
});

test("own devices are listed page by page, and nobody else's", () => {
  const world = aWorld();
  join(world, BOB);
  const ids = [1, 2, 3].map((n) => register(world, { platform: 'ios', token: tokenOf(n) }).device.id);
  register(world, { platform: 'ios', token: tokenOf(4) }, BOB);
  const pageAfter = (after?: string) =>
    granted(world.calls.listOwnDevices({ userId: idOf(world), limit: 2, ...(after !== undefined && { after }) }));
  const first = pageAfter();
  const second = pageAfter(String(first.next));
  assert.equal(
    [...first.devices, ...second.devices].map(({ id }) => id),
    ids,
  );
  assert.is(second.next, null);
  const wrong = world.calls.listOwnDevices({ userId: idOf(world), limit: 2, after: 'dev_unknown' });
  assert.is(refused(wrong).field, 'after');
});

test('a token that another user registers takes nothing along, and what was queued or deferred is withdrawn', () => {
  const world = aWorld();
  join(world, BOB);
  const { device } = register(world, { platform: 'ios', token: tokenOf(1) });
  listen(world, device);
  const deferred = world.accept().event.public_id;
  for (const batch of claim(world)) {
    settle(world, batch, { state: 'pending', reason: 'timeout', retryInMs: 0, spent: true });
  }
  const queued = world.accept().event.public_id;
  const moved = register(world, { platform: 'ios', token: tokenOf(1) }, BOB);
  assert.is(moved.created, true);
  assert.is.not(moved.device.id, device.id);
  assert.equal(moved.device.subscriptions, []);
  assert.equal(claim(world, { atMs: NOW_MS }), []);
  for (const publicId of [deferred, queued]) {
    assert.is(countsOf(world, publicId).withdrawn, 1);
    assert.is(countsOf(world, publicId).pending, 0);
  }
  assert.equal(granted(world.calls.listOwnDevices({ userId: idOf(world), limit: 9 })).devices, []);
});

test('a new token that belongs to a device of somebody else ends that device', () => {
  const world = aWorld();
  join(world, BOB);
  const theirs = register(world, { platform: 'ios', token: tokenOf(1) }).device;
  listen(world, theirs);
  const queued = world.accept().event.public_id;
  const mine = register(world, { platform: 'ios', token: tokenOf(2) }, BOB).device;
  const updated = update(world, { id: mine.id, token: tokenOf(1) }, BOB);
  assert.is(updated.id, mine.id);
  assert.equal(claim(world), []);
  assert.is(world.countRows('device'), 1);
  assert.is(countsOf(world, queued).withdrawn, 1);
});

test('a device with a new token keeps its name and subscriptions, and its queued pushes go to the new token', () => {
  const world = aWorld();
  const { device } = register(world, { platform: 'ios', token: tokenOf(1), environment: 'sandbox', name: 'Phone' });
  listen(world, device);
  world.accept();
  const updated = update(world, { id: device.id, token: tokenOf(2) });
  assert.equal(updated, { ...device, subscriptions: [{ workspace: 'acme', channel: 'deploys' }] });
  const [batch] = claim(world, { route: 'apns_sandbox' });
  assert.is(batch?.targets[0]?.token, tokenOf(2));
});

test('a push that waits for another try is withdrawn when its device goes to another environment', () => {
  const world = aWorld();
  const { device } = register(world, { platform: 'ios', token: tokenOf(1) });
  listen(world, device);
  const { public_id: publicId } = world.accept().event;
  for (const batch of claim(world)) {
    settle(world, batch, { state: 'pending', reason: 'timeout', retryInMs: 0, spent: true });
  }
  register(world, { platform: 'ios', token: tokenOf(1), environment: 'sandbox' });
  assert.equal(claim(world, { atMs: NOW_MS }), []);
  assert.equal(claim(world, { atMs: NOW_MS, route: 'apns_sandbox' }), []);
  assert.is(countsOf(world, publicId).withdrawn, 1);
});

test('a rename registers nothing anew, and a wrong token changes nothing', () => {
  const world = aWorld();
  const { device } = register(world, { platform: 'android', token: 'abcdefghijklmnop', tokenKind: 'installation_id' });
  assert.equal(update(world, { id: device.id, name: 'Tablet', wallMs: NOW_MS + 1 }), { ...device, name: 'Tablet' });
  const owner = { userId: idOf(world), id: device.id, wallMs: NOW_MS };
  assert.is(refused(world.calls.updateDevice({ ...owner, token: 'too short', name: 'Other' })).field, 'token');
  assert.is(refused(world.calls.updateDevice({ ...owner, name: '' })).field, 'name');
  assert.is(update(world, { id: device.id }).name, 'Tablet');
});

test('registering again protects a device from what a provider said of it before', () => {
  const world = aWorld();
  const { device } = register(world, { platform: 'ios', token: tokenOf(1) });
  listen(world, device);
  const pushAndHear = (atMs: number) => {
    world.accept();
    const verdict = { state: 'unregistered', reason: 'Unregistered', token: tokenOf(1), atMs } as const;
    for (const batch of claim(world)) settle(world, batch, verdict);
  };
  register(world, { platform: 'ios', token: tokenOf(1) }, EMAIL, NOW_MS + 10);
  pushAndHear(NOW_MS + 9);
  assert.is(update(world, { id: device.id }).status, 'active');
  pushAndHear(NOW_MS + 10);
  assert.is(update(world, { id: device.id }).status, 'inactive');
  assert.is(update(world, { id: device.id, token: tokenOf(1), wallMs: NOW_MS + 30 }).status, 'active');
});

test('the devices of others are not there: to change, to remove, to test', () => {
  const world = aWorld();
  const bob = join(world, BOB);
  const { id } = register(world, { platform: 'ios', token: tokenOf(1) }).device;
  const time = { uuid: '0192f0c1-2b3c-7def-8abc-0123456789ab', wallMs: NOW_MS, steadyMs: NOW_MS };
  assert.is(refused(world.calls.updateDevice({ userId: bob, id, name: 'Mine', wallMs: NOW_MS })).refused, 'not_found');
  assert.is(refused(world.calls.removeDevice({ userId: bob, id })).refused, 'not_found');
  assert.is(refused(world.calls.testDevice({ userId: bob, id, ...time })).refused, 'not_found');
  const { event } = granted(world.calls.testDevice({ userId: idOf(world), id, ...time }));
  assert.is(event.target_device_count, 1);
  assert.is(granted(world.calls.removeDevice({ userId: idOf(world), id })).id, id);
});

test.run();

function register(
  { calls, db }: World,
  device: Omit<NewDevice, 'subscribe'>,
  email = EMAIL,
  wallMs = NOW_MS,
): { device: OwnDevice; created: boolean } {
  return granted(calls.registerDevice({ userId: idOf({ db }, email), wallMs, ...device }));
}

function update(
  { calls, db }: World,
  change: { id: string; token?: string; name?: string; wallMs?: number },
  email = EMAIL,
): OwnDevice {
  return granted(calls.updateDevice({ userId: idOf({ db }, email), wallMs: NOW_MS, ...change }));
}

function listen(world: World, { id: deviceId }: OwnDevice): void {
  granted(world.calls.subscribe({ userId: idOf(world), deviceId, workspace: 'acme', channel: 'deploys' }));
}
