import * as assert from 'uvu/assert';
import type { NewDevice } from '../../../../src/store/calls.ts';
import { androidToken } from '../../../support/android-token.ts';
import { ADA, BOB } from '../../../support/cast.ts';
import { conformance } from '../../../support/engines.ts';
import { granted, refused } from '../../../support/refusals.ts';
import { aDevice, tokenOf } from '../../../support/workspace.ts';
import { aWorld, NOW_MS, type SqliteWorld, type World } from '../../../support/world.ts';

const { it, onSqlite, run } = conformance('devices', aWorld);

it('a new device is active, subscribed, and known by a public id', async (world) => {
  const { device, created } = granted(
    await world.calls.addDevice({ workspace: 'acme', email: ADA, ...aDevice({ name: 'Phone' }) }),
  );
  assert.is(created, true);
  assert.match(device.id, /^dev_[0-9a-hjkmnp-tv-z]{16}$/);
  assert.equal(device, {
    id: device.id,
    platform: 'ios',
    environment: 'production',
    push_service: null,
    app: null,
    name: 'Phone',
    status: 'active',
    inactive_reason: null,
    registered_at: '2026-11-21T09:30:00.123+00:00',
    last_shown_at: null,
    not_showing_since: null,
    channels: ['alerts'],
    mutes: [],
  });
});

it('the same token again updates the device and keeps its other fields', async (world) => {
  const id = await world.addDevice({ name: 'Phone', token: 'AB'.repeat(32) });
  const again = {
    workspace: 'acme',
    email: ADA,
    platform: 'ios',
    token: 'ab'.repeat(32),
    wallMs: NOW_MS + 1,
  } as const;
  const { device, created } = granted(await world.calls.addDevice(again));
  assert.is(created, false);
  assert.is(device.id, id);
  assert.is(device.name, 'Phone');
  assert.equal(device.channels, ['alerts']);
  assert.is(device.registered_at, '2026-11-21T09:30:00.124+00:00');
});

it('an active device that registers again still gets the events accepted before', async (world) => {
  await world.addDevice();
  await world.accept();
  await world.addDevice({ name: 'New name' });
  assert.is((await claimed(world)).length, 1);
});

onSqlite('a device that comes back to life does not get the events accepted before', async () => {
  const world = await aWorld();
  await world.addDevice();
  await world.accept();
  const [claim] = await claimed(world);
  await settleAsDead(world, claim?.claimId ?? '');
  assert.is(subscribersOf(world), 0);
  await world.accept();
  await world.addDevice();
  assert.is(subscribersOf(world), 1);
  assert.is((await claimed(world)).length, 0);
  await world.accept();
  assert.is((await claimed(world)).length, 1);
});

it('a device that changes its environment leaves its old route with its subscriptions', async (world) => {
  await world.addDevice();
  await world.accept();
  await world.addDevice({ environment: 'sandbox' });
  assert.is((await claimed(world)).length, 0);
  assert.equal((await world.accept()).routes, ['apns_sandbox']);
});

onSqlite('a token that another user registers is a new device of theirs, without the old subscriptions', async () => {
  const world = await aWorld();
  granted(await world.calls.addMember({ workspace: 'acme', email: BOB, role: 'member' }));
  const old = await world.addDevice();
  await world.accept();
  const moved = await world.addDevice({ subscribe: [] }, BOB);
  assert.is.not(moved, old);
  assert.is(await world.countRows('device'), 1);
  assert.is(await world.countRows('subscription'), 0);
  assert.is(subscribersOf(world), 0);
  assert.is((await claimed(world)).length, 0);
});

it('the same characters are two tokens on two platforms', async (world) => {
  const token = 'ab'.repeat(32);
  assert.is.not(await world.addDevice({ token }), await world.addDevice({ platform: 'android', token }));
});

it('only members of the workspace have devices there', async ({ calls }) => {
  const answer = refused(await calls.addDevice({ workspace: 'acme', email: 'adda@example.com', ...aDevice() }));
  assert.is(answer.refused, 'not_found');
  assert.match(answer.message, 'The nearest is "ada@example.com"');
  assert.match(answer.hint ?? '', '`pushctl member add acme adda@example.com`');
});

it('an unknown channel is refused with the nearest one, and no device is made', async (world) => {
  const device = aDevice({ subscribe: ['alerts', 'alrets'] });
  const answer = refused(await world.calls.addDevice({ workspace: 'acme', email: ADA, ...device }));
  assert.match(answer.message, 'has no channel "alrets". The nearest is "alerts"');
  assert.is(await world.countRows('device'), 0);
});

it('a wrong address is refused', async (world) => {
  const wrong: NewDevice[] = [
    aDevice({ token: 'xyz' }),
    aDevice({ platform: 'android', token: 'with blank' }),
    aDevice({ platform: 'android', token: androidToken('token'), environment: 'sandbox' }),
    aDevice({ tokenKind: 'installation_id' }),
    aDevice({ name: ' ' }),
  ];
  for (const device of wrong) {
    const answer = refused(await world.calls.addDevice({ workspace: 'acme', email: ADA, ...device }));
    assert.is(answer.refused, 'invalid');
  }
  assert.is(await world.countRows('device'), 0);
});

it('devices are listed by workspace and by member, with the channels of that workspace only', async (world) => {
  await world.addWorkspace('umbrella', { channels: ['builds'] });
  granted(await world.calls.addMember({ workspace: 'umbrella', email: ADA, role: 'member' }));
  granted(await world.calls.addMember({ workspace: 'acme', email: BOB, role: 'member' }));
  const ada = await world.addDevice({ token: tokenOf(1) });
  granted(
    await world.calls.addDevice({
      workspace: 'umbrella',
      email: ADA,
      ...aDevice({ token: tokenOf(1), subscribe: ['builds'] }),
    }),
  );
  const bob = await world.addDevice({ token: tokenOf(2) }, BOB);
  assert.equal(await idsAndChannels(world, 'acme'), [
    [ada, ['alerts']],
    [bob, ['alerts']],
  ]);
  assert.equal(await idsAndChannels(world, 'umbrella'), [[ada, ['builds']]]);
  assert.equal(await idsAndChannels(world, 'acme', BOB), [[bob, ['alerts']]]);
});

onSqlite('a removed device is gone with its subscriptions', async () => {
  const world = await aWorld();
  const id = await world.addDevice();
  assert.equal(granted(await world.calls.removeDevice({ id })).channels, ['alerts']);
  assert.is(await world.countRows('subscription'), 0);
  assert.is(subscribersOf(world), 0);
  assert.is(refused(await world.calls.removeDevice({ id })).refused, 'not_found');
});

it('the owners of many devices are named once for each of their workspaces', async (world) => {
  await world.addWorkspace('umbrella');
  granted(await world.calls.addMember({ workspace: 'umbrella', email: ADA, role: 'member' }));
  await world.importDevices(Array.from({ length: 250 }, (_, n) => aDevice({ token: tokenOf(n) })));
  await world.accept();
  const lane = { route: 'apns_production', lane: 'standard' } as const;
  const { claims } = await world.calls.claimBatches({ ...lane, limit: 300, batchSize: 300 });
  const ids = claims.flatMap(({ targets }) => targets.map(({ deviceId }) => deviceId));
  assert.is(ids.length, 250);
  const owners = await world.calls.deviceOwners({ ids });
  assert.equal([...new Set(owners.map(({ email }) => email))], [ADA]);
  assert.is(new Set(owners.map(({ workspaceId }) => workspaceId)).size, 2);
  assert.is(owners.length, 2);
  assert.equal(await world.calls.deviceOwners({ ids: [] }), []);
});

run();

async function claimed({ calls }: World) {
  const lane = { route: 'apns_production', lane: 'standard' } as const;
  return (await calls.claimBatches({ ...lane, limit: 10, batchSize: 100 })).claims;
}

async function settleAsDead({ calls }: World, claimId: string): Promise<void> {
  const verdict = { state: 'unregistered', reason: 'Unregistered', token: 'ab'.repeat(32), atMs: null } as const;
  const verdicts = [{ index: 0, verdict, fitted: false, linksLost: false }];
  await calls.settleBatch({ claimId, verdicts });
}

function subscribersOf({ db }: SqliteWorld): number {
  return db.prepare<[], number>('SELECT coalesce(sum(devices), 0) FROM audience').pluck().get() ?? 0;
}

async function idsAndChannels({ calls }: World, workspace: string, email?: string) {
  const page = await calls.listDevices({ workspace, limit: 100, ...(email !== undefined && { email }) });
  return granted(page).devices.map(({ id, channels }) => [id, channels]);
}
