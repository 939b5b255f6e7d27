import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TemporaryStore } from '../support/store.ts';
import { aDevice, aWorld, EMAIL, granted, NOW_MS, refused, tokenOf, type World } from '../support/world.ts';

const ALL_BUT_COUNTERS = [
  'workspace',
  'channel',
  'api_key',
  'user',
  'member',
  'pairing_code',
  'device',
  'subscription',
  'audience',
  'event',
  'usage',
  'fan_out',
  'delivery',
  'attempt',
  'remains',
];
const BOB = 'bob@example.com';

const test = suite('deletions');

test('a deleted workspace leaves nothing but numbers', () => {
  const world = aBusyWorld();
  granted(world.calls.createPairingCode({ email: EMAIL, codeHash: 'ab'.repeat(32), lifeMs: 0 }));
  granted(world.calls.issueKey({ workspace: 'acme', id: 'k', secretHash: 'ab'.repeat(32), scopes: ['events:write'] }));
  granted(world.calls.deleteWorkspace({ slug: 'acme' }));
  prune(world);
  for (const table of ALL_BUT_COUNTERS) assert.is(world.countRows(table), 0, table);
  assert.is(world.calls.findKey({ id: 'k' }), null);
});

test('a deleted workspace is gone at once, however much hangs on it', () => {
  const world = aWorld();
  const publicId = world.accept().event.public_id;
  addDevices(world, 500);
  world.accept();
  granted(world.calls.issueKey({ workspace: 'acme', id: 'k', secretHash: 'ab'.repeat(32), scopes: ['events:write'] }));
  assert.is(granted(world.calls.deleteWorkspace({ slug: 'acme' })).slug, 'acme');
  assert.ok(world.countRows('device') > 0, 'its rows are still there');
  assert.is(refused(world.calls.deleteWorkspace({ slug: 'acme' })).refused, 'not_found');
  assert.is(refused(world.calls.showEvent({ publicId, limit: 1 })).refused, 'not_found');
  assert.is(world.calls.findKey({ id: 'k' }), null);
  assert.is(world.calls.findUser({ email: EMAIL }), null, 'who belongs to no workspace cannot sign in');
  assert.is(world.calls.acceptEvent(world.anEvent()).kind, 'unknown_channel');
  assert.equal(claimed(world), []);
});

test('what hangs on a deletion goes in steps of some two hundred rows, also after a crash', () => {
  let world: TemporaryStore = aWorld();
  addDevices(world as World, 1_000);
  granted(world.calls.deleteWorkspace({ slug: 'acme' }));
  for (let done = false; !done; ) {
    const before = totalRows(world);
    ({ done } = world.calls.pruneStep({}));
    assert.ok(before - totalRows(world) <= 201, `${before - totalRows(world)} rows`);
    world = world.restart();
  }
  assert.is(totalRows(world), 0);
});

test('a user of another workspace stays when one is deleted, with the devices', () => {
  const world = aBusyWorld();
  world.addWorkspace('umbrella');
  granted(world.calls.addMember({ workspace: 'umbrella', email: EMAIL, role: 'member' }));
  granted(world.calls.deleteWorkspace({ slug: 'acme' }));
  prune(world);
  const [device] = granted(world.calls.listDevices({ workspace: 'umbrella', limit: 100 })).devices;
  assert.equal(device?.channels, []);
  assert.is(world.countRows('subscription'), 0);
});

test('a deleted channel takes its events, its queue and its subscriptions along, and nothing else', () => {
  const world = aBusyWorld();
  granted(world.calls.createChannel({ workspace: 'acme', slug: 'alerts' }));
  world.addDevice({ subscribe: ['alerts'] });
  const { event } = world.accept({ channel: 'alerts' });
  granted(world.calls.deleteChannel({ workspace: 'acme', slug: 'deploys' }));
  prune(world);
  assert.equal(
    granted(world.calls.listEvents({ workspace: 'acme', limit: 9 })).events.map(({ public_id }) => public_id),
    [event.public_id],
  );
  assert.equal(
    granted(world.calls.listChannels({ workspace: 'acme' })).map(({ slug }) => slug),
    ['alerts'],
  );
  assert.is(world.countRows('delivery') + world.countRows('attempt'), 0);
  assert.equal(claimed(world), [event.public_id]);
});

test('a deleted channel is gone at once, with all that was posted to it, however many devices listen there', () => {
  const world = aWorld();
  addDevices(world, 500);
  const { event } = world.accept();
  assert.is(granted(world.calls.deleteChannel({ workspace: 'acme', slug: 'deploys' })).device_count, 500);
  assert.ok(world.countRows('subscription') > 0, 'their rows are still there');
  assert.is(world.calls.acceptEvent(world.anEvent()).kind, 'unknown_channel');
  assert.equal(world.calls.listEvents({ workspace: 'acme', limit: 9 }), { events: [], next: null });
  assert.is(
    world.calls.readEvent({ workspaceId: world.workspaceId, boundKeyId: null, publicId: event.public_id }),
    null,
  );
  assert.equal(granted(world.calls.listDevices({ workspace: 'acme', limit: 1 })).devices[0]?.channels, []);
  assert.equal(claimed(world), []);
});

test('a slug that was deleted is free at once, and begins with nothing', () => {
  const world = aWorld();
  addDevices(world, 500);
  granted(world.calls.deleteChannel({ workspace: 'acme', slug: 'deploys' }));
  granted(world.calls.createChannel({ workspace: 'acme', slug: 'deploys' }));
  assert.is(world.accept().event.target_device_count, 0);
  granted(world.calls.deleteWorkspace({ slug: 'acme' }));
  world.addWorkspace('acme');
  prune(world);
  assert.equal(world.calls.listChannels({ workspace: 'acme' }), []);
  assert.is(granted(world.calls.showWorkspace({ slug: 'acme' })).events_this_month, 0);
});

test('a device that falls silent, or comes back, while its channel is being removed counts nowhere', () => {
  const world = aWorld();
  addDevices(world, 500);
  granted(world.calls.deleteChannel({ workspace: 'acme', slug: 'deploys' }));
  world.db.exec(`UPDATE subscription SET active = 0`);
  assert.equal(world.importDevices([aDevice({ token: tokenOf(499), environment: 'sandbox', subscribe: [] })]), {
    imported: 0,
    updated: 1,
  });
  prune(world);
  assert.is(world.countRows('subscription') + world.countRows('audience'), 0);
});

test('a member with many devices is gone at once, and the workspace sends again when the last of them is', () => {
  const world = aWorld();
  granted(world.calls.addMember({ workspace: 'acme', email: BOB, role: 'member' }));
  world.addDevice({ token: tokenOf(9_000_001) });
  world.importDevices(manyDevices(500), BOB);
  const { event } = world.accept();
  granted(world.calls.removeMember({ workspace: 'acme', email: BOB }));
  assert.is(
    refused(world.calls.createPairingCode({ email: BOB, codeHash: 'a'.repeat(64), lifeMs: 0 })).refused,
    'not_found',
  );
  assert.is(refused(world.calls.addMember({ workspace: 'acme', email: BOB, role: 'member' })).refused, 'busy');
  assert.equal(claimed(world), [], 'nothing may go to those that are left');
  prune(world);
  assert.is(world.countRows('device'), 1);
  assert.equal(claimed(world), [event.public_id]);
  granted(world.calls.addMember({ workspace: 'acme', email: BOB, role: 'member' }));
});

test('a member of another workspace keeps the devices, without what they listened on here', () => {
  const world = aWorld();
  world.addWorkspace('umbrella');
  granted(world.calls.createChannel({ workspace: 'umbrella', slug: 'news' }));
  for (const workspace of ['acme', 'umbrella'])
    granted(world.calls.addMember({ workspace, email: BOB, role: 'member' }));
  world.importDevices(manyDevices(500), BOB);
  const userId = world.db.prepare('SELECT id FROM user WHERE email = ?').pluck().get(BOB) as number;
  const [device] = granted(world.calls.listOwnDevices({ userId, limit: 1 })).devices;
  const news = { userId, deviceId: device?.id ?? '', workspace: 'umbrella', channel: 'news' };
  world.calls.subscribe(news);
  granted(world.calls.removeMember({ workspace: 'acme', email: BOB }));
  const last = granted(world.calls.listOwnDevices({ userId, limit: 500 })).devices.at(-1);
  assert.equal(last?.subscriptions, [], 'those that are left are not shown');
  assert.equal(granted(world.calls.listInbox({ userId, limit: 9 })).events, []);
  prune(world);
  assert.is(world.countRows('device'), 500);
  assert.is(world.countRows('subscription'), 1);
});

test.run();

/** With an event that is partly settled and partly waits, and another one that waits as a whole. */
function aBusyWorld(): World {
  const world = aWorld();
  world.addDevice({ token: tokenOf(9_000_001) });
  world.accept();
  const [claim] = world.calls.claimBatches({ ...LANE, ...TIME }).claims;
  const verdict = { state: 'pending', reason: 'busy', retryInMs: 1, spent: true } as const;
  const verdicts = [{ index: 0, verdict, fitted: false, linksLost: false }];
  world.calls.settleBatch({ claimId: claim?.claimId ?? '', verdicts, ...TIME });
  world.accept();
  return world;
}

const LANE = { route: 'apns_production', lane: 'standard', limit: 9, batchSize: 9 } as const;
const TIME = { steadyMs: NOW_MS, wallMs: NOW_MS };

function claimed({ calls }: World): string[] {
  return calls
    .claimBatches({ ...LANE, ...TIME })
    .claims.flatMap(({ events }) => events.map(({ event }) => event.publicId));
}

function addDevices(world: World, count: number): void {
  world.importDevices(manyDevices(count));
}

function manyDevices(count: number) {
  return Array.from({ length: count }, (_, n) => aDevice({ token: tokenOf(n) }));
}

function totalRows(world: TemporaryStore): number {
  return ALL_BUT_COUNTERS.reduce((sum, table) => sum + world.countRows(table), 0);
}

function prune({ calls }: TemporaryStore): void {
  while (!calls.pruneStep({ wallMs: NOW_MS }).done);
}
