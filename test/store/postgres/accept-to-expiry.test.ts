/** PostgreSQL's own code on the way of an event, once, for `npm test`. What holds over both engines is tried over it by `npm run test:ci`. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Actor, type Claim, RightsLost, type Verdict } from '../../../src/store/calls.ts';
import { toTimestamp } from '../../../src/values/timestamp.ts';
import { androidToken } from '../../support/android-token.ts';
import { ADA, BOB } from '../../support/cast.ts';
import { BORROWED, closeStores, type PostgresOnly } from '../../support/engines.ts';
import { giveBackKept } from '../../support/kept-schema.ts';
import { idOf } from '../../support/people.ts';
import { aNode, type TestNode } from '../../support/postgres-nodes.ts';
import { whyNoPostgres } from '../../support/postgres-programs.ts';
import { claim, countsOf, settle } from '../../support/queue.ts';
import { granted } from '../../support/refusals.ts';
import { releasedAt } from '../../support/scheduled.ts';
import { skipWhere } from '../../support/skip.ts';
import { tokenOf } from '../../support/workspace.ts';
import { aWorld, NOW_MS, type World, type WorldOptions } from '../../support/world.ts';

const MINUTE_MS = 60_000;
const LATER = { state: 'pending', reason: 'timeout', retryInMs: MINUTE_MS, spent: true } as const;
const LANE = { route: 'apns_production', lane: 'standard', limit: 100, batchSize: 100 } as const;

const own = suite("PostgreSQL's own code");
const test = skipWhere(whyNoPostgres(), own);
own.after.each(closeStores);
own.after(giveBackKept);

type PostgresWorld = World & PostgresOnly;

async function world(options: WorldOptions = {}): Promise<PostgresWorld> {
  return (await aWorld({ engine: BORROWED, ...options })) as PostgresWorld;
}

function values<T>({ store }: PostgresWorld, text: string, params: object = {}): Promise<readonly T[]> {
  return store.connections.lend(({ sql }) => sql.values<object, T>(text)(params));
}

/** Another server over the same store. */
async function withOther(scene: PostgresWorld, use: (other: TestNode) => Promise<void>): Promise<void> {
  const clock = { wallMs: () => NOW_MS, steadyMs: () => NOW_MS };
  const other = await aNode({ url: scene.url, node: 'two', clock });
  await use(other).finally(() => other.store.close());
}

function devicesIn(claims: readonly Claim[]): readonly number[] {
  return claims.flatMap(({ targets }) => targets.map(({ deviceId }) => deviceId));
}

function tokensIn(claims: readonly Claim[]): readonly string[] {
  return claims.flatMap(({ targets }) => targets.map(({ token }) => token)).sort();
}

function kindsOf(answers: readonly { readonly kind: string }[]): readonly string[] {
  return answers.map(({ kind }) => kind);
}

/** Returns the state of each push of an event, in the order of its devices. */
async function states({ calls, devices }: World, publicId: string): Promise<readonly string[]> {
  const { deliveries } = granted(await calls.showEvent({ publicId, limit: 100 }));
  const known = new Map(
    deliveries.map(({ device_id, state, reason }) => [device_id, `${state} ${reason ?? ''}`.trim()]),
  );
  return devices.map((id) => known.get(id) ?? 'none');
}

test('A key is checked once more as its event is accepted, and its faults are reported in their order', async () => {
  const scene = await world({ channels: ['alerts', 'builds'] });
  const expires = { atMs: NOW_MS + 1_000 };
  const { id: good } = await scene.issueKey({ expires });
  const { id: reader } = await scene.issueKey({ scopes: ['events:read'] });
  const { id: revoked } = await scene.issueKey({ scopes: ['events:read'], expires });
  granted(await scene.calls.revokeKey({ id: revoked }));
  const post = (id: string, with_ = {}) => {
    const actor: Actor = { kind: 'key', id, scope: 'events:write' };
    return scene.calls.acceptEvent(scene.anEvent(with_), actor).then(
      ({ kind }) => kind,
      (error) => (error instanceof RightsLost ? error.lost : error),
    );
  };
  assert.is(await post('000000000000'), 'unauthenticated');
  assert.is(await post(revoked, { wallMs: NOW_MS + 1_000 }), 'key_revoked');
  assert.is(await post(good, { wallMs: NOW_MS + 999 }), 'accepted');
  assert.is(await post(good, { wallMs: NOW_MS + 1_000 }), 'key_expired');
  granted(await scene.calls.setWorkspaceStatus({ slug: 'acme', status: 'suspended' }));
  assert.is(await post(reader), 'missing_scope');
  assert.is(await post(good), 'workspace_inactive');
  granted(await scene.calls.setWorkspaceStatus({ slug: 'acme', status: 'active' }));
  const { id: boundKeyId } = await scene.issueKey({ channels: ['builds'] });
  assert.is(await post(boundKeyId, { boundKeyId }), 'unknown_channel');
  assert.is(await post(boundKeyId, { boundKeyId, channel: 'builds' }), 'accepted');
});

test('An event is for the devices that its channel has by then, on the routes that are served, in the lane of its urgency', async () => {
  const routes = ['apns_production', 'fcm'] as const;
  const scene = await world({ channels: ['alerts', 'builds', 'off'], routes, devices: { ios: 2, sandbox: 1 } });
  await scene.addDevice({ platform: 'android', token: androidToken('fcm') });
  await scene.addDevice({ token: tokenOf(7), subscribe: ['builds'] });
  await scene.addWorkspace('umbrella', { channels: ['theirs'] });
  granted(await scene.calls.updateChannel({ workspace: 'acme', slug: 'off', status: 'inactive' }));
  const [before, ios] = [await scene.accept(), scene.devices[1] ?? ''];
  assert.equal([before.routes, before.event.target_device_count], [routes, 3]);
  granted(await scene.calls.removeDevice({ id: ios }));
  await scene.addDevice({ token: tokenOf(9) });
  const { event } = await scene.accept({ urgency: 'time_sensitive' });
  assert.is(event.target_device_count, 3);
  for (const channel of ['nowhere', 'off', 'theirs', 'Alerts'])
    assert.is((await scene.calls.acceptEvent(scene.anEvent({ channel }))).kind, 'unknown_channel');
  assert.is(tokensIn(await claim(scene, { route: 'fcm' })).length, 1);
  const [standard, urgent] = [await claim(scene, { limit: 2, batchSize: 1 }), await claim(scene, { lane: 'urgent' })];
  assert.is(tokensIn(standard).length, 1, 'neither who has gone nor who came later');
  assert.equal(tokensIn(urgent), [...tokensIn(standard), tokenOf(9)].sort());
  assert.equal(await claim(scene, { route: 'apns_sandbox' }), []);
});

test('An idempotency key has one event in its workspace, until its channel is deleted', async () => {
  const scene = await world({ channels: ['alerts', 'builds'] });
  const keyed = (with_ = {}) => scene.anEvent({ idempotencyKey: 'once', ...with_ });
  const answers = await scene.together('acceptEvent', [keyed(), keyed({ title: 'Other' }), scene.anEvent()]);
  assert.equal(kindsOf(answers).toSorted(), ['accepted', 'accepted', 'replayed']);
  const [first, second] = answers as unknown as readonly { event: object }[];
  assert.equal(first?.event, second?.event);
  granted(await scene.calls.updateChannel({ workspace: 'acme', slug: 'alerts', status: 'inactive' }));
  assert.is((await scene.calls.acceptEvent(keyed())).kind, 'replayed');
  assert.is((await scene.calls.checkEvent(keyed())).kind, 'replayed');
  const { id: boundKeyId } = await scene.issueKey({ channels: ['builds'] });
  const others = [keyed({ boundKeyId, channel: 'builds' }), keyed({ boundKeyId, channel: 'builds' })];
  assert.equal(kindsOf(await scene.together('acceptEvent', others)).toSorted(), ['accepted', 'replayed']);
  const { workspaceId } = await scene.addWorkspace('umbrella', { channels: ['alerts'] });
  assert.is((await scene.calls.acceptEvent(keyed({ workspaceId }))).kind, 'accepted');
  granted(await scene.calls.deleteChannel({ workspace: 'acme', slug: 'alerts' }));
  assert.is((await scene.calls.acceptEvent(keyed({ channel: 'builds' }))).kind, 'accepted');
  assert.is((await scene.calls.readUsage({ workspaceId: scene.workspaceId })).used, 4);
});

test('An allowance has as many places as it says, replays and checks take none, and in the next month all are free', async () => {
  const scene = await world();
  const [month, next] = [Date.UTC(2026, 11, 31, 23, 59, 59, 999), Date.UTC(2027, 0, 1)];
  granted(await scene.calls.setPlan({ name: 'small', monthlyEvents: 3 }));
  granted(await scene.calls.setWorkspacePlan({ slug: 'acme', plan: 'small' }));
  const keyed = { idempotencyKey: 'once', wallMs: month };
  await scene.accept(keyed);
  const posted = [keyed, {}, {}, {}].map((with_) => scene.anEvent({ ...with_, wallMs: month }));
  const answers = await scene.together('acceptEvent', posted);
  assert.equal(kindsOf(answers).toSorted(), ['accepted', 'accepted', 'allowance_exhausted', 'replayed']);
  const exhausted = answers.find(({ kind }) => kind === 'allowance_exhausted');
  assert.equal(exhausted, { kind: 'allowance_exhausted', resetsAtMs: next });
  assert.is((await scene.calls.acceptEvent(scene.anEvent(keyed))).kind, 'replayed');
  const check = (wallMs: number) => scene.calls.checkEvent({ ...scene.anEvent(), wallMs });
  assert.is((await check(month)).kind, 'allowance_exhausted');
  assert.is((await check(next)).kind, 'valid');
  const { workspaceId } = await scene.addWorkspace('umbrella', { channels: ['alerts'] });
  assert.is((await scene.calls.acceptEvent(scene.anEvent({ workspaceId, wallMs: month }))).kind, 'accepted');
  for (let place = 0; place < 3; place += 1) await scene.accept({ wallMs: next });
  assert.is((await scene.calls.acceptEvent(scene.anEvent({ wallMs: next }))).kind, 'allowance_exhausted');
});

test('A key has so many requests in any minute, counted in the database', async () => {
  const scene = await world();
  const { id } = await scene.issueKey();
  const actor: Actor = { kind: 'key', id, scope: 'events:write' };
  const post = async (atMs: number) => {
    const event = scene.anEvent({ perMinute: 2, wallMs: atMs });
    return scene.calls.acceptEvent(event, actor);
  };
  assert.equal(kindsOf([await post(NOW_MS), await post(NOW_MS + 30_000)]), ['accepted', 'accepted']);
  const after = async (ms: number) => (await post(NOW_MS + ms)).kind;
  assert.is(await after(MINUTE_MS), 'rate_limited');
  assert.equal([await after(MINUTE_MS + 1_000), await after(MINUTE_MS + 1_001)], ['accepted', 'rate_limited']);
});

test('An event for later waits for its time, unless that is now or a thousand wait already', async () => {
  const scene = await world({ devices: { ios: 1 } });
  const atMs = NOW_MS + MINUTE_MS;
  const later = await scene.accept({ sendAtMs: atMs });
  assert.equal([later.isScheduled, later.routes, later.event.target_device_count], [true, [], 1]);
  const now = await scene.accept({ sendAtMs: NOW_MS });
  assert.is(now.isScheduled, undefined);
  assert.is(devicesIn(await claim(scene)).length, 1);
  await values(
    scene,
    `INSERT INTO event SELECT (jsonb_populate_record(e, jsonb_build_object(
    'id', 1000 + n, 'send_at', ${atMs + MINUTE_MS}, 'uuid', '\\x' || md5(n::text)))).* FROM event AS e, generate_series(1, 998) AS n WHERE kind = 'scheduled'`,
  );
  const waiting = [scene.anEvent({ sendAtMs: atMs }), scene.anEvent({ sendAtMs: atMs }), scene.anEvent()];
  for (const kind of ['accepted', 'too_many_scheduled', 'accepted'])
    assert.is((await scene.calls.acceptEvent(waiting.shift() as (typeof waiting)[number])).kind, kind);
  assert.is(await releasedAt(scene, atMs), 2);
  assert.is(devicesIn(await claim(scene, { atMs })).length, 3);
});

test('Claims keep to their limit and batches, and workspaces and their events take turns', async () => {
  const scene = await world({ devices: { ios: 25 } });
  const two = await scene.addWorkspace('umbrella', { channels: ['alerts'], owner: BOB, devices: { ios: 25 } });
  const ids = [await scene.post(), await scene.post(), (await two.accept()).event.public_id];
  const sizes: string[][] = [];
  const seen = new Map<string, Set<number>>();
  for (const limit of [20, 20, 7, 100]) {
    const claims = await claim(scene, { limit, batchSize: 5 });
    assert.ok(claims.every(({ targets }) => targets.length <= 5));
    sizes.push(ids.map((id) => `${of(claims, id).length}`));
    for (const id of ids) for (const device of of(claims, id)) seen.set(id, (seen.get(id) ?? new Set()).add(device));
    for (const batch of claims) await settle(scene, batch);
  }
  assert.equal(
    sizes
      .slice(0, 2)
      .flat()
      .map(Number)
      .reduce((sum, size) => sum + size),
    40,
  );
  const [first = []] = sizes;
  assert.equal(first, ['5', '5', '10'], 'half for each workspace, and half of that for each of its events');
  assert.equal(
    ids.map((id) => seen.get(id)?.size),
    [25, 25, 25],
  );
  assert.equal(await values(scene, 'SELECT event_id FROM fan_out'), []);
  await scene.post();
  granted(await scene.calls.setWorkspaceStatus({ slug: 'acme', status: 'suspended' }));
  assert.equal(await claim(scene), []);
});

/** The devices to which claims send an event. */
function of(claims: readonly Claim[], publicId: string): readonly number[] {
  return claims.flatMap(({ events, targets }) =>
    targets.filter(({ event }) => events[event]?.event.publicId === publicId).map(({ deviceId }) => deviceId),
  );
}

test('Pushes that a node owns, or that it alone may send, are hidden from others until they are free', async () => {
  const scene = await world({ devices: { ios: 6 } });
  await withOther(scene, async ({ calls }) => {
    const others = async () => (await calls.claimBatches(LANE)).claims;
    await scene.post({ hadLinks: true });
    assert.equal(await others(), []);
    const [linked] = await claim(scene, { limit: 3 });
    await settle(scene, linked as Claim, LATER);
    assert.equal(await calls.claimBatches(LANE), { claims: [], nextDueInMs: null, finished: [] }, 'nor its retries');
    const rest = await claim(scene, { atMs: NOW_MS + MINUTE_MS });
    assert.is(devicesIn(rest).length, 6);
    for (const batch of rest) await settle(scene, batch);

    const publicId = await scene.post();
    const [settled, kept, back] = await claim(scene, { batchSize: 2 });
    assert.ok(settled && kept && back);
    assert.equal(await others(), []);
    await settle(scene, settled);
    await scene.calls.releaseBatch({ claimId: back.claimId });
    assert.equal(await others(), []);
    assert.is((await countsOf(scene, publicId)).accepted, 2);
    await values(scene, 'UPDATE fan_out SET owner = NULL RETURNING event_id');
    assert.equal(await settle(scene, kept), [], 'it is not its own any more');
    assert.equal(devicesIn(await others()), [...devicesIn([kept]), ...devicesIn([back])]);
    assert.is((await countsOf(scene, publicId)).accepted, 2);
  });
});

test('Each verdict is counted once, and the event ends with its last one', async () => {
  const scene = await world({ devices: { ios: 7 } });
  const publicId = await scene.post();
  const [batch] = await claim(scene);
  assert.ok(batch);
  const token = (index: number) => batch.targets[index]?.token ?? '';
  const dead = { state: 'unregistered', reason: 'Unregistered', atMs: NOW_MS } as const;
  const verdicts: Verdict[] = [
    { state: 'accepted', token: token(0) },
    { state: 'failed', reason: 'BadTopic' },
    { ...dead, token: token(2) },
    { ...dead, token: token(3), atMs: NOW_MS - 1 },
    { ...dead, token: 'another' },
    { state: 'held', reason: 'BadDeviceToken', token: token(5), retryInMs: 0, spent: true },
    LATER,
  ];
  const settled = (wallMs: number, indexes: readonly number[], of: Claim = batch) =>
    scene.calls.settleBatch({
      claimId: of.claimId,
      verdicts: indexes.map((index) => ({
        index,
        verdict: of === batch ? (verdicts[index] as Verdict) : { state: 'accepted' },
        fitted: index === 0,
        linksLost: false,
      })),
      wallMs,
    });
  assert.equal(await settled(NOW_MS + 100, [0, 1, 2, 3]), { finished: [] });
  assert.equal(await settled(NOW_MS + 100, [3, 4, 5, 6]), { finished: [] });
  const pending = { accepted: 1, failed: 1, unregistered: 3, pending: 2, expired: 0, withdrawn: 0 };
  const { accepted, failed, unregistered, expired, withdrawn, pending: left } = await countsOf(scene, publicId);
  assert.equal({ accepted, failed, unregistered, expired, withdrawn, pending: left }, pending);
  const { devices } = granted(await scene.calls.listDevices({ workspace: 'acme', limit: 10 }));
  const inactive = devices.filter(({ status }) => status === 'inactive').map(({ id }) => id);
  assert.equal(inactive, [scene.devices[2]], 'the one that had that token, and has not registered since');
  assert.equal(await states(scene, publicId), [
    'accepted',
    'failed BadTopic',
    'unregistered Unregistered',
    'unregistered Unregistered',
    'unregistered Unregistered',
    'pending BadDeviceToken',
    'pending timeout',
  ]);
  const [held] = await claim(scene, { lane: 'quarantine', atMs: NOW_MS + 100 });
  assert.equal(
    held?.targets.map(({ deviceId, isQuarantined }) => [deviceId, isQuarantined]),
    [[batch.targets[5]?.deviceId, true]],
  );
  const [retry] = await claim(scene, { atMs: NOW_MS + 100 + MINUTE_MS });
  assert.ok(held && retry);
  assert.equal(await settled(NOW_MS + 200, [0], held), { finished: [] });
  assert.equal(await settled(NOW_MS + 300, [0], retry), { finished: [publicId] });
  assert.equal(await settled(NOW_MS + 400, [0], retry), { finished: [] });
  const times = await values<number>(scene, 'SELECT unnest(ARRAY[first_accepted_at, last_accepted_at]) FROM event');
  assert.equal(times, [NOW_MS + 100, NOW_MS + 300]);
  const tally = await values<string>(
    scene,
    `SELECT concat_ws(' ', measure, nullif(reason, ''), sum(count)) FROM tally WHERE measure <> 'latency'
     GROUP BY measure, reason ORDER BY 1`,
  );
  assert.equal(tally, [
    'accepted 3',
    'deferred BadDeviceToken 1',
    'deferred timeout 1',
    'events 1',
    'failed BadTopic 1',
    'fitted 3',
    'unregistered Unregistered 3',
  ]);
  const latencies = await values<string>(scene, `SELECT reason FROM tally WHERE measure = 'latency' ORDER BY reason`);
  assert.is(latencies.length, 3, latencies.join());
});

test('A retry is claimed once when it is due, with its tries, and not before', async () => {
  const scene = await world({ devices: { ios: 2 } });
  await scene.post();
  const [batch] = await claim(scene);
  const [spent, unspent] = [LATER, { ...LATER, spent: false, retryInMs: MINUTE_MS + 1 }] as const;
  const verdicts = [spent, unspent].map((verdict, index) => ({ index, verdict, fitted: false, linksLost: false }));
  await scene.calls.settleBatch({ claimId: batch?.claimId ?? '', verdicts });
  const asked = (atMs: number) => scene.calls.claimBatches({ ...LANE, steadyMs: atMs, wallMs: atMs });
  assert.equal(await asked(NOW_MS), { claims: [], nextDueInMs: MINUTE_MS, finished: [] });
  assert.equal(await asked(NOW_MS + MINUTE_MS - 1), { claims: [], nextDueInMs: 1, finished: [] });
  const first = await asked(NOW_MS + MINUTE_MS);
  assert.equal([first.claims[0]?.targets.map(({ attempts }) => attempts), first.nextDueInMs], [[1], 1]);
  const second = await asked(NOW_MS + MINUTE_MS + 1);
  assert.equal([second.claims[0]?.targets.map(({ attempts }) => attempts), second.nextDueInMs], [[0], null]);
  await scene.calls.releaseBatch({ claimId: first.claims[0]?.claimId ?? '' });
  assert.equal(devicesIn((await asked(NOW_MS + MINUTE_MS + 1)).claims), devicesIn(first.claims));
  assert.is(await scene.countRows('attempt'), 1);
});

for (const what of ['first push', 'retry'] as const) {
  test(`A member who has muted the channel, left it, or lost the device by then gets no ${what}`, async () => {
    const scene = await world({ devices: { ios: 8 } });
    const { calls } = scene;
    const publicId = await scene.post({ level: 'warning' });
    if (what === 'retry') for (const batch of await claim(scene)) await settle(scene, batch, LATER);
    const atMs = NOW_MS + MINUTE_MS;
    const userId = await idOf(scene, ADA);
    const [until, over, high, low, left, gone, moved] = scene.devices as readonly string[];
    const place = (deviceId = '') => ({ userId, deviceId, workspace: 'acme', channel: 'alerts' });
    granted(await calls.subscribe({ ...place(until), mutedUntil: toTimestamp(atMs + 1) }));
    granted(await calls.subscribe({ ...place(over), mutedUntil: toTimestamp(atMs) }));
    granted(await calls.subscribe({ ...place(high), minLevel: 'error' }));
    granted(await calls.subscribe({ ...place(low), minLevel: 'warning' }));
    granted(await calls.unsubscribe(place(left)));
    granted(await calls.removeDevice({ id: gone ?? '' }));
    granted(await calls.updateDevice({ userId, id: moved ?? '', token: tokenOf(99), environment: 'sandbox' }));
    const claims = await claim(scene, { atMs });
    assert.is(devicesIn(claims).length, 3);
    assert.ok(!tokensIn(claims).includes(tokenOf(99)));
    for (const batch of claims) await settle(scene, batch, undefined, atMs);
    const { accepted, withdrawn, pending } = await countsOf(scene, publicId);
    assert.equal([accepted, withdrawn, pending], [3, 5, 0]);
    const shown = await states(scene, publicId);
    for (const nth of [1, 3, 7]) assert.is(shown[nth], 'accepted');
    if (what === 'retry')
      assert.equal([shown[0], shown[2], shown[4]], ['withdrawn muted', 'withdrawn muted', 'withdrawn unsubscribed']);
  });
}

test('An event ends when its time is over, except for pushes in flight', async () => {
  const scene = await world({ devices: { ios: 4, android: 1 } });
  const publicId = await scene.post({ expiresInS: 60 });
  await scene.post();
  const sweep = (atMs: number) => scene.calls.expireOverdue({ steadyMs: atMs, wallMs: atMs });
  const counts = async (id = publicId) => {
    const { accepted, expired, pending } = await countsOf(scene, id);
    return [accepted, expired, pending];
  };
  const ofEvent = (claims: readonly Claim[]) => claims.filter(({ events }) => events[0]?.event.publicId === publicId);
  const [retry, again, back, page] = ofEvent(await claim(scene, { batchSize: 1 }));
  assert.ok(retry && again && back && page);
  await settle(scene, retry, LATER);
  await settle(scene, again, { ...LATER, retryInMs: 0 });
  const [out] = ofEvent(await claim(scene));
  assert.ok(out);
  await scene.calls.releaseBatch({ claimId: back.claimId });
  const endMs = NOW_MS + MINUTE_MS;
  assert.equal([await sweep(endMs - 1), await counts()], [{ finished: [], more: false }, [0, 0, 5]]);
  assert.equal(
    [await sweep(endMs), await counts()],
    [{ finished: [], more: false }, [0, 2, 3]],
    'its retry, and Android',
  );
  await settle(scene, out, undefined, endMs);
  await settle(scene, page, LATER, endMs);
  assert.equal([await sweep(endMs), await counts()], [{ finished: [publicId], more: false }, [1, 4, 0]]);
  const due = await scene.post({ expiresInS: 60 });
  for (const batch of await claim(scene)) await settle(scene, batch, LATER);
  assert.equal(of(await claim(scene, { atMs: endMs }), due), []);
  assert.equal(await counts(due), [0, 4, 1]);
  assert.equal(await sweep(endMs), { finished: [due], more: false });
  const late = await scene.post({ expiresInS: 60 });
  const asked = await claim(scene, { atMs: endMs });
  assert.is(of(asked, late).length, 0);
  assert.equal(await counts(late), [0, 4, 1]);
  assert.equal(await sweep(endMs), { finished: [late], more: false }, 'of which only a fan-out was left');
  const cancelled = await scene.post();
  granted(await scene.calls.cancelEvent({ publicId: cancelled }));
  assert.equal(of(await claim(scene), cancelled), []);
  assert.is((await countsOf(scene, cancelled)).withdrawn, 5);
});

own.run();
