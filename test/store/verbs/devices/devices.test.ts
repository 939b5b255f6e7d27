import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { NewDevice } from '../../../../src/store/calls.ts';
import { androidToken } from '../../../support/android-token.ts';
import { aDevice, aWorld, EMAIL, granted, NOW_MS, refused, tokenOf, type World } from '../../../support/world.ts';

const BOB = 'bob@example.com';

const test = suite('devices');

test('a new device is active, subscribed, and known by a public id', () => {
  const world = aWorld();
  const { device, created } = granted(
    world.calls.addDevice({ workspace: 'acme', email: EMAIL, ...aDevice({ name: 'Phone' }), wallMs: NOW_MS }),
  );
  assert.is(created, true);
  assert.match(device.id, /^dev_[0-9a-hjkmnp-tv-z]{16}$/);
  assert.equal(device, {
    id: device.id,
    platform: 'ios',
    environment: 'production',
    name: 'Phone',
    status: 'active',
    inactive_reason: null,
    registered_at: '2026-11-21T09:30:00.123+00:00',
    channels: ['deploys'],
  });
});

test('the same token again updates the device and keeps what is not said', () => {
  const world = aWorld();
  const id = world.addDevice({ name: 'Phone', token: 'AB'.repeat(32) });
  const again = {
    workspace: 'acme',
    email: EMAIL,
    platform: 'ios',
    token: 'ab'.repeat(32),
    wallMs: NOW_MS + 1,
  } as const;
  const { device, created } = granted(world.calls.addDevice(again));
  assert.is(created, false);
  assert.is(device.id, id);
  assert.is(device.name, 'Phone');
  assert.equal(device.channels, ['deploys']);
  assert.is(device.registered_at, '2026-11-21T09:30:00.124+00:00');
});

test('an active device that registers again still gets the events accepted before', () => {
  const world = aWorld();
  world.addDevice();
  world.accept();
  world.addDevice({ name: 'New name' });
  assert.is(claimed(world).length, 1);
});

test('a device that comes back to life does not get the events accepted before', () => {
  const world = aWorld();
  world.addDevice();
  world.accept();
  const [claim] = claimed(world);
  settleAsDead(world, claim?.claimId ?? '');
  assert.is(audienceOf(world), 0);
  world.accept();
  world.addDevice();
  assert.is(audienceOf(world), 1);
  assert.is(claimed(world).length, 0);
  world.accept();
  assert.is(claimed(world).length, 1);
});

test('a device that changes its environment leaves its old route with its subscriptions', () => {
  const world = aWorld();
  world.addDevice();
  world.accept();
  world.addDevice({ environment: 'sandbox' });
  assert.is(claimed(world).length, 0);
  assert.equal(world.accept().routes, ['apns_sandbox']);
});

test('a token that another user registers is a new device of theirs, without the old subscriptions', () => {
  const world = aWorld();
  granted(world.calls.addMember({ workspace: 'acme', email: BOB, role: 'member', wallMs: NOW_MS }));
  const old = world.addDevice();
  world.accept();
  const moved = world.addDevice({ subscribe: [] }, BOB);
  assert.is.not(moved, old);
  assert.is(world.countRows('device'), 1);
  assert.is(world.countRows('subscription'), 0);
  assert.is(audienceOf(world), 0);
  assert.is(claimed(world).length, 0);
});

test('the same characters are two tokens on two platforms', () => {
  const world = aWorld();
  const token = 'ab'.repeat(32);
  assert.is.not(world.addDevice({ token }), world.addDevice({ platform: 'android', token }));
});

test('only members of the workspace have devices there', () => {
  const { calls } = aWorld();
  const answer = refused(
    calls.addDevice({ workspace: 'acme', email: 'anna@example.com', ...aDevice(), wallMs: NOW_MS }),
  );
  assert.is(answer.refused, 'not_found');
  assert.match(answer.message, 'The nearest is "ana@example.com"');
  assert.match(answer.hint ?? '', '`pushctl member add acme anna@example.com`');
});

test('an unknown channel is refused with the nearest one, and no device is made', () => {
  const world = aWorld();
  const device = aDevice({ subscribe: ['deploys', 'deplois'] });
  const answer = refused(world.calls.addDevice({ workspace: 'acme', email: EMAIL, ...device, wallMs: NOW_MS }));
  assert.match(answer.message, 'has no channel "deplois". The nearest is "deploys"');
  assert.is(world.countRows('device'), 0);
});

test('a wrong address is refused', () => {
  const world = aWorld();
  const wrong: NewDevice[] = [
    aDevice({ token: 'xyz' }),
    aDevice({ platform: 'android', token: 'with blank' }),
    aDevice({ platform: 'android', token: androidToken('token'), environment: 'sandbox' }),
    aDevice({ tokenKind: 'installation_id' }),
    aDevice({ name: ' ' }),
  ];
  for (const device of wrong) {
    const answer = refused(world.calls.addDevice({ workspace: 'acme', email: EMAIL, ...device, wallMs: NOW_MS }));
    assert.is(answer.refused, 'invalid');
  }
  assert.is(world.countRows('device'), 0);
});

test('devices are listed by workspace and by member, with the channels of that workspace only', () => {
  const world = aWorld();
  world.addWorkspace('umbrella');
  granted(world.calls.createChannel({ workspace: 'umbrella', slug: 'alerts', wallMs: NOW_MS }));
  granted(world.calls.addMember({ workspace: 'umbrella', email: EMAIL, role: 'member', wallMs: NOW_MS }));
  granted(world.calls.addMember({ workspace: 'acme', email: BOB, role: 'member', wallMs: NOW_MS }));
  const ana = world.addDevice({ token: tokenOf(1) });
  granted(
    world.calls.addDevice({
      workspace: 'umbrella',
      email: EMAIL,
      ...aDevice({ token: tokenOf(1), subscribe: ['alerts'] }),
      wallMs: NOW_MS,
    }),
  );
  const bob = world.addDevice({ token: tokenOf(2) }, BOB);
  assert.equal(idsAndChannels(world, 'acme'), [
    [ana, ['deploys']],
    [bob, ['deploys']],
  ]);
  assert.equal(idsAndChannels(world, 'umbrella'), [[ana, ['alerts']]]);
  assert.equal(idsAndChannels(world, 'acme', BOB), [[bob, ['deploys']]]);
});

test('a removed device is gone with its subscriptions', () => {
  const world = aWorld();
  const id = world.addDevice();
  assert.equal(granted(world.calls.removeDevice({ id })).channels, ['deploys']);
  assert.is(world.countRows('subscription'), 0);
  assert.is(audienceOf(world), 0);
  assert.is(refused(world.calls.removeDevice({ id })).refused, 'not_found');
});

test.run();

function claimed({ calls }: World) {
  const lane = { route: 'apns_production', lane: 'standard' } as const;
  return calls.claimBatches({ ...lane, limit: 10, batchSize: 100, steadyMs: NOW_MS, wallMs: NOW_MS }).claims;
}

function settleAsDead({ calls }: World, claimId: string): void {
  const verdict = { state: 'unregistered', reason: 'Unregistered', token: 'ab'.repeat(32), atMs: null } as const;
  const verdicts = [{ index: 0, verdict, fitted: false, linksLost: false }];
  calls.settleBatch({ claimId, verdicts, steadyMs: NOW_MS, wallMs: NOW_MS });
}

function audienceOf({ db }: World): number {
  return db.prepare<[], number>('SELECT coalesce(sum(devices), 0) FROM audience').pluck().get() ?? 0;
}

function idsAndChannels({ calls }: World, workspace: string, email?: string) {
  const page = calls.listDevices({ workspace, limit: 100, ...(email !== undefined && { email }) });
  return granted(page).devices.map(({ id, channels }) => [id, channels]);
}
