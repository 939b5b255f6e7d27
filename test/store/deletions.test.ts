import * as assert from 'uvu/assert';
import { stillLeaving } from '../../src/store/refusals.ts';
import { INSISTING, insist, MINUTE_MS } from '../support/alerts.ts';
import { assertEach } from '../support/assert-each.ts';
import { ADA, BOB } from '../support/cast.ts';
import { conformance, type Engine } from '../support/engines.ts';
import { idOf } from '../support/people.ts';
import { claim, settle } from '../support/queue.ts';
import { granted, refused } from '../support/refusals.ts';
import type { TemporaryStore } from '../support/store.ts';
import { aDevice, tokenOf } from '../support/workspace.ts';
import { aWorld, NOW_MS, type World } from '../support/world.ts';

const ALL_BUT_COUNTERS = [
  'workspace',
  'channel',
  'api_key',
  'person',
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
  'heartbeat',
  'cleanup_job',
];

const { test, it, onSqlite, run } = conformance('deletions', aWorld);

test('a deleted workspace leaves nothing but numbers', async (engine) => {
  const world = await aBusyWorld(engine);
  granted(await world.calls.createPairingCode({ email: ADA, codeHash: 'ab'.repeat(32), lifeMs: 0 }));
  granted(
    await world.calls.issueKey({ workspace: 'acme', id: 'k', secretHash: 'ab'.repeat(32), scopes: ['events:write'] }),
  );
  granted(await world.calls.deleteWorkspace({ slug: 'acme' }));
  await prune(world);
  for (const table of ALL_BUT_COUNTERS) assert.is(await world.countRows(table), 0, table);
  assert.is(await world.calls.findKey({ id: 'k' }), null);
});

it('a deleted workspace is gone at once, however much hangs on it', async (world) => {
  const publicId = (await world.accept()).event.public_id;
  await addDevices(world, 500);
  await world.accept();
  granted(
    await world.calls.issueKey({ workspace: 'acme', id: 'k', secretHash: 'ab'.repeat(32), scopes: ['events:write'] }),
  );
  assert.is(granted(await world.calls.deleteWorkspace({ slug: 'acme' })).slug, 'acme');
  assert.ok((await world.countRows('device')) > 0, 'its rows are still there');
  assert.is(refused(await world.calls.deleteWorkspace({ slug: 'acme' })).refused, 'not_found');
  assert.is(refused(await world.calls.showEvent({ publicId, limit: 1 })).refused, 'not_found');
  assert.is(await world.calls.findKey({ id: 'k' }), null);
  assert.is(await world.calls.findUser({ email: ADA }), null, 'who belongs to no workspace cannot sign in');
  assert.is((await world.calls.acceptEvent(world.anEvent())).kind, 'unknown_channel');
  assert.equal(await claimed(world), []);
});

it('members, keys and heartbeats of a deleted workspace are gone at once, even while their rows wait to be removed', async (world) => {
  const { calls } = world;
  const emails = Array.from({ length: 110 }, (_, n) => `m${n}@example.com`);
  for (const email of emails) granted(await calls.addMember({ workspace: 'acme', email, role: 'member' }));
  await world.addWorkspace('umbrella');
  const key = { id: 'k', secretHash: 'ab'.repeat(32) };
  granted(await calls.issueKey({ workspace: 'acme', ...key, scopes: ['events:write'] }));
  granted(await calls.createHeartbeat({ workspace: 'acme', channel: 'alerts', slug: 'job' }));
  const { uuid } = granted(await calls.showHeartbeat({ workspace: 'acme', slug: 'job' }));
  const userId = await idOf(world, 'm109@example.com');
  granted(await calls.deleteWorkspace({ slug: 'acme' }));
  for (const table of ['member', 'api_key', 'heartbeat', 'channel'])
    assert.ok((await world.countRows(table)) > 0, `rows of ${table} are still there`);
  for (const email of emails) assert.is(await calls.findUser({ email }), null);
  assert.is(await calls.findKey({ id: 'k' }), null);
  assert.is(await calls.describeConnection({ keyId: 'k' }), null);
  assert.is(refused(await calls.revokeKey({ id: 'k' })).refused, 'not_found');
  assert.is(await calls.knowsHeartbeat({ uuid: uuid ?? '' }), false);
  assert.equal((await calls.listAlerts({ userId, limit: 9 })) as unknown, { alerts: [], next: null });
  const again = await calls.addMember({ workspace: 'umbrella', email: 'm109@example.com', role: 'member' });
  assert.is(refused(again).refused, refused(stillLeaving('')).refused);
  await prune(world);
  for (const table of ['member', 'api_key', 'heartbeat']) assert.is(await world.countRows(table), 0, table);
});

it('the heartbeats and keys of a deleted channel are gone at once, and their names are free', async (world) => {
  const { calls } = world;
  granted(await calls.createChannel({ workspace: 'acme', slug: 'leads' }));
  for (let n = 0; n < 60; n += 1)
    granted(
      await calls.createHeartbeat({ workspace: 'acme', channel: 'alerts', slug: `job-${n}`, every: 60, grace: 60 }),
    );
  const { uuid } = granted(await calls.showHeartbeat({ workspace: 'acme', slug: 'job-59' }));
  await calls.pingHeartbeat({ uuid: uuid ?? '', kind: 'success', rid: null, output: null, exitStatus: null });
  for (let n = 0; n < 60; n += 1) await world.accept();
  const keys = await Promise.all(Array.from({ length: 150 }, () => world.issueKey({ channels: ['alerts'] })));
  granted(await calls.deleteChannel({ workspace: 'acme', slug: 'alerts' }));
  assert.ok((await world.countRows('cleanup_job')) > 0, 'rows wait to be removed');
  assert.is(await calls.knowsHeartbeat({ uuid: uuid ?? '' }), false);
  assert.equal(await calls.listHeartbeats({ workspace: 'acme' }), []);
  for (const { id } of keys) assert.is((await calls.findKey({ id }))?.onlyChannel, null);
  for (let wallMs = NOW_MS; wallMs < NOW_MS + 3 * MINUTE_MS; wallMs += 9_000)
    assert.equal((await calls.tendHeartbeats({ wallMs })).posted, [], 'none goes down');
  granted(await calls.createHeartbeat({ workspace: 'acme', channel: 'leads', slug: 'job-59' }));
  await prune(world);
  assert.equal([await world.countRows('heartbeat'), await world.countRows('key_channel')], [1, 0]);
});

it('nobody is reminded in a deleted workspace, and nothing of it is counted or waited for', async (world) => {
  const { calls } = world;
  await insist(world);
  granted(await calls.createHeartbeat({ workspace: 'acme', channel: 'alerts', slug: 'job', every: 60, grace: 60 }));
  const { uuid } = granted(await calls.showHeartbeat({ workspace: 'acme', slug: 'job' }));
  const ping = { uuid: uuid ?? '', kind: 'success', rid: null, output: null, exitStatus: null } as const;
  await calls.pingHeartbeat(ping);
  const secret = `whsec_${'A'.repeat(43)}=`;
  granted(await calls.createWebhook({ workspace: 'acme', url: 'https://example.com/', secret }));
  for (let n = 0; n < 110; n += 1)
    granted(await calls.addMember({ workspace: 'acme', email: `m${n}@example.com`, role: 'member' }));
  await world.accept(INSISTING);
  granted(await calls.deleteWorkspace({ slug: 'acme' }));
  for (const table of ['channel', 'heartbeat', 'webhook', 'alert', 'insisting'])
    assert.ok((await world.countRows(table)) > 0, `rows of ${table} are still there`);
  assert.is((await calls.countAlerts({})).open, 0);
  const { heartbeats, webhooks } = await calls.readStatus({});
  assert.is(
    Object.values(heartbeats.counts).reduce((sum, count) => sum + count, 0),
    0,
  );
  assert.equal([webhooks.active, webhooks.waiting], [0, 0]);
  const events = await world.countRows('event');
  for (const wallMs of [NOW_MS + MINUTE_MS, NOW_MS + 2 * MINUTE_MS]) {
    assert.is((await calls.runRound({ wallMs })).reminders, 0);
    assert.is(await world.countRows('event'), events);
  }
  for (let wallMs = NOW_MS; wallMs < NOW_MS + 3 * MINUTE_MS; wallMs += 9_000)
    assert.ok(((await calls.tendHeartbeats({ wallMs })).nextInMs ?? 1) > 0, 'no deadline is waited for');
});

test('pushes of a deleted workspace count as waiting nowhere, even while their rows wait to be removed', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 3 } });
  const { calls } = world;
  await world.post();
  for (const batch of await claim(world))
    await settle(world, batch, { state: 'pending', reason: 'timeout', retryInMs: 0, spent: true });
  await world.post();
  const counted = async () => {
    const { queue } = await calls.readStatus({});
    const depth = await calls.queueDepth({});
    const { waiting } = granted(await calls.stats({ sinceMs: NOW_MS }));
    const sum = (rows: readonly { waiting: number; deferred: number }[]) =>
      rows.reduce((all, row) => all + row.waiting + row.deferred, 0);
    const oldest = queue.filter(({ oldest_at: at }) => at !== null).length;
    return [sum(queue), oldest, sum(depth), waiting.reduce((all, { pushes }) => all + pushes, 0)];
  };
  assert.equal(await counted(), [6, 1, 6, 6]);
  for (let n = 0; n < 110; n += 1)
    granted(await calls.addMember({ workspace: 'acme', email: `m${n}@example.com`, role: 'member' }));
  granted(await calls.deleteWorkspace({ slug: 'acme' }));
  assert.ok((await world.countRows('fan_out')) > 0, 'rows are still there');
  assert.equal(await counted(), [0, 0, 0, 0]);
});

test('the rest of a deletion goes in steps of some two hundred rows, also after a crash', async (engine) => {
  let world: TemporaryStore = await aWorld({ engine });
  await addDevices(world as World, 1_000);
  granted(await world.calls.deleteWorkspace({ slug: 'acme' }));
  for (let done = false; !done; ) {
    const before = await totalRows(world);
    ({ done } = await world.calls.pruneStep({}));
    const gone = before - (await totalRows(world));
    assert.ok(gone <= 201, `${gone} rows`);
    world = await world.restart();
  }
  assert.is(await totalRows(world), 0);
});

it('a device with hundreds of channels gets nothing more once it is removed or silent, and all of them lose it', async (world) => {
  const { calls } = world;
  const slugs = Array.from({ length: 100 }, (_, n) => `c${n}`);
  for (const slug of slugs) granted(await calls.createChannel({ workspace: 'acme', slug }));
  await world.addDevice({ subscribe: slugs });
  await world.addDevice({ token: tokenOf(7), subscribe: slugs });
  const [removed, silent] = granted(await calls.listDevices({ workspace: 'acme', limit: 100 })).devices.slice(-2);
  granted(await calls.removeDevice({ id: removed?.id ?? '' }));
  for (const channel of slugs.slice(0, 2)) await world.accept({ channel });
  const [batch] = (await calls.claimBatches(LANE)).claims;
  const dead = (batch?.targets ?? []).map(({ token }, index) => ({
    index,
    verdict: { state: 'unregistered', reason: 'Unregistered', token, atMs: null } as const,
    fitted: false,
    linksLost: false,
  }));
  assert.is(dead.length, 2, 'a push in each channel');
  await calls.settleBatch({ claimId: batch?.claimId ?? '', verdicts: dead });
  assert.ok((await world.countRows('subscription')) > 100, 'some rows are still there');
  for (const channel of slugs) await world.accept({ channel });
  assert.equal(await claimed(world), []);
  await prune(world);
  const { devices } = granted(await calls.listDevices({ workspace: 'acme', limit: 100 }));
  assert.is(devices.find(({ id }) => id === silent?.id)?.status, 'inactive');
  const counts = granted(await calls.listChannels({ workspace: 'acme' })).filter(({ slug }) => slugs.includes(slug));
  assertEach(
    counts,
    ({ device_count }) => device_count,
    slugs.map(() => 0),
  );
});

test('a user of another workspace stays when one is deleted, with the devices', async (engine) => {
  const world = await aBusyWorld(engine);
  await world.addWorkspace('umbrella');
  granted(await world.calls.addMember({ workspace: 'umbrella', email: ADA, role: 'member' }));
  granted(await world.calls.deleteWorkspace({ slug: 'acme' }));
  await prune(world);
  const [device] = granted(await world.calls.listDevices({ workspace: 'umbrella', limit: 100 })).devices;
  assert.equal(device?.channels, []);
  assert.is(await world.countRows('subscription'), 0);
});

test('a deleted channel takes its events, its queue and its subscriptions along, and nothing else', async (engine) => {
  const world = await aBusyWorld(engine);
  granted(await world.calls.createChannel({ workspace: 'acme', slug: 'builds' }));
  await world.addDevice({ subscribe: ['builds'] });
  const { event } = await world.accept({ channel: 'builds' });
  granted(await world.calls.deleteChannel({ workspace: 'acme', slug: 'alerts' }));
  await prune(world);
  assert.equal(
    granted(await world.calls.listEvents({ workspace: 'acme', limit: 9 })).events.map(({ public_id }) => public_id),
    [event.public_id],
  );
  assertEach(granted(await world.calls.listChannels({ workspace: 'acme' })), ({ slug }) => slug, ['builds']);
  assert.is((await world.countRows('delivery')) + (await world.countRows('attempt')), 0);
  assert.equal(await claimed(world), [event.public_id]);
});

test('a deleted channel takes its heartbeats with it, and leaves those of others', async (engine) => {
  const { calls } = await aWorld({ engine, channels: ['alerts', 'builds'] });
  const add = async (channel: string) =>
    granted(await calls.createHeartbeat({ workspace: 'acme', channel, slug: `on-${channel}` }));
  const { uuid } = await add('alerts');
  await add('builds');
  granted(await calls.deleteChannel({ workspace: 'acme', slug: 'alerts' }));
  const left = granted(await calls.listHeartbeats({ workspace: 'acme' }));
  assertEach(left, ({ slug }) => slug, ['on-builds']);
  assert.is(await calls.knowsHeartbeat({ uuid }), false);
});

it('a deleted channel is gone at once, with all that was posted to it, however many devices listen there', async (world) => {
  await addDevices(world, 500);
  const { event } = await world.accept();
  assert.is(granted(await world.calls.deleteChannel({ workspace: 'acme', slug: 'alerts' })).device_count, 500);
  assert.ok((await world.countRows('subscription')) > 0, 'their rows are still there');
  assert.is((await world.calls.acceptEvent(world.anEvent())).kind, 'unknown_channel');
  assert.equal(await world.calls.listEvents({ workspace: 'acme', limit: 9 }), { events: [], next: null });
  assert.is(
    await world.calls.readEvent({ workspaceId: world.workspaceId, boundKeyId: null, publicId: event.public_id }),
    null,
  );
  assert.equal(granted(await world.calls.listDevices({ workspace: 'acme', limit: 1 })).devices[0]?.channels, []);
  assert.equal(await claimed(world), []);
});

it('no event of a deleted channel can be found, and their idempotency keys are free', async (world) => {
  const { event } = await world.accept({ idempotencyKey: 'once' });
  await acceptMany(world);
  granted(await world.calls.deleteChannel({ workspace: 'acme', slug: 'alerts' }));
  assert.ok((await world.countRows('event')) > 0, 'some are still there');
  const { workspaceId } = world;
  const publicId = event.public_id;
  assert.is(await world.calls.readEvent({ workspaceId, boundKeyId: null, publicId }), null);
  assert.equal(await world.calls.listReachedEvents({ workspaceId, boundKeyId: null, limit: 9 }), {
    events: [],
    next: null,
  });
  assert.equal(await world.calls.listWaiting({ after: 0, limit: 9 }), []);
  for (const answer of [
    await world.calls.showEvent({ publicId, limit: 1 }),
    await world.calls.findWatched({ event: publicId }),
    await world.calls.cancelEvent({ publicId }),
    await world.calls.resendEvent({ publicId }),
    await world.calls.repostEvent({ publicId, uuid: crypto.randomUUID() }),
  ]) {
    assert.is(refused(answer).refused, 'not_found');
  }
  granted(await world.calls.createChannel({ workspace: 'acme', slug: 'alerts' }));
  const again = world.anEvent({ idempotencyKey: 'once' });
  assert.is((await world.calls.checkEvent(again)).kind, 'valid');
  assert.is((await world.calls.acceptEvent(again)).kind, 'accepted');
  assert.is((await world.calls.acceptEvent(world.anEvent({ idempotencyKey: 'once' }))).kind, 'replayed');
});

it('a slug that was deleted is free at once, and begins with nothing', async (world) => {
  await addDevices(world, 500);
  granted(await world.calls.deleteChannel({ workspace: 'acme', slug: 'alerts' }));
  granted(await world.calls.createChannel({ workspace: 'acme', slug: 'alerts' }));
  assert.is((await world.accept()).event.target_device_count, 0);
  granted(await world.calls.deleteWorkspace({ slug: 'acme' }));
  await world.addWorkspace('acme');
  await prune(world);
  assert.equal(await world.calls.listChannels({ workspace: 'acme' }), []);
  assert.is(granted(await world.calls.showWorkspace({ slug: 'acme' })).events_this_month, 0);
});

onSqlite('a device that falls silent, or comes back, while its channel is being removed counts nowhere', async () => {
  const world = await aWorld();
  await addDevices(world, 500);
  granted(await world.calls.deleteChannel({ workspace: 'acme', slug: 'alerts' }));
  world.db.exec(`UPDATE subscription SET active = 0`);
  assert.equal(await world.importDevices([aDevice({ token: tokenOf(499), environment: 'sandbox', subscribe: [] })]), {
    imported: 0,
    updated: 1,
  });
  await prune(world);
  assert.is((await world.countRows('subscription')) + (await world.countRows('audience')), 0);
});

it('a member with many devices is gone at once, and the workspace sends again when the last of them is', async (world) => {
  granted(await world.calls.addMember({ workspace: 'acme', email: BOB, role: 'member' }));
  await world.addDevice({ token: tokenOf(9_000_001) });
  granted(await world.calls.createHeartbeat({ workspace: 'acme', channel: 'alerts', slug: 'backup' }));
  await world.importDevices(manyDevices(500), BOB);
  const { event } = await world.accept();
  granted(await world.calls.removeMember({ workspace: 'acme', email: BOB }));
  assert.is(
    refused(await world.calls.createPairingCode({ email: BOB, codeHash: 'a'.repeat(64), lifeMs: 0 })).refused,
    'not_found',
  );
  assert.is(refused(await world.calls.addMember({ workspace: 'acme', email: BOB, role: 'member' })).refused, 'busy');
  assert.equal(await claimed(world), [], 'nothing may go to those that are left');
  await prune(world);
  assert.is(await world.countRows('device'), 1);
  assert.equal(await claimed(world), [event.public_id]);
  granted(await world.calls.addMember({ workspace: 'acme', email: BOB, role: 'member' }));
});

onSqlite('a member of another workspace keeps the devices, without their subscriptions here', async () => {
  const world = await aWorld();
  await world.addWorkspace('umbrella', { channels: ['news'] });
  for (const workspace of ['acme', 'umbrella'])
    granted(await world.calls.addMember({ workspace, email: BOB, role: 'member' }));
  await world.importDevices(manyDevices(500), BOB);
  const userId = world.db.prepare('SELECT id FROM person WHERE email = ?').pluck().get(BOB) as number;
  const [device] = granted(await world.calls.listOwnDevices({ userId, limit: 1 })).devices;
  const subscription = { userId, deviceId: device?.id ?? '', workspace: 'umbrella', channel: 'news' };
  await world.calls.subscribe(subscription);
  granted(await world.calls.removeMember({ workspace: 'acme', email: BOB }));
  const last = granted(await world.calls.listOwnDevices({ userId, limit: 500 })).devices.at(-1);
  assert.equal(last?.subscriptions, [], 'those that are left are not shown');
  assert.equal(granted(await world.calls.listInbox({ userId, limit: 9 })).events, []);
  await prune(world);
  assert.is(await world.countRows('device'), 500);
  assert.is(await world.countRows('subscription'), 1);
});

run();

/** More events than a deletion and one step after it remove. */
const MANY = 500;

/** With an event that is partly settled and partly waits, and others that wait as a whole. */
async function aBusyWorld(engine: Engine): Promise<World> {
  const world = await aWorld({ engine });
  await world.addDevice({ token: tokenOf(9_000_001) });
  await world.accept();
  const [claim] = (await world.calls.claimBatches(LANE)).claims;
  const verdict = { state: 'pending', reason: 'busy', retryInMs: 1, spent: true } as const;
  const verdicts = [{ index: 0, verdict, fitted: false, linksLost: false }];
  await world.calls.settleBatch({ claimId: claim?.claimId ?? '', verdicts });
  await acceptMany(world);
  return world;
}

async function acceptMany(world: World): Promise<void> {
  await Promise.all(Array.from({ length: MANY }, () => world.accept()));
}

const LANE = { route: 'apns_production', lane: 'standard', limit: 9, batchSize: 9 } as const;

async function claimed({ calls }: World): Promise<string[]> {
  const { claims } = await calls.claimBatches(LANE);
  return claims.flatMap(({ events }) => events.map(({ event }) => event.publicId));
}

async function addDevices(world: World, count: number): Promise<void> {
  await world.importDevices(manyDevices(count));
}

function manyDevices(count: number) {
  return Array.from({ length: count }, (_, n) => aDevice({ token: tokenOf(n) }));
}

async function totalRows(world: TemporaryStore): Promise<number> {
  const counts = await Promise.all(ALL_BUT_COUNTERS.map((table) => world.countRows(table)));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function prune({ calls }: TemporaryStore): Promise<void> {
  while (!(await calls.pruneStep({})).done);
}
