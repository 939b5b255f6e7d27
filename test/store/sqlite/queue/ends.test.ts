import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LANES } from '../../../../src/push.ts';
import type { ClaimAnswer } from '../../../../src/store/calls.ts';
import { BOB, idOf, join } from '../../../support/people.ts';
import { claim, countsOf, settle } from '../../../support/queue.ts';
import { aDevice, aWorld, granted, NOW_MS, tokenOf, type World } from '../../../support/world.ts';

const TIMEOUT = { state: 'pending', reason: 'timeout', retryInMs: 0, spent: true } as const;
const CALLED_OFF = { state: 'pending', reason: 'recalled', retryInMs: 0, spent: false } as const;
const NOTHING: ClaimAnswer = { claims: [], nextDueInMs: null, finished: [] };
const test = suite('recalls');

/** Every way in which a device loses its right to a push, or gets another address. */
const ENDS: Readonly<Record<string, (world: World, deviceId: string) => unknown>> = {
  'it is unsubscribed': ({ calls, ...world }, deviceId) =>
    calls.unsubscribe({ userId: idOf(world, BOB), deviceId, workspace: 'acme', channel: 'deploys' }),
  'it is removed': ({ calls }, id) => calls.removeDevice({ id }),
  'its member is removed': ({ calls }) => calls.removeMember({ workspace: 'acme', email: BOB }),
  'another user registers its token': ({ calls, ...world }) =>
    calls.registerDevice({ userId: idOf(world), platform: 'ios', token: tokenOf(1), wallMs: NOW_MS }),
  'an import gives its token to another user': (world) => world.importDevices([{ platform: 'ios', token: tokenOf(1) }]),
  'another device gets its token': ({ calls, ...world }) => {
    const id = world.addDevice({ token: tokenOf(3), subscribe: [] });
    return calls.updateDevice({ userId: idOf(world), id, token: tokenOf(1), wallMs: NOW_MS });
  },
  'it gets a new token': ({ calls, ...world }, id) =>
    calls.updateDevice({ userId: idOf(world, BOB), id, token: tokenOf(3), wallMs: NOW_MS }),
  'it changes its environment': ({ calls, ...world }, id) =>
    calls.updateDevice({ userId: idOf(world, BOB), id, token: tokenOf(1), environment: 'sandbox', wallMs: NOW_MS }),
};

for (const [name, end] of Object.entries(ENDS)) {
  test(`a push that is handed out to a device is recalled when ${name}, and nobody else's`, () => {
    const world = aWorld();
    join(world, BOB);
    const deviceId = world.addDevice({ token: tokenOf(1) }, BOB);
    world.addDevice({ token: tokenOf(2) });
    world.accept();
    const [batch] = claim(world);
    assert.ok(batch);
    granted(end(world, deviceId));
    assert.equal([...batch.recalls], [1, 0]);
  });
}

test('a channel and a workspace that are deleted recall all that is handed out of theirs', () => {
  const steps = [
    ({ calls }: World) => calls.deleteChannel({ workspace: 'acme', slug: 'deploys' }),
    ({ calls }: World) => calls.deleteWorkspace({ slug: 'acme' }),
  ];
  for (const step of steps) {
    const { world, batch } = oneOut();
    granted<unknown>(step(world));
    assert.equal([...batch.recalls], [1]);
  }
});

test('all of it is recalled at once also where the rows of many devices go later', () => {
  const ends = {
    channel: ({ calls }: World) => calls.deleteChannel({ workspace: 'acme', slug: 'deploys' }),
    member: ({ calls }: World) => calls.removeMember({ workspace: 'acme', email: BOB }),
    workspace: ({ calls }: World) => calls.deleteWorkspace({ slug: 'acme' }),
  };
  for (const [what, end] of Object.entries(ends)) {
    const world = aWorld();
    join(world, BOB);
    const devices = Array.from({ length: 500 }, (_, n) => aDevice({ token: tokenOf(n) }));
    world.importDevices(devices, BOB);
    world.accept();
    const batches = claim(world);
    assert.is(batches.length, 5);
    granted<unknown>(end(world));
    assert.ok(world.countRows('subscription') > 0, `${what}: rows are left`);
    for (const { recalls } of batches)
      assert.ok(
        recalls.every((recalled) => recalled === 1),
        what,
      );
    assert.equal(claim(world), []);
  }
});

test('what is handed out of a workspace that is suspended is recalled, and goes out once it is active again', () => {
  const { world, batch, publicId } = oneOut();
  granted(world.calls.createWorkspace({ slug: 'other', wallMs: NOW_MS }));
  granted(world.calls.setWorkspaceStatus({ slug: 'other', status: 'suspended' }));
  assert.equal([...batch.recalls], [0], 'only of its own workspace');
  granted(world.calls.setWorkspaceStatus({ slug: 'acme', status: 'suspended' }));
  assert.equal([...batch.recalls], [1]);
  world.calls.releaseBatch({ claimId: batch.claimId });
  assert.equal(claim(world), []);
  granted(world.calls.setWorkspaceStatus({ slug: 'acme', status: 'active' }));
  for (const again of claim(world)) settle(world, again);
  assert.is(countsOf(world, publicId).accepted, 1);
});

test('what a device has to get of another channel is not recalled with a subscription', () => {
  const { world, deviceId, batch } = oneOut();
  granted(world.calls.createChannel({ workspace: 'acme', slug: 'other', wallMs: NOW_MS }));
  granted(world.calls.subscribe(on(world, deviceId, 'other')));
  granted(world.calls.unsubscribe(on(world, deviceId, 'other')));
  assert.equal([...batch.recalls], [0]);
});

test('a device that registers again with the same token loses nothing', () => {
  const { world, batch } = oneOut();
  world.addDevice({ name: 'New name' });
  assert.equal([...batch.recalls], [0]);
});

test('a test push and a retry that are handed out are recalled with their device', () => {
  const { world, deviceId, batch } = oneOut();
  settle(world, batch, TIMEOUT, NOW_MS);
  const uuid = '01a1fc7b-d8a5-7280-83c2-0d3bed29ec49';
  granted(world.calls.testDevice({ id: deviceId, uuid, wallMs: NOW_MS, steadyMs: NOW_MS }));
  const batches = LANES.flatMap((lane) => claim(world, { lane, atMs: NOW_MS }));
  granted(world.calls.removeDevice({ id: deviceId }));
  assert.equal(
    batches.map(({ recalls }) => [...recalls]),
    [[1], [1]],
  );
});

test('a push that was recalled ends as withdrawn at its next turn, also if its device comes back, and is no try', () => {
  const { world, deviceId, batch, publicId } = oneOut();
  granted(world.calls.unsubscribe(on(world, deviceId)));
  granted(world.calls.subscribe(on(world, deviceId)));
  settle(world, batch, CALLED_OFF, NOW_MS);
  assert.equal(claim(world, { atMs: NOW_MS }), []);
  assert.is(countsOf(world, publicId).withdrawn, 1);
  const [line] = granted(world.calls.showEvent({ publicId, limit: 1 })).deliveries;
  assert.equal([line?.state, line?.reason, line?.attempts], ['withdrawn', 'unsubscribed', []]);
});

test('a push that was recalled from an old address goes to the new one', () => {
  const { world, deviceId, batch } = oneOut();
  granted(world.calls.updateDevice({ userId: idOf(world), id: deviceId, token: tokenOf(3), wallMs: NOW_MS }));
  settle(world, batch, CALLED_OFF, NOW_MS);
  const targets = claim(world, { atMs: NOW_MS }).flatMap((again) => again.targets);
  assert.equal(
    targets.map(({ token, attempts }) => [token, attempts]),
    [[tokenOf(3), 0]],
  );
});

test('a batch that was recalled as a whole and given back is handed out to nobody', () => {
  const { world, deviceId, batch, publicId } = oneOut();
  granted(world.calls.unsubscribe(on(world, deviceId)));
  granted(world.calls.subscribe(on(world, deviceId)));
  world.calls.releaseBatch({ claimId: batch.claimId });
  assert.equal(claim(world), []);
  assert.is(countsOf(world, publicId).withdrawn, 1);
});

test('a removal that could not be written recalls nothing', () => {
  const { world, deviceId, batch } = oneOut();
  world.db.exec(`CREATE TRIGGER full AFTER DELETE ON device BEGIN SELECT raise(ABORT, 'no'); END`);
  assert.throws(() => world.calls.removeDevice({ id: deviceId }));
  world.db.exec('DROP TRIGGER full');
  world.accept();
  assert.equal([...batch.recalls], [0]);
});

test('in one transaction, what is claimed before an end is recalled by it, and what is claimed behind it is not', async () => {
  const world = aWorld();
  const deviceId = world.addDevice();
  world.accept();
  const lane = { route: 'apns_production', lane: 'standard', limit: 1, batchSize: 1 } as const;
  const asked = { name: 'claimBatches', args: { ...lane, steadyMs: NOW_MS, wallMs: NOW_MS } } as const;
  const group = [
    asked,
    { name: 'unsubscribe', args: on(world, deviceId) },
    { name: 'subscribe', args: on(world, deviceId) },
    { name: 'acceptEvent', args: world.anEvent() },
    asked,
  ] as const;
  const answers = Promise.withResolvers<(ClaimAnswer | null)[]>();
  const asking = [0, group.length - 1].map((place) =>
    world.openClaims.ask(async () => (await answers.promise)[place] ?? NOTHING),
  );
  answers.resolve(world.group(group) as (ClaimAnswer | null)[]);
  const batches = (await Promise.all(asking)).flatMap(({ claims }) => claims);
  assert.equal(
    batches.map(({ recalls }) => [...recalls]),
    [[1], [0]],
  );
});

test.run();

/** A world in which one device's push is handed out. */
function oneOut() {
  const world = aWorld();
  const deviceId = world.addDevice();
  const { public_id: publicId } = world.accept().event;
  const [batch] = claim(world);
  if (!batch) throw new Error('nothing to claim');
  return { world, deviceId, publicId, batch };
}

function on(world: World, deviceId: string, channel = 'deploys') {
  return { userId: idOf(world), deviceId, workspace: 'acme', channel };
}
