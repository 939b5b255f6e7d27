import * as assert from 'uvu/assert';
import { ADA, BOB, EVE } from '../../../support/cast.ts';
import { conformance, type OnEngine } from '../../../support/engines.ts';
import { idOf } from '../../../support/people.ts';
import { claim, countsOf, settle } from '../../../support/queue.ts';
import { granted, refused } from '../../../support/refusals.ts';
import { aWorld, NOW_MS, type World } from '../../../support/world.ts';

const CALLED_OFF = { state: 'pending', reason: 'recalled', retryInMs: 0, spent: false } as const;
const { it, run } = conformance("an operator's changes to a device", aTeam);

it('a device is subscribed to channels and taken off them, and once more changes nothing', async (world) => {
  const id = await world.addDevice({ subscribe: [] });
  const both = { id, channels: ['alerts', 'builds'] };
  for (let times = 0; times < 2; times += 1) {
    const { workspace, device } = granted(await world.calls.subscribeDevice(both));
    assert.equal([workspace, device.id, device.channels], ['acme', id, ['alerts', 'builds']]);
  }
  for (let times = 0; times < 2; times += 1) {
    const { device } = granted(await world.calls.unsubscribeDevice({ id, channels: ['builds'] }));
    assert.equal(device.channels, ['alerts']);
  }
});

it('if one of the channels is not there, nothing is changed', async (world) => {
  const id = await world.addDevice();
  const { message } = refused(await world.calls.subscribeDevice({ id, channels: ['builds', 'biulds'] }));
  assert.match(message, 'has no channel "biulds". The nearest is "builds".');
  refused(await world.calls.unsubscribeDevice({ id, channels: ['alerts', 'none'] }));
  assert.equal(await channelsOf(world, id), ['alerts']);
  assert.is(refused(await world.calls.subscribeDevice({ id: 'dev_1', channels: ['builds'] })).refused, 'not_found');
});

it('the workspace must be named if the owner belongs to several, and be one of theirs', async (world) => {
  const id = await world.addDevice();
  await world.addWorkspace('umbrella');
  const builds = { id, channels: ['builds'] };
  assert.match(
    refused(await world.calls.subscribeDevice({ ...builds, workspace: 'umbrella' })).message,
    'is not a member',
  );
  await world.join(ADA, { workspace: 'umbrella' });
  granted(await world.calls.createChannel({ workspace: 'umbrella', slug: 'builds' }));
  const several = refused(await world.calls.subscribeDevice(builds));
  assert.equal([several.detail?.field, several.refused], ['workspace', 'invalid']);
  assert.match(several.message, 'belongs to several workspaces: acme, umbrella.');
  granted(await world.calls.subscribeDevice({ ...builds, workspace: 'umbrella' }));
  assert.equal(
    [await channelsOf(world, id, 'acme'), await channelsOf(world, id, 'umbrella')],
    [['alerts'], ['builds']],
  );
  assert.match(
    refused(await world.calls.subscribeDevice({ ...builds, workspace: 'umbrela' })).message,
    'The nearest is "umbrella"',
  );
});

it('a device taken off a channel gets nothing of the queue, and a device added to it no earlier event', async (world) => {
  const id = await world.addDevice();
  const { public_id: publicId } = (await world.accept()).event;
  granted(await world.calls.unsubscribeDevice({ id, channels: ['alerts'] }));
  granted(await world.calls.subscribeDevice({ id, channels: ['alerts'] }));
  assert.equal([await claim(world), (await countsOf(world, publicId)).withdrawn], [[], 1]);
});

it('a moved device with many channels gets nothing on one that has not followed, and all of them by the answer', async (world) => {
  const { calls } = world;
  const slugs = Array.from({ length: 60 }, (_, n) => `c${String(n).padStart(2, '0')}`);
  for (const slug of slugs) granted(await calls.createChannel({ workspace: 'acme', slug }));
  const id = await world.addDevice({ subscribe: slugs });
  await world.accept({ channel: 'c00' });
  await world.accept({ channel: 'c59' });
  // The first part alone, as if the process ended then.
  await world.group([{ name: 'moveDevice', args: { id, email: BOB } }]);
  assert.equal(await claim(world), [], 'what was posted before was meant for the owner before');
  await world.accept({ channel: 'c00' });
  await world.accept({ channel: 'c59' });
  assert.equal((await claim(world)).flatMap(({ events }) => events).length, 1, 'the last channel has not followed');
  while (!(await calls.pruneStep({})).done);
  await world.accept({ channel: 'c59' });
  assert.is((await claim(world)).length, 1, 'housekeeping has gone on');
  granted(await calls.moveDevice({ id, email: ADA }));
  await world.accept({ channel: 'c59' });
  assert.is((await claim(world)).length, 1);
  assert.is(await world.countRows('cleanup_job'), 1, 'which the next cleanup removes');
});

it('a device is subscribed to a hundred channels at a time', async (world) => {
  const id = await world.addDevice();
  const channels = Array.from({ length: 101 }, () => 'builds');
  const { message } = refused(await world.calls.subscribeDevice({ id, channels }));
  assert.is(message, 'The channels field must not have more than 100 entries.');
});

it('a device that is moved stays on the channels of the workspaces of its new owner, and leaves the others', async (world) => {
  await world.addWorkspace('umbrella');
  await world.join(ADA, { workspace: 'umbrella' });
  granted(await world.calls.createChannel({ workspace: 'umbrella', slug: 'news' }));
  const id = await world.addDevice();
  granted(await world.calls.subscribeDevice({ id, workspace: 'umbrella', channels: ['news'] }));
  const { device, ...answer } = granted(await world.calls.moveDevice({ id, email: 'Bob@Example.com' }));
  assert.equal(answer, { from: ADA, ended: 1 });
  assert.equal([device.id, device.email, device.channels], [id, BOB, ['alerts']]);
  assert.equal(granted(await world.calls.listDevices({ workspace: 'acme', email: ADA, limit: 9 })).devices, []);
  const { channels } = granted(
    await world.calls.listChannelsFor({ userId: await idOf(world, BOB), workspace: 'acme' }),
  );
  assert.equal(channels.find(({ slug }) => slug === 'alerts')?.devices, [id]);
  await world.accept();
  assert.is((await claim(world)).flatMap(({ targets }) => targets).length, 1);
});

it('pushes queued for the earlier owner are not sent to the new owner, even if a thread has them', async (world) => {
  const id = await world.addDevice();
  const [out, queued] = [(await world.accept()).event.public_id, (await world.accept()).event.public_id];
  const [batch] = await claim(world, { limit: 1 });
  assert.ok(batch);
  granted(await world.calls.moveDevice({ id, email: BOB }));
  assert.equal([...batch.revoked], [1]);
  await settle(world, batch, CALLED_OFF, NOW_MS);
  assert.equal(await claim(world, { atMs: NOW_MS }), []);
  assert.equal([(await countsOf(world, out)).withdrawn, (await countsOf(world, queued)).withdrawn], [1, 1]);
});

it('a device that is moved to its owner keeps all it had', async (world) => {
  const id = await world.addDevice();
  await world.accept();
  assert.is(granted(await world.calls.moveDevice({ id, email: ADA })).ended, 0);
  assert.is((await claim(world)).length, 1);
});

it("a device is moved only to a member of one of its owner's workspaces", async (world) => {
  const id = await world.addDevice();
  await world.addWorkspace('umbrella');
  await world.join(EVE, { workspace: 'umbrella' });
  const { message, hint } = refused(await world.calls.moveDevice({ id, email: EVE }));
  assert.match(
    `${message} ${hint}`,
    /belongs to no workspace of the device's owner.*: acme\..*pushctl member add acme eve/,
  );
  assert.match(
    refused(await world.calls.moveDevice({ id, email: 'bop@example.com' })).message,
    `The nearest is "${BOB}"`,
  );
  assert.is(refused(await world.calls.moveDevice({ id: 'dev_1', email: BOB })).refused, 'not_found');
  assert.equal(await channelsOf(world, id), ['alerts']);
});

run();

/** `acme` with another channel and another member. */
async function aTeam({ engine }: OnEngine): Promise<World> {
  const world = await aWorld({ engine });
  await world.join(BOB);
  granted(await world.calls.createChannel({ workspace: 'acme', slug: 'builds' }));
  return world;
}

async function channelsOf({ calls }: World, id: string, workspace = 'acme'): Promise<readonly string[] | undefined> {
  const { devices } = granted(await calls.listDevices({ workspace, limit: 9 }));
  return devices.find((device) => device.id === id)?.channels;
}
