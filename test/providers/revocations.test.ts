import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../src/providers/clients.ts';
import type { PushClient, SendLimits } from '../../src/providers/provider.ts';
import type { ProviderSettings } from '../../src/providers/table.ts';
import { type Batch, platformOf } from '../../src/push.ts';
import { assertEach } from '../support/assert-each.ts';
import { settingsOf } from '../support/providers.ts';
import { aBatch, aPushEvent, aTarget } from '../support/pushes.ts';
import { Resources } from '../support/resources.ts';
import type { Sandbox } from '../support/sandbox/start.ts';
import { aSandbox } from '../support/sandbox.ts';
import { startSlowReader } from '../support/slow-reader.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { until, untilIs } from '../support/until.ts';

const ROUTES = ['apns_production', 'fcm', 'webpush_mozilla'] as const;
type Route = (typeof ROUTES)[number];

interface Scene {
  readonly sandbox: Sandbox;
  readonly proxy: TcpProxy;
  readonly provider: PushClient;
  readonly batch: Batch;
}

/** A provider that reaches its sandbox by a proxy, and a batch for so many devices that is not claimed yet. */
async function onTheWay(
  route: Route,
  { devices, maxStreams, ...limits }: Partial<SendLimits> & { devices: number; maxStreams?: number },
  test: (scene: Scene) => Promise<void>,
): Promise<void> {
  await using opened = new Resources();
  const sandbox = opened.add(await aSandbox(maxStreams === undefined ? {} : { maxStreams }));
  const proxy = opened.add(await startTcpProxy(urlOf(route, sandbox)));
  const provider = await createClient(route, settingsThrough(proxy, sandbox), { inFlight: 100, ...limits });
  assert.ok(provider);
  opened.add(provider);
  const targets = Array.from({ length: devices }, (_, deviceId) => {
    const token = sandbox.token({ platform: platformOf(route) });
    const keys = route === 'webpush_mozilla' ? JSON.stringify(sandbox.webpush.keysOf(token)) : null;
    return aTarget({ deviceId, token, keys });
  });
  await test({ sandbox, proxy, provider, batch: aBatch({ route, targets }) });
}

function urlOf(route: Route, { apns, fcm, webpush }: Sandbox): string {
  const urls = { apns_production: apns.productionUrl, fcm: fcm.url, ...webpush.urls };
  return urls[route];
}

function settingsThrough({ url }: TcpProxy, sandbox: Sandbox): ProviderSettings {
  const { apns, fcm, webpush } = settingsOf(sandbox);
  const { origin } = new URL(sandbox.token({ platform: 'web', service: 'webpush_mozilla' }));
  return {
    apns: { ...apns, endpointProduction: url },
    fcm: { ...fcm, endpoint: url },
    webpush: { ...webpush, endpoints: { [origin]: url } },
  };
}

function recall({ revoked }: Batch, ...indexes: readonly number[]): void {
  for (const index of indexes) Atomics.store(revoked, index, 1);
}

/** Returns the outcome of each push, and checks that exactly the accepted pushes have arrived. */
async function check({ sandbox, batch }: Scene, sending: ReturnType<PushClient['send']>, wanted: readonly string[]) {
  const sent = await sending;
  const kinds = batch.targets.map((target) => sent.find(({ deviceId }) => deviceId === target.deviceId)?.outcome.kind);
  assert.equal(kinds, wanted);
  const tokens = batch.targets.flatMap(({ token }, index) => (wanted[index] === 'accepted' ? token : []));
  assert.equal(sandbox.pushes.map((push) => push.token).sort(), tokens.sort());
  assert.is(sandbox.counts.refused, 0);
}

for (const route of ROUTES) {
  test(`${route}: a push whose event has expired while it waited for its turn is not sent`, () =>
    onTheWay(route, { devices: 2, inFlight: 1 }, async (scene) => {
      const expired = { ...scene, batch: aBatch({ route, targets: scene.batch.targets, ttlMs: 0 }) };
      await check(expired, scene.provider.send(expired.batch), ['recalled', 'recalled']);
    }));

  test(`${route}: a push that is recalled while it waits for its turn is not sent`, () =>
    onTheWay(route, { devices: 4, inFlight: 1 }, async (scene) => {
      const sending = scene.provider.send(scene.batch);
      recall(scene.batch, 1, 3);
      await check(scene, sending, ['accepted', 'recalled', 'accepted', 'recalled']);
    }));

  test(`${route}: pushes that are recalled while their connections are made are not sent, the others are`, () =>
    onTheWay(route, { devices: 4 }, async (scene) => {
      const { proxy, provider, batch } = scene;
      proxy.hold();
      const sending = provider.send(batch);
      await until(
        'the connections',
        () => proxy.connections === (route === 'apns_production' ? 1 : 4) || proxy.connections,
      );
      recall(batch, 0, 2);
      proxy.release();
      await check(scene, sending, ['recalled', 'accepted', 'recalled', 'accepted']);
    }));

  test(`${route}: a push whose request was written when it was recalled ends with its answer`, () =>
    onTheWay(route, { devices: 1 }, async (scene) => {
      const { sandbox, provider, batch } = scene;
      sandbox.behave({ match: {}, answer: { kind: 'accept', afterMs: 200 } });
      const sending = provider.send(batch);
      await untilIs('the request', () => sandbox.counts.accepted, 1);
      recall(batch, 0);
      await check(scene, sending, ['accepted']);
    }));
}

test('fcm: a push that is recalled while the access token is fetched is not sent', () =>
  onTheWay('fcm', { devices: 2 }, async (scene) => {
    const sending = scene.provider.send(scene.batch);
    recall(scene.batch, 1);
    await check(scene, sending, ['accepted', 'recalled']);
    assert.is(scene.proxy.connections, 1);
  }));

test('fcm: a push that has timed out while its connection was made is not sent when that stands', () =>
  onTheWay('fcm', { devices: 2, deadlineMs: 2_000 }, async ({ sandbox, proxy, provider, batch: { targets } }) => {
    const [late, next] = targets.map((target) => aBatch({ route: 'fcm', targets: [target] }));
    assert.ok(late && next);
    sandbox.behave({ match: { endpoint: 'oauth' }, answer: { kind: 'accept', afterMs: 1_000 } });
    proxy.hold();
    const [sent] = await provider.send(late);
    assert.equal(sent?.outcome, { kind: 'deferred', pace: 'fault', reason: 'timeout' });
    proxy.release();
    assert.is((await provider.send(next))[0]?.outcome.kind, 'accepted');
    assertEach(
      sandbox.pushes,
      ({ token }) => token,
      next.targets.map(({ token }) => token),
    );
  }));

test('apns: a connection that was not used because its push was revoked is used by the next batch', () =>
  onTheWay('apns_production', { devices: 1 }, async (scene) => {
    const { proxy, provider, batch } = scene;
    proxy.hold();
    const sending = provider.send(batch);
    await untilIs('the connection', () => proxy.connections, 1);
    recall(batch, 0);
    proxy.release();
    await check(scene, sending, ['recalled']);
    const next = await provider.send({ ...batch, revoked: new Uint8Array(1) });
    assert.is(next[0]?.outcome.kind, 'accepted');
    assert.is(proxy.connections, 1);
  }));

test('apns: what waits for a free stream of its connection is not sent once it is recalled', () =>
  onTheWay('apns_production', { devices: 60, maxStreams: 5 }, async (scene) => {
    const { sandbox, provider, batch } = scene;
    sandbox.behave({ match: {}, answer: { kind: 'accept', afterMs: 100 } });
    const sending = provider.send(batch);
    await until('some to be sent', () => sandbox.counts.accepted > 10 || sandbox.counts.accepted);
    batch.revoked.fill(1);
    const before = sandbox.counts.accepted;
    const sent = await sending;
    const after = sandbox.counts.accepted;
    assert.ok(after <= before + 5, `${after - before} sent after they were recalled`);
    const count = (wanted: string) => sent.filter(({ outcome }) => outcome.kind === wanted).length;
    assert.equal([count('accepted'), count('recalled')], [after, 60 - after]);
  }));

test('apns: what waits until the provider takes more bytes is not sent once it is recalled', async () => {
  await using opened = new Resources();
  const sandbox = opened.add(await aSandbox());
  const targets = Array.from({ length: 120 }, (_, deviceId) =>
    aTarget({ deviceId, token: sandbox.token({ platform: 'ios' }) }),
  );
  const batch = aBatch({ event: aPushEvent({ description: 'x'.repeat(3_000) }), targets });
  const slow = opened.add(await startSlowReader((nth) => nth === 11 && batch.revoked.fill(1)));
  const { apns } = settingsOf(sandbox);
  const provider = await createClient('apns_production', {
    apns: { ...apns, ca: slow.ca, endpointProduction: slow.url },
  });
  assert.ok(provider);
  opened.add(provider);
  const sending = provider.send(batch);
  await until('some to be recalled', () => batch.revoked[0] === 1);
  slow.read();
  const sent = await sending;
  const count = (wanted: string) => sent.filter(({ outcome }) => outcome.kind === wanted).length;
  // A connection takes 64 KB, and half as much again once that has come in.
  assert.ok(slow.requests < 60, `${slow.requests} were sent`);
  assert.equal([count('accepted'), count('recalled')], [slow.requests, 120 - slow.requests]);
});

test.run();
