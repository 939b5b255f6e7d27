import * as assert from 'uvu/assert';
import { assertEach } from '../../../support/assert-each.ts';
import { ADA, BOB } from '../../../support/cast.ts';
import { conformance } from '../../../support/engines.ts';
import { idOf } from '../../../support/people.ts';
import { claim, countsOf, settle } from '../../../support/queue.ts';
import { granted, refused } from '../../../support/refusals.ts';
import { tokenOf } from '../../../support/workspace.ts';
import { aWorld, NOW_MS, type World } from '../../../support/world.ts';

const { it, run } = conformance('listening', aWorld);

it('a device subscribes once even if it asks again, and so it unsubscribes', async (world) => {
  const deviceId = await world.addDevice({ subscribe: [] });
  for (const _ of ['first', 'again']) granted(await world.calls.subscribe(await on(world, deviceId)));
  assert.is(await world.countRows('subscription'), 1);
  assert.is((await world.accept()).event.target_device_count, 1);
  for (const _ of ['first', 'again']) granted(await world.calls.unsubscribe(await on(world, deviceId)));
  assert.is(await world.countRows('subscription'), 0);
  assert.is((await world.accept()).event.target_device_count, 0);
});

it('a push that is queued when its device stops listening is withdrawn, also if it listens again', async (world) => {
  const deviceId = await world.addDevice();
  const { public_id: publicId } = (await world.accept()).event;
  granted(await world.calls.unsubscribe(await on(world, deviceId)));
  granted(await world.calls.subscribe(await on(world, deviceId)));
  assert.equal(await claim(world), []);
  assert.is((await countsOf(world, publicId)).withdrawn, 1);
});

it('a push that waits for another try when its device stops listening is withdrawn, also if it listens again', async (world) => {
  const deviceId = await world.addDevice();
  const { public_id: publicId } = (await world.accept()).event;
  const [batch] = await claim(world);
  assert.ok(batch);
  await settle(world, batch, { state: 'pending', reason: 'timeout', retryInMs: 0, spent: true }, NOW_MS);
  granted(await world.calls.unsubscribe(await on(world, deviceId)));
  granted(await world.calls.subscribe(await on(world, deviceId)));
  assert.equal(await claim(world, { atMs: NOW_MS }), []);
  assert.is((await countsOf(world, publicId)).withdrawn, 1);
});

it('an inactive channel can be subscribed to and keeps its subscribers', async (world) => {
  const deviceId = await world.addDevice();
  const other = await world.addDevice({ token: tokenOf(2), subscribe: [] });
  granted(await world.calls.updateChannel({ workspace: 'acme', slug: 'alerts', status: 'inactive' }));
  granted(await world.calls.subscribe(await on(world, other)));
  const [channel] = granted(
    await world.calls.listChannelsFor({ userId: await idOf(world), workspace: 'acme' }),
  ).channels;
  const name = {
    slug: 'alerts',
    name: 'alerts',
    status: 'inactive',
    device_count: 2,
    insist: null,
    quiet: null,
    rings: null,
  };
  assert.equal(channel, { ...name, devices: [deviceId, other] });
});

it("the channels of a workspace say which of one's own devices listen, not whose else", async (world) => {
  const bob = await world.join(BOB);
  granted(await world.calls.createChannel({ workspace: 'acme', slug: 'builds' }));
  const mine = await world.addDevice({ token: tokenOf(1) });
  const theirs = await world.addDevice({ token: tokenOf(2), subscribe: ['alerts', 'builds'] }, BOB);
  const heardBy = async (userId: number) =>
    granted(await world.calls.listChannelsFor({ userId, workspace: 'acme' })).channels.map(({ slug, devices }) => [
      slug,
      devices,
    ]);
  assert.equal(await heardBy(await idOf(world)), [
    ['alerts', [mine]],
    ['builds', []],
  ]);
  assert.equal(await heardBy(bob), [
    ['alerts', [theirs]],
    ['builds', [theirs]],
  ]);
});

it('workspaces and devices of others are not there, and their answer is that of what never was', async (world) => {
  await world.addWorkspace('umbrella', { channels: ['secret'] });
  const bob = await world.join(BOB, { workspace: 'umbrella' });
  const deviceId = await world.addDevice({ subscribe: [] });
  const asked = await on(world, deviceId);
  for (const wrong of [
    { ...asked, userId: bob },
    { ...asked, workspace: 'umbrella', channel: 'secret' },
    { ...asked, channel: 'secret' },
    { ...asked, deviceId: 'dev_0000000000000000' },
  ]) {
    assert.is(refused(await world.calls.subscribe(wrong)).refused, 'not_found');
    assert.is(refused(await world.calls.unsubscribe(wrong)).refused, 'not_found');
  }
  const messageFor = async (workspace: string) =>
    refused(await world.calls.listChannelsFor({ userId: await idOf(world), workspace })).message;
  assert.is(await messageFor('umbrella'), (await messageFor('umbrell')).replace('umbrell', 'umbrella'));
});

it('a person who left a workspace is no longer subscribed there, and cannot subscribe again', async (world) => {
  const bob = await world.join(BOB);
  await world.addWorkspace('umbrella');
  await world.join(BOB, { workspace: 'umbrella' });
  const deviceId = await world.addDevice({}, BOB);
  granted(await world.calls.removeMember({ workspace: 'acme', email: BOB }));
  assert.is(await world.countRows('subscription'), 0);
  assert.is(refused(await world.calls.subscribe({ ...(await on(world, deviceId)), userId: bob })).refused, 'not_found');
  assert.is(granted(await world.calls.listOwnDevices({ userId: bob, limit: 5 })).devices.length, 1);
});

it('the first hundred of many devices on a channel are listed, and a page of channels ends at its bound', async (world) => {
  const slugs = ['alerts', ...Array.from({ length: 30 }, (_, n) => `n${n}`)].sort();
  for (const slug of slugs)
    if (slug !== 'alerts') granted(await world.calls.createChannel({ workspace: 'acme', slug }));
  await world.importDevices(
    Array.from({ length: 120 }, (_, n) => ({ platform: 'ios', token: tokenOf(n), subscribe: slugs })),
  );
  const asked = { userId: await idOf(world), workspace: 'acme' };
  const first = granted(await world.calls.listChannelsFor(asked));
  const second = granted(await world.calls.listChannelsFor({ ...asked, after: first.next ?? '' }));
  assert.ok(first.channels.length > 1 && first.channels.length < slugs.length, String(first.channels.length));
  assert.is(second.next, null);
  const all = [...first.channels, ...second.channels];
  assertEach(all, ({ slug }) => slug, slugs);
  const registered = granted(await world.calls.listOwnDevices({ userId: asked.userId, limit: 100 }));
  const inOrder = (ids: readonly string[]) => ids.slice(0, registered.devices.length);
  for (const { devices } of all) {
    assert.is(devices.length, 100);
    assert.equal(
      inOrder(devices),
      registered.devices.map(({ id }) => id),
    );
  }
});

it('channels are searched for by parts of their names and slugs, page by page', async (world) => {
  for (let n = 10; n < 35; n += 1) {
    const [slug, name] = [`svc-${n}`, n % 2 === 0 ? `Über ${n}%` : `Service ${n}`];
    granted(await world.calls.createChannel({ workspace: 'acme', slug, name }));
  }
  const find = async (asked: { q?: string; after?: string; limit?: number }) => {
    const userId = await idOf(world);
    const { channels, next } = granted(await world.calls.listChannelsFor({ userId, workspace: 'acme', ...asked }));
    return { slugs: channels.map(({ slug }) => slug), next };
  };
  assert.equal(await find({ q: 'SERVICE 1', limit: 3 }), { slugs: ['svc-11', 'svc-13', 'svc-15'], next: 'svc-15' });
  assert.equal(await find({ q: 'SERVICE 1', limit: 3, after: 'svc-15' }), { slugs: ['svc-17', 'svc-19'], next: null });
  assert.equal(await find({ q: 'svc-3' }), { slugs: ['svc-30', 'svc-31', 'svc-32', 'svc-33', 'svc-34'], next: null });
  assert.equal(await find({ q: '2%' }), { slugs: ['svc-12', 'svc-22', 'svc-32'], next: null });
  assert.equal(await find({ q: 'svc_1' }), { slugs: [], next: null });
  assert.equal(await find({ limit: 2 }), { slugs: ['alerts', 'svc-10'], next: 'svc-10' });
});

it('a page of devices ends early if they have many subscriptions, and the next page goes on', async (world) => {
  const slugs = Array.from({ length: 90 }, (_, n) => `n${n}`);
  for (const slug of slugs) granted(await world.calls.createChannel({ workspace: 'acme', slug }));
  await world.importDevices(
    Array.from({ length: 60 }, (_, n) => ({ platform: 'ios', token: tokenOf(n), subscribe: slugs })),
  );
  const ofMine = async (after?: string) =>
    granted(await world.calls.listOwnDevices({ userId: await idOf(world), limit: 50, ...(after && { after }) }));
  const ofAll = async (after?: string) =>
    granted(await world.calls.listDevices({ workspace: 'acme', limit: 50, ...(after && { after }) }));
  for (const list of [ofMine, ofAll]) {
    const seen = new Set<string>();
    let pages = 0;
    for (let next: string | null | undefined; next !== null; pages += 1) {
      const page = await list(next);
      assert.ok(page.devices.length > 0 && page.devices.length < 50, String(page.devices.length));
      for (const { id } of page.devices) seen.add(id);
      next = page.next;
    }
    assert.equal([seen.size, pages], [60, 3]);
  }
});

run();

async function on(world: World, deviceId: string) {
  return { userId: await idOf(world, ADA), deviceId, workspace: 'acme', channel: 'alerts' };
}
