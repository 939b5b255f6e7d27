import * as assert from 'uvu/assert';
import { conformance, type Engine } from '../../../support/engines.ts';
import { BOB, idOf, join } from '../../../support/people.ts';
import { claim, countsOf, settle } from '../../../support/queue.ts';
import { aWorld, EMAIL, granted, NOW_MS, refused, type World } from '../../../support/world.ts';

const CALLED_OFF = { state: 'pending', reason: 'recalled', retryInMs: 0, spent: false } as const;
const test = conformance('what operators change of a device');

test('a device is subscribed to channels and taken off them, and once more changes nothing', async ({ engine }) => {
  const world = await aTeam(engine);
  const id = await world.addDevice({ subscribe: [] });
  const both = { id, channels: ['deploys', 'alerts'] };
  for (let times = 0; times < 2; times += 1) {
    const { workspace, device } = granted(await world.calls.subscribeDevice(both));
    assert.equal([workspace, device.id, device.channels], ['acme', id, ['alerts', 'deploys']]);
  }
  for (let times = 0; times < 2; times += 1) {
    const { device } = granted(await world.calls.unsubscribeDevice({ id, channels: ['alerts'] }));
    assert.equal(device.channels, ['deploys']);
  }
});

test('where one of the channels is not there, nothing is changed', async ({ engine }) => {
  const world = await aTeam(engine);
  const id = await world.addDevice();
  const { message } = refused(await world.calls.subscribeDevice({ id, channels: ['alerts', 'alrets'] }));
  assert.match(message, 'has no channel "alrets". The nearest is "alerts".');
  refused(await world.calls.unsubscribeDevice({ id, channels: ['deploys', 'none'] }));
  assert.equal(await channelsOf(world, id), ['deploys']);
  assert.is(refused(await world.calls.subscribeDevice({ id: 'dev_1', channels: ['alerts'] })).refused, 'not_found');
});

test('the workspace must be named where the owner belongs to several, and be one of theirs', async ({ engine }) => {
  const world = await aTeam(engine);
  const id = await world.addDevice();
  await world.addWorkspace('other');
  const alerts = { id, channels: ['alerts'] };
  assert.match(
    refused(await world.calls.subscribeDevice({ ...alerts, workspace: 'other' })).message,
    'is not a member',
  );
  await join(world, EMAIL, { workspace: 'other' });
  granted(await world.calls.createChannel({ workspace: 'other', slug: 'alerts', wallMs: NOW_MS }));
  const several = refused(await world.calls.subscribeDevice(alerts));
  assert.equal([several.field, several.refused], ['workspace', 'invalid']);
  assert.match(several.message, 'belongs to several workspaces: acme, other.');
  granted(await world.calls.subscribeDevice({ ...alerts, workspace: 'other' }));
  assert.equal([await channelsOf(world, id, 'acme'), await channelsOf(world, id, 'other')], [['deploys'], ['alerts']]);
  assert.match(
    refused(await world.calls.subscribeDevice({ ...alerts, workspace: 'othr' })).message,
    'The nearest is "other"',
  );
});

test('who is taken off a channel gets nothing of what is queued, and who comes to one nothing of what was posted before', async ({
  engine,
}) => {
  const world = await aTeam(engine);
  const id = await world.addDevice();
  const { public_id: publicId } = (await world.accept()).event;
  granted(await world.calls.unsubscribeDevice({ id, channels: ['deploys'] }));
  granted(await world.calls.subscribeDevice({ id, channels: ['deploys'] }));
  assert.equal([await claim(world), (await countsOf(world, publicId)).withdrawn], [[], 1]);
});

test('a device that is moved stays on the channels of the workspaces of its new owner, and leaves the others', async ({
  engine,
}) => {
  const world = await aTeam(engine);
  await world.addWorkspace('other');
  await join(world, EMAIL, { workspace: 'other' });
  granted(await world.calls.createChannel({ workspace: 'other', slug: 'news', wallMs: NOW_MS }));
  const id = await world.addDevice();
  granted(await world.calls.subscribeDevice({ id, workspace: 'other', channels: ['news'] }));
  const { device, ...answer } = granted(await world.calls.moveDevice({ id, email: 'Bob@Example.com' }));
  assert.equal(answer, { from: EMAIL, ended: 1 });
  assert.equal([device.id, device.email, device.channels], [id, BOB, ['deploys']]);
  assert.equal(granted(await world.calls.listDevices({ workspace: 'acme', email: EMAIL, limit: 9 })).devices, []);
  const { channels } = granted(
    await world.calls.listChannelsFor({ userId: await idOf(world, BOB), workspace: 'acme' }),
  );
  assert.equal(channels.find(({ slug }) => slug === 'deploys')?.devices, [id]);
  await world.accept();
  assert.is((await claim(world)).flatMap(({ targets }) => targets).length, 1);
});

test('what was queued for the owner before is not sent to the new one, also where a thread has it in its hands', async ({
  engine,
}) => {
  const world = await aTeam(engine);
  const id = await world.addDevice();
  const [out, queued] = [(await world.accept()).event.public_id, (await world.accept()).event.public_id];
  const [batch] = await claim(world, { limit: 1 });
  assert.ok(batch);
  granted(await world.calls.moveDevice({ id, email: BOB }));
  assert.equal([...batch.recalls], [1]);
  await settle(world, batch, CALLED_OFF, NOW_MS);
  assert.equal(await claim(world, { atMs: NOW_MS }), []);
  assert.equal([(await countsOf(world, out)).withdrawn, (await countsOf(world, queued)).withdrawn], [1, 1]);
});

test('a device that is moved to its owner keeps all it had', async ({ engine }) => {
  const world = await aTeam(engine);
  const id = await world.addDevice();
  await world.accept();
  assert.is(granted(await world.calls.moveDevice({ id, email: EMAIL })).ended, 0);
  assert.is((await claim(world)).length, 1);
});

test('a device is moved only to somebody who belongs to a workspace of its owner', async ({ engine }) => {
  const world = await aTeam(engine);
  const id = await world.addDevice();
  await world.addWorkspace('other');
  await join(world, 'eve@example.com', { workspace: 'other' });
  const { message, hint } = refused(await world.calls.moveDevice({ id, email: 'eve@example.com' }));
  assert.match(
    `${message} ${hint}`,
    /belongs to no workspace of the device's owner.*: acme\..*pushctl member add acme eve/,
  );
  assert.match(
    refused(await world.calls.moveDevice({ id, email: 'bop@example.com' })).message,
    `The nearest is "${BOB}"`,
  );
  assert.is(refused(await world.calls.moveDevice({ id: 'dev_1', email: BOB })).refused, 'not_found');
  assert.equal(await channelsOf(world, id), ['deploys']);
});

test.run();

/** `acme` with another channel and another member. */
async function aTeam(engine: Engine): Promise<World> {
  const world = await aWorld({ engine });
  await join(world, BOB);
  granted(await world.calls.createChannel({ workspace: 'acme', slug: 'alerts', wallMs: NOW_MS }));
  return world;
}

async function channelsOf({ calls }: World, id: string, workspace = 'acme'): Promise<readonly string[] | undefined> {
  const { devices } = granted(await calls.listDevices({ workspace, limit: 9 }));
  return devices.find((device) => device.id === id)?.channels;
}
