import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Clock } from '../../../src/process/clock.ts';
import { createClient } from '../../../src/providers/clients.ts';
import { concurrently } from '../../support/concurrently.ts';
import { settingsOf } from '../../support/providers.ts';
import { aBatch, aTarget } from '../../support/pushes.ts';
import { Resources } from '../../support/resources.ts';
import { aSandbox } from '../../support/sandbox.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import { untilIs } from '../../support/until.ts';

const forgotten = suite('connections that the network forgot');
const test = concurrently(forgotten);
const ACCEPTED = { kind: 'accepted' };

for (const [name, idleMs, sleptMs] of [
  ['was idle for a minute', 61_000, 0],
  ['the machine slept over', 0, 3_600_000],
] as const) {
  test(`a connection that ${name} and that the network forgot costs two seconds and no push`, async () => {
    await using opened = new Resources();
    const { clock, set, proxy, send } = await overProxy(opened);
    assert.equal(await send(1), [ACCEPTED]);
    proxy.freeze();
    set.idleMs = idleMs;
    set.sleptMs = sleptMs;
    const fromMs = clock.steadyMs();
    assert.equal(
      await send(20),
      Array.from({ length: 20 }, () => ACCEPTED),
    );
    assert.ok(clock.steadyMs() - fromMs >= 2_000, 'the PING has its time');
    assert.is(proxy.connections, 2);
  });
}

test('a connection that was idle and answers the PING is kept', async () => {
  await using opened = new Resources();
  const { set, proxy, send } = await overProxy(opened);
  await send(1);
  set.idleMs = 61_000;
  assert.equal(
    await send(5),
    Array.from({ length: 5 }, () => ACCEPTED),
  );
  assert.is(proxy.connections, 1);
});

test('if a push in a burst gets no answer for five seconds, the next ones take another connection', async () => {
  await using opened = new Resources();
  const { provider, proxy, send } = await overProxy(opened);
  await send(1);
  proxy.freeze();
  const lost = send(3);
  await untilIs('the connection is left', () => provider.connections(), 0, 5_000);
  assert.equal(await send(1), [ACCEPTED]);
  const outcome = { kind: 'deferred', pace: 'fault', reason: 'connection_lost' };
  assert.equal(await lost, [outcome, outcome, outcome], 'and what was sent over it ends once a PING got no answer');
  assert.is(proxy.connections, 2);
});

forgotten.run();

/** APNs behind a proxy, and clocks that show more time than has passed: both, or (`sleptMs`) the wall clock alone. */
async function overProxy(opened: Resources) {
  const sandbox = opened.add(await aSandbox());
  const { apns } = settingsOf(sandbox);
  const proxy = opened.add(await startTcpProxy(apns.endpointProduction));
  const set = { idleMs: 0, sleptMs: 0 };
  const clock: Clock = {
    wallMs: () => Date.now() + set.idleMs + set.sleptMs,
    steadyMs: () => Math.floor(performance.now()) + set.idleMs,
  };
  const settings = { apns: { ...apns, endpointProduction: proxy.url } };
  const provider = await createClient('apns_production', settings, { deadlineMs: 60_000 }, clock);
  if (provider === null) throw new Error('APNs is configured');
  opened.add(provider);
  const send = async (count: number) => {
    const targets = Array.from({ length: count }, () => aTarget({ token: sandbox.token({ platform: 'ios' }) }));
    return (await provider.send(aBatch({ targets }))).map(({ outcome }) => outcome);
  };
  return { clock, set, proxy, provider, send };
}
