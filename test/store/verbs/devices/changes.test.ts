import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BOB, idOf, join } from '../../../support/people.ts';
import { claim, countsOf, settle } from '../../../support/queue.ts';
import { aWorld, EMAIL, granted, NOW_MS, refused, type World } from '../../../support/world.ts';

const CALLED_OFF = { state: 'pending', reason: 'recalled', retryInMs: 0, spent: false } as const;
const test = suite('what operators change of a device');

test('a device is subscribed to channels and taken off them, and once more changes nothing', () => {
  const world = aTeam();
  const id = world.addDevice({ subscribe: [] });
  const both = { id, channels: ['deploys', 'alerts'] };
  for (let times = 0; times < 2; times += 1) {
    const { workspace, device } = granted(world.calls.subscribeDevice(both));
    assert.equal([workspace, device.id, device.channels], ['acme', id, ['alerts', 'deploys']]);
  }
  for (let times = 0; times < 2; times += 1) {
    const { device } = granted(world.calls.unsubscribeDevice({ id, channels: ['alerts'] }));
    assert.equal(device.channels, ['deploys']);
  }
});

test('where one of the channels is not there, nothing is changed', () => {
  const world = aTeam();
  const id = world.addDevice();
  const { message } = refused(world.calls.subscribeDevice({ id, channels: ['alerts', 'alrets'] }));
  assert.match(message, 'has no channel "alrets". The nearest is "alerts".');
  refused(world.calls.unsubscribeDevice({ id, channels: ['deploys', 'none'] }));
  assert.equal(channelsOf(world, id), ['deploys']);
  assert.is(refused(world.calls.subscribeDevice({ id: 'dev_1', channels: ['alerts'] })).refused, 'not_found');
});

test('the workspace must be named where the owner belongs to several, and be one of theirs', () => {
  const world = aTeam();
  const id = world.addDevice();
  world.addWorkspace('other');
  const alerts = { id, channels: ['alerts'] };
  assert.match(refused(world.calls.subscribeDevice({ ...alerts, workspace: 'other' })).message, 'is not a member');
  join(world, EMAIL, { workspace: 'other' });
  granted(world.calls.createChannel({ workspace: 'other', slug: 'alerts', wallMs: NOW_MS }));
  const several = refused(world.calls.subscribeDevice(alerts));
  assert.equal([several.field, several.refused], ['workspace', 'invalid']);
  assert.match(several.message, 'belongs to several workspaces: acme, other.');
  granted(world.calls.subscribeDevice({ ...alerts, workspace: 'other' }));
  assert.equal([channelsOf(world, id, 'acme'), channelsOf(world, id, 'other')], [['deploys'], ['alerts']]);
  assert.match(
    refused(world.calls.subscribeDevice({ ...alerts, workspace: 'othr' })).message,
    'The nearest is "other"',
  );
});

test('who is taken off a channel gets nothing of what is queued, and who comes to one nothing of what was posted before', () => {
  const world = aTeam();
  const id = world.addDevice();
  const { public_id: publicId } = world.accept().event;
  granted(world.calls.unsubscribeDevice({ id, channels: ['deploys'] }));
  granted(world.calls.subscribeDevice({ id, channels: ['deploys'] }));
  assert.equal([claim(world), countsOf(world, publicId).withdrawn], [[], 1]);
});

test('a device that is moved stays on the channels of the workspaces of its new owner, and leaves the others', () => {
  const world = aTeam();
  world.addWorkspace('other');
  join(world, EMAIL, { workspace: 'other' });
  granted(world.calls.createChannel({ workspace: 'other', slug: 'news', wallMs: NOW_MS }));
  const id = world.addDevice();
  granted(world.calls.subscribeDevice({ id, workspace: 'other', channels: ['news'] }));
  const { device, ...answer } = granted(world.calls.moveDevice({ id, email: 'Bob@Example.com' }));
  assert.equal(answer, { from: EMAIL, ended: 1 });
  assert.equal([device.id, device.email, device.channels], [id, BOB, ['deploys']]);
  assert.equal(granted(world.calls.listDevices({ workspace: 'acme', email: EMAIL, limit: 9 })).devices, []);
  const { channels } = granted(world.calls.listChannelsFor({ userId: idOf(world, BOB), workspace: 'acme' }));
  assert.equal(channels.find(({ slug }) => slug === 'deploys')?.devices, [id]);
  world.accept();
  assert.is(claim(world).flatMap(({ targets }) => targets).length, 1);
});

test('what was queued for the owner before is not sent to the new one, also where a thread has it in its hands', () => {
  const world = aTeam();
  const id = world.addDevice();
  const [out, queued] = [world.accept().event.public_id, world.accept().event.public_id];
  const [batch] = claim(world, { limit: 1 });
  assert.ok(batch);
  granted(world.calls.moveDevice({ id, email: BOB }));
  assert.equal([...batch.recalls], [1]);
  settle(world, batch, CALLED_OFF, NOW_MS);
  assert.equal(claim(world, { atMs: NOW_MS }), []);
  assert.equal([countsOf(world, out).withdrawn, countsOf(world, queued).withdrawn], [1, 1]);
});

test('a device that is moved to its owner keeps all it had', () => {
  const world = aTeam();
  const id = world.addDevice();
  world.accept();
  assert.is(granted(world.calls.moveDevice({ id, email: EMAIL })).ended, 0);
  assert.is(claim(world).length, 1);
});

test('a device is moved only to somebody who belongs to a workspace of its owner', () => {
  const world = aTeam();
  const id = world.addDevice();
  world.addWorkspace('other');
  join(world, 'eve@example.com', { workspace: 'other' });
  const { message, hint } = refused(world.calls.moveDevice({ id, email: 'eve@example.com' }));
  assert.match(
    `${message} ${hint}`,
    /belongs to no workspace of the device's owner.*: acme\..*pushctl member add acme eve/,
  );
  assert.match(refused(world.calls.moveDevice({ id, email: 'bop@example.com' })).message, `The nearest is "${BOB}"`);
  assert.is(refused(world.calls.moveDevice({ id: 'dev_1', email: BOB })).refused, 'not_found');
  assert.equal(channelsOf(world, id), ['deploys']);
});

test.run();

/** `acme` with another channel and another member. */
function aTeam(): World {
  const world = aWorld();
  join(world, BOB);
  granted(world.calls.createChannel({ workspace: 'acme', slug: 'alerts', wallMs: NOW_MS }));
  return world;
}

function channelsOf({ calls }: World, id: string, workspace = 'acme'): readonly string[] | undefined {
  const { devices } = granted(calls.listDevices({ workspace, limit: 9 }));
  return devices.find((device) => device.id === id)?.channels;
}
