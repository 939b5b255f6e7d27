import { readFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openPool, type Pool, type PoolOptions } from '../../src/delivery/pool.ts';
import { settingsOf } from '../support/providers.ts';
import { aBatch, aTarget } from '../support/pushes.ts';
import { Resources } from '../support/resources.ts';
import { aSandbox } from '../support/sandbox.ts';
import { aPair } from '../support/tls-pair.ts';
import { until, untilIs } from '../support/until.ts';

const ACCEPTED = { kind: 'accepted' };
const BUSY = new URL('../support/busy-worker.js', import.meta.url);
const AT_ONCE = 4;

async function withPool(options: Partial<PoolOptions>, test: (pool: Pool) => Promise<void>): Promise<void> {
  await using opened = new Resources();
  await test(opened.add(await openPool({ settings: {}, threads: 2, ...options })));
}

/** Keeps some batches in flight until the pool has this many threads. Returns their outcomes. */
async function sendUntil(threads: number, pool: Pool, batch: () => ReturnType<typeof aBatch>) {
  const sent: unknown[] = [];
  let isOver = false;
  const sending = Array.from({ length: AT_ONCE }, async () => {
    while (!isOver) sent.push(...(await pool.send(batch())).map(({ outcome }) => outcome));
  });
  await untilIs('the threads', () => pool.stats.threads, threads).finally(() => {
    isOver = true;
  });
  await Promise.all(sending);
  return sent;
}

test('one thread starts with the pool, and sends alone while it can', () =>
  withPool({ worker: BUSY }, async (pool) => {
    for (let sent = 0; sent < 10; sent += 1) await pool.send(aBatch());
    assert.is(pool.stats.threads, 1);
  }));

test('a further thread starts once the first one works all the time, and ends after a while without batches', () =>
  withPool({ worker: BUSY, idleMs: 200 }, async (pool) => {
    const outcomes = await sendUntil(2, pool, aBatch);
    assert.ok(outcomes.every((outcome) => (outcome as typeof ACCEPTED).kind === 'accepted'));
    await untilIs('the further thread to end', () => pool.stats.threads, 1);
    assert.ok(await pool.isAlive(), 'the last one stays');
  }));

test('a further thread starts if pushes wait for a slow provider, and each is delivered once', async () => {
  await using opened = new Resources();
  const sandbox = opened.add(await aSandbox());
  const slow = () => aTarget({ token: sandbox.token({ platform: 'ios', behaviour: 'slow', parameter: 50 }) });
  await withPool({ settings: settingsOf(sandbox), limits: { inFlight: 1 } }, async (pool) => {
    const outcomes = await sendUntil(2, pool, () => aBatch({ targets: [slow()] }));
    assert.ok(outcomes.every((outcome) => (outcome as typeof ACCEPTED).kind === 'accepted'));
    assert.is(sandbox.counts.accepted, outcomes.length);
  });
});

test('pushes that are sent while threads end and start again are delivered once', async () => {
  await using opened = new Resources();
  const sandbox = opened.add(await aSandbox());
  const slow = () => aTarget({ token: sandbox.token({ platform: 'ios', behaviour: 'slow', parameter: 20 }) });
  // Shorter than the time between two batches of the further thread, so that it ends while batches come.
  await withPool({ settings: settingsOf(sandbox), limits: { inFlight: 1 }, idleMs: 1 }, async (pool) => {
    let sent = 0;
    for (let round = 0; round < 3; round += 1) {
      sent += (await sendUntil(2, pool, () => aBatch({ targets: [slow()] }))).length;
      await until('the further thread to end', async () => {
        const outcomes = await pool.send(aBatch({ targets: [slow()] }));
        assert.equal(
          outcomes.map(({ outcome }) => outcome),
          [ACCEPTED],
        );
        sent += 1;
        return pool.stats.threads === 1;
      });
    }
    assert.is(sandbox.counts.accepted, sent);
    assert.is(new Set(sandbox.pushes.map(({ token }) => token)).size, sent);
  });
});

test('a further thread that dies loses its own batches alone, and another one takes the next', () =>
  withPool({ worker: BUSY }, async (pool) => {
    await sendUntil(2, pool, aBatch);
    const die = aBatch();
    const [event] = die.events;
    if (event === undefined) throw new Error('a batch without an event');
    const dying = aBatch({ event: { ...event.event, title: 'die' } });
    assert.equal(
      (await pool.send(dying)).map(({ outcome }) => outcome.kind),
      ['deferred'],
    );
    assert.is(pool.stats.threads, 1);
    assert.equal(
      (await pool.send(aBatch())).map(({ outcome }) => outcome),
      [ACCEPTED],
    );
    await sendUntil(2, pool, aBatch);
  }));

test('a thread that ends takes leave of its provider', async () => {
  await using opened = new Resources();
  const sandbox = opened.add(await aSandbox());
  const { ca, files } = await aPair();
  const farewells: number[] = [];
  const server = createSecureServer({ cert: readFileSync(files.cert), key: readFileSync(files.key) });
  server.on('session', (session) => session.on('goaway', (code) => farewells.push(code)));
  server.on('stream', (stream) => {
    stream.respond({ ':status': 200 });
    stream.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.onEnd(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const endpointProduction = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = { apns: { ...settingsOf(sandbox).apns, endpointProduction, ca } };
  await withPool({ settings, threads: 1 }, async (pool) => {
    assert.equal(
      (await pool.send(aBatch({ targets: [aTarget()] }))).map(({ outcome }) => outcome),
      [ACCEPTED],
    );
    await pool.reload({});
    await untilIs('the goodbye', () => farewells.length, 1);
    assert.equal(farewells, [0]);
  });
});

test.run();
