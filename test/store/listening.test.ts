import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BOB, idOf, join } from '../support/people.ts';
import { claim, countsOf, settle } from '../support/queue.ts';
import { aWorld, EMAIL, granted, NOW_MS, refused, tokenOf, type World } from '../support/world.ts';

const test = suite('listening');

test('a device listens once, however often it asks, and stops as often as it asks', () => {
  const world = aWorld();
  const deviceId = world.addDevice({ subscribe: [] });
  for (const _ of ['first', 'again']) granted(world.calls.subscribe(on(world, deviceId)));
  assert.is(world.countRows('subscription'), 1);
  assert.is(world.accept().event.target_device_count, 1);
  for (const _ of ['first', 'again']) granted(world.calls.unsubscribe(on(world, deviceId)));
  assert.is(world.countRows('subscription'), 0);
  assert.is(world.accept().event.target_device_count, 0);
});

test('a push that is queued when its device stops listening is withdrawn, also if it listens again', () => {
  const world = aWorld();
  const deviceId = world.addDevice();
  const { public_id: publicId } = world.accept().event;
  granted(world.calls.unsubscribe(on(world, deviceId)));
  granted(world.calls.subscribe(on(world, deviceId)));
  assert.equal(claim(world), []);
  assert.is(countsOf(world, publicId).withdrawn, 1);
});

test('a push that waits for another try when its device stops listening is withdrawn, also if it listens again', () => {
  const world = aWorld();
  const deviceId = world.addDevice();
  const { public_id: publicId } = world.accept().event;
  const [batch] = claim(world);
  assert.ok(batch);
  settle(world, batch, { state: 'pending', reason: 'timeout', dueAtSteadyMs: NOW_MS, spent: true }, NOW_MS);
  granted(world.calls.unsubscribe(on(world, deviceId)));
  granted(world.calls.subscribe(on(world, deviceId)));
  assert.equal(claim(world, { atMs: NOW_MS }), []);
  assert.is(countsOf(world, publicId).withdrawn, 1);
});

test('an inactive channel can be listened on and keeps who does', () => {
  const world = aWorld();
  const deviceId = world.addDevice();
  const other = world.addDevice({ token: tokenOf(2), subscribe: [] });
  granted(world.calls.updateChannel({ workspace: 'acme', slug: 'deploys', status: 'inactive' }));
  granted(world.calls.subscribe(on(world, other)));
  const [channel] = granted(world.calls.listChannelsFor({ userId: idOf(world), workspace: 'acme' }));
  const name = { slug: 'deploys', name: 'deploys', status: 'inactive', device_count: 2 };
  assert.equal(channel, { ...name, devices: [deviceId, other] });
});

test("the channels of a workspace say which of one's own devices listen, not whose else", () => {
  const world = aWorld();
  const bob = join(world, BOB);
  granted(world.calls.createChannel({ workspace: 'acme', slug: 'alerts', wallMs: NOW_MS }));
  const mine = world.addDevice({ token: tokenOf(1) });
  const theirs = world.addDevice({ token: tokenOf(2), subscribe: ['deploys', 'alerts'] }, BOB);
  const heardBy = (userId: number) =>
    granted(world.calls.listChannelsFor({ userId, workspace: 'acme' })).map(({ slug, devices }) => [slug, devices]);
  assert.equal(heardBy(idOf(world)), [
    ['alerts', []],
    ['deploys', [mine]],
  ]);
  assert.equal(heardBy(bob), [
    ['alerts', [theirs]],
    ['deploys', [theirs]],
  ]);
});

test('workspaces and devices of others are not there, and their answer is that of what never was', () => {
  const world = aWorld();
  world.addWorkspace('umbrella');
  granted(world.calls.createChannel({ workspace: 'umbrella', slug: 'secret', wallMs: NOW_MS }));
  const bob = join(world, BOB, { workspace: 'umbrella' });
  const deviceId = world.addDevice({ subscribe: [] });
  const asked = on(world, deviceId);
  for (const wrong of [
    { ...asked, userId: bob },
    { ...asked, workspace: 'umbrella', channel: 'secret' },
    { ...asked, channel: 'secret' },
    { ...asked, deviceId: 'dev_0000000000000000' },
  ]) {
    assert.is(refused(world.calls.subscribe(wrong)).refused, 'not_found');
    assert.is(refused(world.calls.unsubscribe(wrong)).refused, 'not_found');
  }
  const messageFor = (workspace: string) =>
    refused(world.calls.listChannelsFor({ userId: idOf(world), workspace })).message;
  assert.is(messageFor('umbrella'), messageFor('umbrell').replace('umbrell', 'umbrella'));
});

test('who left a workspace listens there no more, and cannot begin again', () => {
  const world = aWorld();
  const bob = join(world, BOB);
  world.addWorkspace('umbrella');
  join(world, BOB, { workspace: 'umbrella' });
  const deviceId = world.addDevice({}, BOB);
  granted(world.calls.removeMember({ workspace: 'acme', email: BOB }));
  assert.is(world.countRows('subscription'), 0);
  assert.is(refused(world.calls.subscribe({ ...on(world, deviceId), userId: bob })).refused, 'not_found');
  assert.is(granted(world.calls.listOwnDevices({ userId: bob, limit: 5 })).devices.length, 1);
});

test.run();

function on(world: World, deviceId: string) {
  return { userId: idOf(world, EMAIL), deviceId, workspace: 'acme', channel: 'deploys' };
}
