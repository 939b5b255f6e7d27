import * as assert from 'uvu/assert';
import type { NewDevice } from '../../../../src/store/calls.ts';
import type { OwnDevice } from '../../../../src/store/people-calls.ts';
import { androidToken } from '../../../support/android-token.ts';
import { browserKeys } from '../../../support/browser-keys.ts';
import { ADA, BOB } from '../../../support/cast.ts';
import { conformance } from '../../../support/engines.ts';
import { idOf } from '../../../support/people.ts';
import { claim, countsOf, settle } from '../../../support/queue.ts';
import { granted, refused } from '../../../support/refusals.ts';
import { tokenOf } from '../../../support/workspace.ts';
import { aWorld, NOW_MS, type World } from '../../../support/world.ts';

const test = conformance('own devices');

test('an app registers its device once: the same token again updates it', async ({ engine }) => {
  const world = await aWorld({ engine });
  const device = { platform: 'ios', token: tokenOf(1), name: 'Phone', appVersion: '1.0' } as const;
  const first = await register(world, device);
  assert.is(first.created, true);
  assert.equal(first.device, {
    id: first.device.id,
    platform: 'ios',
    environment: 'production',
    push_service: null,
    token_kind: 'token',
    name: 'Phone',
    app_version: '1.0',
    status: 'active',
    inactive_reason: null,
    registered_at: '2026-11-21T09:30:00.123+00:00',
    subscriptions: [],
  });
  const again = await register(world, { platform: 'ios', token: tokenOf(1), appVersion: '1.1' }, ADA, NOW_MS + 1);
  assert.is(again.created, false);
  assert.equal(again.device, { ...first.device, app_version: '1.1', registered_at: '2026-11-21T09:30:00.124+00:00' });
});

test('what is no token of its platform names the wrong field', async ({ engine }) => {
  const { calls } = await aWorld({ engine });
  const owner = { userId: await idOf({ calls }) };
  const fieldOf = async (device: NewDevice) => refused(await calls.registerDevice({ ...owner, ...device })).field;
  assert.is(await fieldOf({ platform: 'ios', token: 'no hex' }), 'token');
  assert.is(await fieldOf({ platform: 'ios', token: tokenOf(1), tokenKind: 'installation_id' }), 'token_kind');
  assert.is(await fieldOf({ platform: 'android', token: androidToken('x'), environment: 'sandbox' }), 'environment');
  assert.is(await fieldOf({ platform: 'android', token: androidToken('x'), name: ' ' }), 'name');
});

test('a person registers at most fifty devices, and may still update each of them', async ({ engine }) => {
  const world = await aWorld({ engine });
  for (let n = 1; n <= 50; n += 1) await register(world, { platform: 'ios', token: tokenOf(n) });
  const another = { userId: await idOf(world), platform: 'ios', token: tokenOf(51) } as const;
  assert.match(refused(await world.calls.registerDevice(another)).message, 'already have 50 devices');
  assert.is((await register(world, { platform: 'ios', token: tokenOf(50) })).created, false);
  const imported = { workspace: 'acme', email: ADA, platform: 'ios', token: tokenOf(52) } as const;
  assert.ok(granted(await world.calls.addDevice(imported)).created, 'operators are not held to that');
});

test('who was forgotten meanwhile registers nothing', async ({ engine }) => {
  const world = await aWorld({ engine });
  const userId = await world.join(BOB);
  granted(await world.calls.removeMember({ workspace: 'acme', email: BOB }));
  const device = { platform: 'ios', token: tokenOf(1) } as const;
  assert.is(refused(await world.calls.registerDevice({ userId, ...device })).refused, 'not_found');
});

test("own devices are listed page by page, and nobody else's", async ({ engine }) => {
  const world = await aWorld({ engine });
  await world.join(BOB);
  const ids = await Promise.all(
    [1, 2, 3].map(async (n) => (await register(world, { platform: 'ios', token: tokenOf(n) })).device.id),
  );
  await register(world, { platform: 'ios', token: tokenOf(4) }, BOB);
  const pageAfter = async (after?: string) =>
    granted(
      await world.calls.listOwnDevices({ userId: await idOf(world), limit: 2, ...(after !== undefined && { after }) }),
    );
  const first = await pageAfter();
  const second = await pageAfter(String(first.next));
  assert.equal(
    [...first.devices, ...second.devices].map(({ id }) => id),
    ids,
  );
  assert.is(second.next, null);
  const wrong = await world.calls.listOwnDevices({ userId: await idOf(world), limit: 2, after: 'dev_unknown' });
  assert.is(refused(wrong).field, 'after');
});

test('a token that another user registers takes nothing along, and what was queued or deferred is withdrawn', async ({
  engine,
}) => {
  const world = await aWorld({ engine });
  await world.join(BOB);
  const { device } = await register(world, { platform: 'ios', token: tokenOf(1) });
  await listen(world, device);
  const deferred = (await world.accept()).event.public_id;
  for (const batch of await claim(world)) {
    await settle(world, batch, { state: 'pending', reason: 'timeout', retryInMs: 0, spent: true });
  }
  const queued = (await world.accept()).event.public_id;
  const moved = await register(world, { platform: 'ios', token: tokenOf(1) }, BOB);
  assert.is(moved.created, true);
  assert.is.not(moved.device.id, device.id);
  assert.equal(moved.device.subscriptions, []);
  assert.equal(await claim(world, { atMs: NOW_MS }), []);
  for (const publicId of [deferred, queued]) {
    assert.is((await countsOf(world, publicId)).withdrawn, 1);
    assert.is((await countsOf(world, publicId)).pending, 0);
  }
  assert.equal(granted(await world.calls.listOwnDevices({ userId: await idOf(world), limit: 9 })).devices, []);
});

test('a new token that belongs to a device of somebody else ends that device', async ({ engine }) => {
  const world = await aWorld({ engine });
  await world.join(BOB);
  const theirs = (await register(world, { platform: 'ios', token: tokenOf(1) })).device;
  await listen(world, theirs);
  const queued = (await world.accept()).event.public_id;
  const mine = (await register(world, { platform: 'ios', token: tokenOf(2) }, BOB)).device;
  const updated = await update(world, { id: mine.id, token: tokenOf(1) }, BOB);
  assert.is(updated.id, mine.id);
  assert.equal(await claim(world), []);
  assert.is(await world.countRows('device'), 1);
  assert.is((await countsOf(world, queued)).withdrawn, 1);
});

test('a device with a new token keeps its name and subscriptions, and its queued pushes go to the new token', async ({
  engine,
}) => {
  const world = await aWorld({ engine });
  const { device } = await register(world, {
    platform: 'ios',
    token: tokenOf(1),
    environment: 'sandbox',
    name: 'Phone',
  });
  await listen(world, device);
  await world.accept();
  const updated = await update(world, { id: device.id, token: tokenOf(2) });
  assert.equal(updated, { ...device, subscriptions: [{ workspace: 'acme', channel: 'alerts' }] });
  const [batch] = await claim(world, { route: 'apns_sandbox' });
  assert.is(batch?.targets[0]?.token, tokenOf(2));
});

test('a push that waits for another try is withdrawn when its device goes to another environment', async ({
  engine,
}) => {
  const world = await aWorld({ engine });
  const { device } = await register(world, { platform: 'ios', token: tokenOf(1) });
  await listen(world, device);
  const { public_id: publicId } = (await world.accept()).event;
  for (const batch of await claim(world)) {
    await settle(world, batch, { state: 'pending', reason: 'timeout', retryInMs: 0, spent: true });
  }
  await register(world, { platform: 'ios', token: tokenOf(1), environment: 'sandbox' });
  assert.equal(await claim(world, { atMs: NOW_MS }), []);
  assert.equal(await claim(world, { atMs: NOW_MS, route: 'apns_sandbox' }), []);
  assert.is((await countsOf(world, publicId)).withdrawn, 1);
});

test('a rename registers nothing anew, and a wrong token changes nothing', async ({ engine }) => {
  const world = await aWorld({ engine });
  const { device } = await register(world, {
    platform: 'android',
    token: 'abcdefghijklmnop',
    tokenKind: 'installation_id',
  });
  assert.equal(await update(world, { id: device.id, name: 'Tablet', wallMs: NOW_MS + 1 }), {
    ...device,
    name: 'Tablet',
  });
  const owner = { userId: await idOf(world), id: device.id };
  assert.is(refused(await world.calls.updateDevice({ ...owner, token: 'too short', name: 'Other' })).field, 'token');
  assert.is(refused(await world.calls.updateDevice({ ...owner, name: '' })).field, 'name');
  assert.is((await update(world, { id: device.id })).name, 'Tablet');
});

test('registering again protects a device from what a provider said of it before', async ({ engine }) => {
  const world = await aWorld({ engine });
  const { device } = await register(world, { platform: 'ios', token: tokenOf(1) });
  await listen(world, device);
  const pushAndHear = async (atMs: number) => {
    await world.accept();
    const verdict = { state: 'unregistered', reason: 'Unregistered', token: tokenOf(1), atMs } as const;
    for (const batch of await claim(world)) await settle(world, batch, verdict);
  };
  await register(world, { platform: 'ios', token: tokenOf(1) }, ADA, NOW_MS + 10);
  await pushAndHear(NOW_MS + 9);
  assert.is((await update(world, { id: device.id })).status, 'active');
  await pushAndHear(NOW_MS + 10);
  assert.is((await update(world, { id: device.id })).status, 'inactive');
  assert.is((await update(world, { id: device.id, token: tokenOf(1), wallMs: NOW_MS + 30 })).status, 'active');
});

test('a browser whose subscription has ended is inactive, and comes back with the next one, for what is posted then', async ({
  engine,
}) => {
  const world = await aWorld({ engine });
  const endpoint = 'https://updates.push.services.mozilla.com/wpush/v2/gAAAAABn';
  const browser = { platform: 'web', subscription: { endpoint, keys: browserKeys() } } as const;
  const { device } = await register(world, browser);
  await listen(world, device);
  const lane = { route: 'webpush_mozilla' } as const;
  const { public_id: missed } = (await world.accept()).event;
  const [batch] = await claim(world, lane);
  assert.ok(batch);
  await world.accept();
  await settle(world, batch, { state: 'unregistered', reason: '410 106', token: endpoint, atMs: NOW_MS });
  const { status, inactive_reason } = await update(world, { id: device.id });
  assert.equal([status, inactive_reason], ['inactive', '410 106']);
  const next = { platform: 'web', subscription: { endpoint: `${endpoint}2`, keys: browserKeys() } } as const;
  const back = await register(world, { ...next, replaces: endpoint }, ADA, NOW_MS + 1);
  assert.equal([back.device.id, back.device.status], [device.id, 'active']);
  assert.is(back.device.subscriptions.length, 1);
  assert.is((await countsOf(world, missed)).unregistered, 1);
  assert.equal(await claim(world, lane), [], 'what was posted while it was gone is not sent');
  await world.accept();
  const targets = (await claim(world, lane)).flatMap((again) => again.targets);
  assert.equal(
    targets.map(({ token, keys }) => [token, JSON.parse(keys ?? '')]),
    [[next.subscription.endpoint, next.subscription.keys]],
  );
});

test('the devices of others are not there: to change, to remove, to test', async ({ engine }) => {
  const world = await aWorld({ engine });
  const bob = await world.join(BOB);
  const { id } = (await register(world, { platform: 'ios', token: tokenOf(1) })).device;
  const time = { uuid: '0192f0c1-2b3c-7def-8abc-0123456789ab' };
  assert.is(refused(await world.calls.updateDevice({ userId: bob, id, name: 'Mine' })).refused, 'not_found');
  assert.is(refused(await world.calls.removeDevice({ userId: bob, id })).refused, 'not_found');
  assert.is(refused(await world.calls.testDevice({ userId: bob, id, ...time })).refused, 'not_found');
  const { event } = granted(await world.calls.testDevice({ userId: await idOf(world), id, ...time }));
  assert.is(event.target_device_count, 1);
  assert.is(granted(await world.calls.removeDevice({ userId: await idOf(world), id })).id, id);
});

test.run();

async function register(
  { calls }: World,
  device: Omit<NewDevice, 'subscribe'> & { replaces?: string },
  email = ADA,
  wallMs = NOW_MS,
): Promise<{ device: OwnDevice; created: boolean }> {
  return granted(await calls.registerDevice({ userId: await idOf({ calls }, email), wallMs, ...device }));
}

async function update(
  { calls }: World,
  change: { id: string; token?: string; name?: string; wallMs?: number },
  email = ADA,
): Promise<OwnDevice> {
  return granted(await calls.updateDevice({ userId: await idOf({ calls }, email), ...change }));
}

async function listen(world: World, { id: deviceId }: OwnDevice): Promise<void> {
  granted(await world.calls.subscribe({ userId: await idOf(world), deviceId, workspace: 'acme', channel: 'alerts' }));
}
