import * as assert from 'uvu/assert';
import { LANES } from '../../../src/push.ts';
import type { ClaimAnswer } from '../../../src/store/calls.ts';
import { assertEach } from '../../support/assert-each.ts';
import { browserKeys } from '../../support/browser-keys.ts';
import { ADA, BOB } from '../../support/cast.ts';
import { conformance } from '../../support/engines.ts';
import { idOf } from '../../support/people.ts';
import { claim, countsOf, settle } from '../../support/queue.ts';
import { granted } from '../../support/refusals.ts';
import { oneHandedOut, subscriptionOf } from '../../support/revocations.ts';
import { fails } from '../../support/store.ts';
import { aDevice, tokenOf } from '../../support/workspace.ts';
import { aWorld, NOW_MS, type World } from '../../support/world.ts';

const TIMEOUT = { state: 'pending', reason: 'timeout', retryInMs: 0, spent: true } as const;
const CALLED_OFF = { state: 'pending', reason: 'recalled', retryInMs: 0, spent: false } as const;
const NOTHING: ClaimAnswer = { claims: [], nextDueInMs: null, finished: [] };
const { test, it, onSqlite, run } = conformance('revocations', oneHandedOut);

/** Every way in which a device loses its right to a push, or gets another address. */
const ENDS: Readonly<Record<string, (world: World, deviceId: string) => unknown>> = {
  'it is unsubscribed': async ({ calls }, deviceId) =>
    calls.unsubscribe({ userId: await idOf({ calls }, BOB), deviceId, workspace: 'acme', channel: 'alerts' }),
  'it is removed': ({ calls }, id) => calls.removeDevice({ id }),
  'its member is removed': ({ calls }) => calls.removeMember({ workspace: 'acme', email: BOB }),
  'another user registers its token': async ({ calls }) =>
    calls.registerDevice({ userId: await idOf({ calls }), platform: 'ios', token: tokenOf(1) }),
  'an import gives its token to another user': (world) => world.importDevices([{ platform: 'ios', token: tokenOf(1) }]),
  'another device gets its token': async ({ calls, ...world }) => {
    const id = await world.addDevice({ token: tokenOf(3), subscribe: [] });
    return calls.updateDevice({ userId: await idOf({ calls }), id, token: tokenOf(1) });
  },
  'it gets a new token': async ({ calls }, id) =>
    calls.updateDevice({ userId: await idOf({ calls }, BOB), id, token: tokenOf(3) }),
  'it changes its environment': async ({ calls }, id) =>
    calls.updateDevice({
      userId: await idOf({ calls }, BOB),
      id,
      token: tokenOf(1),
      environment: 'sandbox',
    }),
};

for (const [name, end] of Object.entries(ENDS)) {
  test(`a push that is handed out to a device is recalled when ${name}, and no other device's`, async (engine) => {
    const world = await aWorld({ engine });
    await world.join(BOB);
    const deviceId = await world.addDevice({ token: tokenOf(1) }, BOB);
    await world.addDevice({ token: tokenOf(2) });
    await world.accept();
    const [batch] = await claim(world);
    assert.ok(batch);
    granted(await end(world, deviceId));
    assert.equal([...batch.revoked], [1, 0]);
  });
}

test('a push that is handed out to a browser is recalled when its keys change, and goes out with the new ones', async (engine) => {
  const world = await aWorld({ engine, routes: ['webpush_mozilla'] });
  const browser = (keys = browserKeys()) => {
    const subscription = { endpoint: 'https://updates.push.services.mozilla.com/wpush/v2/gAAAAABn', keys };
    return {
      workspace: 'acme',
      email: ADA,
      platform: 'web',
      subscription,
      subscribe: ['alerts'],
    } as const;
  };
  granted(await world.calls.addDevice(browser()));
  await world.accept();
  const lane = { route: 'webpush_mozilla', atMs: NOW_MS } as const;
  const [batch] = await claim(world, lane);
  assert.ok(batch);
  const now = browser();
  granted(await world.calls.addDevice(now));
  assert.equal([...batch.revoked], [1]);
  await settle(world, batch, CALLED_OFF, NOW_MS);
  const targets = (await claim(world, lane)).flatMap((again) => again.targets);
  assertEach(targets, ({ keys, attempts }) => [JSON.parse(keys ?? ''), attempts], [[now.subscription.keys, 0]]);
});

test('a channel and a workspace that are deleted recall all that is handed out of theirs', async (engine) => {
  const steps = [
    ({ calls }: World) => calls.deleteChannel({ workspace: 'acme', slug: 'alerts' }),
    ({ calls }: World) => calls.deleteWorkspace({ slug: 'acme' }),
  ];
  for (const step of steps) {
    const { world, batch } = await oneHandedOut({ engine });
    granted<unknown>(await step(world));
    assert.equal([...batch.revoked], [1]);
  }
});

test('all of it is recalled at once also if the rows of many devices go later', async (engine) => {
  const ends = {
    channel: ({ calls }: World) => calls.deleteChannel({ workspace: 'acme', slug: 'alerts' }),
    member: ({ calls }: World) => calls.removeMember({ workspace: 'acme', email: BOB }),
    workspace: ({ calls }: World) => calls.deleteWorkspace({ slug: 'acme' }),
  };
  for (const [what, end] of Object.entries(ends)) {
    const world = await aWorld({ engine });
    await world.join(BOB);
    const devices = Array.from({ length: 500 }, (_, n) => aDevice({ token: tokenOf(n) }));
    await world.importDevices(devices, BOB);
    await world.accept();
    const batches = await claim(world);
    assert.is(batches.length, 5);
    granted<unknown>(await end(world));
    assert.ok((await world.countRows('subscription')) > 0, `${what}: rows are left`);
    for (const { revoked } of batches)
      assert.ok(
        revoked.every((recalled) => recalled === 1),
        what,
      );
    assert.equal(await claim(world), []);
  }
});

it('pushes handed out for a suspended workspace are recalled, and go out once it is active again', async (scene) => {
  const { world, batch, publicId } = scene;
  granted(await world.calls.createWorkspace({ slug: 'umbrella' }));
  granted(await world.calls.setWorkspaceStatus({ slug: 'umbrella', status: 'suspended' }));
  assert.equal([...batch.revoked], [0], 'only of its own workspace');
  granted(await world.calls.setWorkspaceStatus({ slug: 'acme', status: 'suspended' }));
  assert.equal([...batch.revoked], [1]);
  await world.calls.releaseBatch({ claimId: batch.claimId });
  assert.equal(await claim(world), []);
  granted(await world.calls.setWorkspaceStatus({ slug: 'acme', status: 'active' }));
  for (const again of await claim(world)) await settle(world, again);
  assert.is((await countsOf(world, publicId)).accepted, 1);
});

it("a device's pushes of another channel are not recalled with a subscription", async (scene) => {
  const { world, deviceId, batch } = scene;
  granted(await world.calls.createChannel({ workspace: 'acme', slug: 'builds' }));
  granted(await world.calls.subscribe(await subscriptionOf(world, deviceId, 'builds')));
  granted(await world.calls.unsubscribe(await subscriptionOf(world, deviceId, 'builds')));
  assert.equal([...batch.revoked], [0]);
});

it('a device that registers again with the same token loses nothing', async ({ world, batch }) => {
  await world.addDevice({ name: 'New name' });
  assert.equal([...batch.revoked], [0]);
});

it('a test push and a retry that are handed out are recalled with their device', async ({ world, deviceId, batch }) => {
  await settle(world, batch, TIMEOUT, NOW_MS);
  const uuid = '01a1fc7b-d8a5-7280-83c2-0d3bed29ec49';
  granted(await world.calls.testDevice({ id: deviceId, uuid }));
  const batches = (await Promise.all(LANES.map((lane) => claim(world, { lane, atMs: NOW_MS })))).flat();
  granted(await world.calls.removeDevice({ id: deviceId }));
  assertEach(batches, ({ revoked }) => [...revoked], [[1], [1]]);
});

onSqlite('a removal that could not be written recalls nothing', async () => {
  const world = await aWorld();
  const deviceId = await world.addDevice();
  await world.accept();
  const [batch] = await claim(world);
  assert.ok(batch);
  world.db.exec(`CREATE TRIGGER full AFTER DELETE ON device BEGIN SELECT raise(ABORT, 'no'); END`);
  await fails(world.calls.removeDevice({ id: deviceId }));
  world.db.exec('DROP TRIGGER full');
  await world.accept();
  assert.equal([...batch.revoked], [0]);
});

onSqlite('in one transaction, an end recalls earlier claims, and no later ones', async () => {
  const world = await aWorld();
  const deviceId = await world.addDevice();
  await world.accept();
  const lane = { route: 'apns_production', lane: 'standard', limit: 1, batchSize: 1 } as const;
  const asked = { name: 'claimBatches', args: { ...lane } } as const;
  const group = [
    asked,
    { name: 'unsubscribe', args: await subscriptionOf(world, deviceId) },
    { name: 'subscribe', args: await subscriptionOf(world, deviceId) },
    { name: 'acceptEvent', args: world.anEvent() },
    asked,
  ] as const;
  const answers = Promise.withResolvers<(ClaimAnswer | null)[]>();
  const asking = [0, group.length - 1].map((place) =>
    world.openClaims.ask(async () => (await answers.promise)[place] ?? NOTHING),
  );
  answers.resolve((await world.group(group)) as (ClaimAnswer | null)[]);
  const batches = (await Promise.all(asking)).flatMap(({ claims }) => claims);
  assertEach(batches, ({ revoked }) => [...revoked], [[1], [0]]);
});

it('a push that was recalled ends as withdrawn at its next turn, also if its device comes back, and is no try', async (scene) => {
  const { world, deviceId, batch, publicId } = scene;
  granted(await world.calls.unsubscribe(await subscriptionOf(world, deviceId)));
  granted(await world.calls.subscribe(await subscriptionOf(world, deviceId)));
  await settle(world, batch, CALLED_OFF, NOW_MS);
  assert.equal(await claim(world, { atMs: NOW_MS }), []);
  assert.is((await countsOf(world, publicId)).withdrawn, 1);
  const [line] = granted(await world.calls.showEvent({ publicId, limit: 1 })).deliveries;
  assert.equal([line?.state, line?.reason, line?.attempts], ['withdrawn', 'unsubscribed', []]);
});

it('a push that was recalled from an old address goes to the new one', async ({ world, deviceId, batch }) => {
  granted(await world.calls.updateDevice({ userId: await idOf(world), id: deviceId, token: tokenOf(3) }));
  await settle(world, batch, CALLED_OFF, NOW_MS);
  const targets = (await claim(world, { atMs: NOW_MS })).flatMap((again) => again.targets);
  assertEach(targets, ({ token, attempts }) => [token, attempts], [[tokenOf(3), 0]]);
});

it('a batch that was recalled as a whole and given back is not handed out again', async (scene) => {
  const { world, deviceId, batch, publicId } = scene;
  granted(await world.calls.unsubscribe(await subscriptionOf(world, deviceId)));
  granted(await world.calls.subscribe(await subscriptionOf(world, deviceId)));
  await world.calls.releaseBatch({ claimId: batch.claimId });
  assert.equal(await claim(world), []);
  assert.is((await countsOf(world, publicId)).withdrawn, 1);
});

run();
