import * as assert from 'uvu/assert';
import { browserKeys } from '../../../support/browser-keys.ts';
import { ADA, BOB } from '../../../support/cast.ts';
import { conformance } from '../../../support/engines.ts';
import { listen, register, update } from '../../../support/own-devices.ts';
import { idOf } from '../../../support/people.ts';
import { claim, countsOf, settle } from '../../../support/queue.ts';
import { granted } from '../../../support/refusals.ts';
import { tokenOf } from '../../../support/workspace.ts';
import { aWorld, NOW_MS } from '../../../support/world.ts';

const { it, run } = conformance('addresses of own devices', aWorld);

it('a token that another user registers takes nothing along, and queued or deferred pushes are withdrawn', async (world) => {
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

it("a new token that belongs to another member's device ends that device", async (world) => {
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

it('a device with a new token keeps its name and subscriptions, and its queued pushes go to the new token', async (world) => {
  const { device } = await register(world, {
    platform: 'ios',
    token: tokenOf(1),
    environment: 'sandbox',
    name: 'Phone',
  });
  await listen(world, device);
  await world.accept();
  const updated = await update(world, { id: device.id, token: tokenOf(2) });
  assert.equal(updated, {
    ...device,
    subscriptions: [{ workspace: 'acme', channel: 'alerts', min_level: null, muted_until: null }],
  });
  const [batch] = await claim(world, { route: 'apns_sandbox' });
  assert.is(batch?.targets[0]?.token, tokenOf(2));
});

it('a push that waits for another try is withdrawn when its device goes to another environment', async (world) => {
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

it('registering again protects a device from earlier answers of a provider', async (world) => {
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

it('a browser whose subscription has ended is inactive, and comes back with the next one, for later events', async (world) => {
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

run();
