import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../src/providers/clients.ts';
import type { Route } from '../../src/push.ts';
import { concurrently } from '../support/concurrently.ts';
import { settingsOf, withProvider } from '../support/providers.ts';
import { aBatch, aTarget } from '../support/pushes.ts';
import { Resources } from '../support/resources.ts';
import { aSandbox } from '../support/sandbox.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { untilIs } from '../support/until.ts';

const dead = suite('connections that are dead');
const test = concurrently(dead);

/** One of it is waited for; a busy machine answers well within it. */
const DEADLINE_MS = 3_000;
const ROUTES: readonly Route[] = ['apns_production', 'fcm'];

for (const route of ROUTES) {
  test(`${route}: when all connections die without a word, one push finds out for those after it`, async () => {
    await using opened = new Resources();
    const sandbox = opened.add(await aSandbox());
    const { apns, fcm } = settingsOf(sandbox);
    const proxy = opened.add(await startTcpProxy(route === 'fcm' ? fcm.endpoint : apns.endpointProduction));
    const settings = {
      apns: { ...apns, endpointProduction: proxy.url },
      fcm: { ...fcm, endpoint: proxy.url },
    };
    const provider = await createClient(route, settings, { deadlineMs: DEADLINE_MS });
    assert.ok(provider);
    opened.add(provider);
    const platform = route === 'fcm' ? 'android' : 'ios';
    const send = async (count: number) => {
      const targets = Array.from({ length: count }, () => aTarget({ token: sandbox.token({ platform }) }));
      return (await provider.send(aBatch({ route, targets }))).map(({ outcome }) => outcome);
    };

    assert.ok((await send(5)).every(({ kind }) => kind === 'accepted'));
    assert.is(proxy.connections, route === 'fcm' ? 5 : 1);
    proxy.freeze();
    assert.equal(await send(1), [{ kind: 'deferred', pace: 'fault', reason: 'timeout' }]);
    for (let i = 0; i < 5; i++) assert.equal(await send(1), [{ kind: 'accepted' }]);
  });
}

test('apns: a connection on which others are answered outlives a push that waited for its stream and got no answer', () =>
  withProvider(
    'apns_production',
    async ({ send, token }) => {
      const warmUp = await send([token()]);
      // All streams that there are.
      const first = send([token('slow', 5_000), token('slow', 5_000)]);
      const silent = send([token('silent')]);
      const answered = [...warmUp, ...(await first)];
      const later = send([token('slow', 5_750)]);
      assert.equal(
        [...answered, ...(await silent), ...(await later)].map(({ kind }) => kind),
        ['accepted', 'accepted', 'accepted', 'deferred', 'accepted'],
      );
    },
    { maxStreams: 2, deadlineMs: 10_000 },
  ));

test('apns: a push that has waited for its stream until its deadline is not sent after it', () =>
  withProvider(
    'apns_production',
    async ({ sandbox, send, token }) => {
      await send([token()]);
      // One has the only stream after the other: the second until its own deadline, which is later than that of the third.
      const [first, second, third] = [token('slow', 3_000), token('silent'), token()];
      const outcomes = await send([first, second, third]);
      assert.equal(
        outcomes.map((outcome) => 'reason' in outcome && outcome.reason),
        [false, 'timeout', 'not_sent'],
      );
      assert.is((await send([token()]))[0]?.kind, 'accepted');
      assert.not(sandbox.pushes.some((push) => push.token === third));
    },
    { maxStreams: 1, deadlineMs: 6_000 },
  ));

test('fcm: if a push gets no answer for five seconds, the next ones take other connections than the idle ones', async () => {
  await using opened = new Resources();
  const sandbox = opened.add(await aSandbox());
  const { fcm } = settingsOf(sandbox);
  const proxy = opened.add(await startTcpProxy(fcm.endpoint));
  const provider = await createClient('fcm', { fcm: { ...fcm, endpoint: proxy.url } }, { deadlineMs: 60_000 });
  assert.ok(provider);
  opened.add(provider);
  const send = async (count: number) => {
    const targets = Array.from({ length: count }, () => aTarget({ token: sandbox.token({ platform: 'android' }) }));
    return (await provider.send(aBatch({ route: 'fcm', targets }))).map(({ outcome }) => outcome);
  };
  assert.ok((await send(5)).every(({ kind }) => kind === 'accepted'));
  proxy.freeze();
  void send(1);
  await untilIs('only the one that waits is left', () => provider.connections(), 1, 5_000);
  assert.equal(
    await send(3),
    Array.from({ length: 3 }, () => ({ kind: 'accepted' })),
  );
});

dead.run();
