import * as assert from 'uvu/assert';
import type { NewDevice } from '../../../../src/store/calls.ts';
import { androidToken } from '../../../support/android-token.ts';
import { assertEach } from '../../../support/assert-each.ts';
import { ADA, BOB } from '../../../support/cast.ts';
import { conformance } from '../../../support/engines.ts';
import { register, update } from '../../../support/own-devices.ts';
import { idOf } from '../../../support/people.ts';
import { granted, refused } from '../../../support/refusals.ts';
import { tokenOf } from '../../../support/workspace.ts';
import { aWorld, NOW_MS } from '../../../support/world.ts';

const { it, run } = conformance('own devices', aWorld);

it('an app registers its device once: the same token again updates it', async (world) => {
  const device = { platform: 'ios', token: tokenOf(1), name: 'Phone', appVersion: '1.0' } as const;
  const first = await register(world, device);
  assert.is(first.created, true);
  assert.equal(first.device, {
    id: first.device.id,
    platform: 'ios',
    environment: 'production',
    push_service: null,
    app: null,
    token_kind: 'token',
    name: 'Phone',
    app_version: '1.0',
    status: 'active',
    inactive_reason: null,
    registered_at: '2026-11-21T09:30:00.123+00:00',
    last_shown_at: null,
    not_showing_since: null,
    subscriptions: [],
  });
  const again = await register(world, { platform: 'ios', token: tokenOf(1), appVersion: '1.1' }, ADA, NOW_MS + 1);
  assert.is(again.created, false);
  assert.equal(again.device, { ...first.device, app_version: '1.1', registered_at: '2026-11-21T09:30:00.124+00:00' });
});

it('a token of another platform names the wrong field', async ({ calls }) => {
  const owner = { userId: await idOf({ calls }) };
  const fieldOf = async (device: NewDevice) =>
    refused(await calls.registerDevice({ ...owner, ...device })).detail?.field;
  assert.is(await fieldOf({ platform: 'ios', token: 'no hex' }), 'token');
  assert.is(await fieldOf({ platform: 'ios', token: tokenOf(1), tokenKind: 'installation_id' }), 'token_kind');
  assert.is(await fieldOf({ platform: 'android', token: androidToken('x'), environment: 'sandbox' }), 'environment');
  assert.is(await fieldOf({ platform: 'android', token: androidToken('x'), name: ' ' }), 'name');
});

it('a person who was forgotten meanwhile registers nothing', async (world) => {
  const userId = await world.join(BOB);
  granted(await world.calls.removeMember({ workspace: 'acme', email: BOB }));
  const device = { platform: 'ios', token: tokenOf(1) } as const;
  assert.is(refused(await world.calls.registerDevice({ userId, ...device })).refused, 'not_found');
});

it("a member's own devices are listed page by page, and no one else's", async (world) => {
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
  assertEach([...first.devices, ...second.devices], ({ id }) => id, ids);
  assert.is(second.next, null);
  const wrong = await world.calls.listOwnDevices({ userId: await idOf(world), limit: 2, after: 'dev_unknown' });
  assert.is(refused(wrong).detail?.field, 'after');
});

it('a rename registers nothing again, and a wrong token changes nothing', async (world) => {
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
  assert.is(
    refused(await world.calls.updateDevice({ ...owner, token: 'too short', name: 'Other' })).detail?.field,
    'token',
  );
  assert.is(refused(await world.calls.updateDevice({ ...owner, name: '' })).detail?.field, 'name');
  assert.is((await update(world, { id: device.id })).name, 'Tablet');
});

it('the devices of others are not there: to change, to remove, to test', async (world) => {
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

run();
