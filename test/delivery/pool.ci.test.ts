import { isDeepStrictEqual } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openPool, type Pool, type PoolOptions } from '../../src/delivery/pool.ts';
import { createSender } from '../../src/delivery/worker.ts';
import { Lease, thisInstant } from '../../src/process/clock.ts';
import { type ErrorTrace, OperatorProblem } from '../../src/process/problem.ts';
import type { Sent } from '../../src/push.ts';
import { assertEach } from '../support/assert-each.ts';
import { settingsOf } from '../support/providers.ts';
import { aBatch, aPushEvent, aTarget } from '../support/pushes.ts';
import { Resources } from '../support/resources.ts';
import { aSandbox } from '../support/sandbox.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { until, untilIs } from '../support/until.ts';

const ACCEPTED = { kind: 'accepted' };
const LOST = { kind: 'deferred', pace: 'fault', reason: 'worker_lost' };
const DYING = new URL('../support/dying-worker.js', import.meta.url);

const outcomesOf = (sent: readonly Sent[]) => sent.map(({ outcome }) => outcome);
const doing = (title: string) =>
  aBatch({ event: aPushEvent({ title }), targets: [aTarget({ deviceId: 1 }), aTarget({ deviceId: 2 })] });

async function withPool(options: Partial<PoolOptions>, test: (pool: Pool) => Promise<void>): Promise<void> {
  await using opened = new Resources();
  await test(opened.add(await openPool({ settings: {}, threads: 1, ...options })));
}

/** A sandbox whose APNs is reached by a proxy, which can hold it back. */
async function behindAProxy(opened: Resources) {
  const sandbox = opened.add(await aSandbox());
  const { apns, fcm } = settingsOf(sandbox);
  const proxy = opened.add(await startTcpProxy(apns.endpointProduction));
  return { sandbox, proxy, settings: { apns: { ...apns, endpointProduction: proxy.url }, fcm } };
}

test('batches for every route go through the threads to the providers', async () => {
  await using opened = new Resources();
  const sandbox = opened.add(await aSandbox());
  await withPool({ settings: settingsOf(sandbox), threads: 2 }, async (pool) => {
    const tokens = {
      apns_production: sandbox.token({ platform: 'ios' }),
      apns_sandbox: sandbox.token({ platform: 'ios', environment: 'sandbox' }),
      fcm: sandbox.token({ platform: 'android' }),
    } as const;
    for (const route of ['apns_production', 'apns_sandbox', 'fcm'] as const) {
      const sent = await pool.send(aBatch({ route, targets: [aTarget({ deviceId: 7, token: tokens[route] })] }));
      assert.equal(sent, [{ index: 0, deviceId: 7, outcome: ACCEPTED, fitted: false }]);
      assert.is((await sandbox.waitForPush((push) => push.token === tokens[route])).endpoint, route);
    }
  });
});

test('the error for a thread that does not start in time says what was waited for, and what to do', async () => {
  const worker = new URL('../support/silent-worker.js', import.meta.url);
  const failure = await openPool({ settings: {}, threads: 2, worker, startDeadlineMs: 1_000 }).catch((error) => error);
  assert.instance(failure, OperatorProblem);
  assert.match(
    failure.message,
    /^the delivery thread did not start within 1 seconds\. The machine is overloaded or short of memory/,
  );
});

test('a batch for a provider that is off is unauthorized', () =>
  withPool({}, async (pool) => {
    assert.equal(outcomesOf(await pool.send(aBatch())), [{ kind: 'unauthorized', reason: 'provider_off' }]);
  }));

test('new settings hold from the next batch on', async () => {
  await using opened = new Resources();
  const sandbox = opened.add(await aSandbox());
  const targets = [aTarget({ token: sandbox.token({ platform: 'ios' }) })];
  await withPool({}, async (pool) => {
    await pool.reload(settingsOf(sandbox));
    assert.equal(outcomesOf(await pool.send(aBatch({ targets }))), [ACCEPTED]);
  });
});

test('a batch in flight ends on the old threads while new settings come', async () => {
  await using opened = new Resources();
  const sandbox = opened.add(await aSandbox());
  const slow = aTarget({ token: sandbox.token({ platform: 'ios', behaviour: 'slow', parameter: 300 }) });
  await withPool({ settings: settingsOf(sandbox) }, async (pool) => {
    const sending = pool.send(aBatch({ targets: [slow] }));
    await pool.reload({});
    assert.equal(outcomesOf(await sending), [ACCEPTED]);
    assert.equal(outcomesOf(await pool.send(aBatch())), [{ kind: 'unauthorized', reason: 'provider_off' }]);
  });
});

test('the pool says that it is alive, however many batches wait for a slow provider', async () => {
  await using opened = new Resources();
  const { sandbox, proxy, settings } = await behindAProxy(opened);
  const targets = [aTarget({ token: sandbox.token({ platform: 'ios' }) })];
  await withPool({ settings }, async (pool) => {
    proxy.hold();
    let sent = 0;
    const sending = Array.from({ length: pool.stats.capacity }, async () => {
      await pool.send(aBatch({ targets }));
      sent++;
    });
    assert.ok(await pool.isAlive());
    assert.is(sent, 0);
    proxy.release();
    await Promise.all(sending);
  });
});

test('a push that is recalled while a thread holds it is not sent', async () => {
  await using opened = new Resources();
  const { sandbox, proxy, settings } = await behindAProxy(opened);
  const targets = [1, 2, 3].map((deviceId) => aTarget({ deviceId, token: sandbox.token({ platform: 'ios' }) }));
  const revoked = new Uint8Array(new SharedArrayBuffer(3));
  await withPool({ settings, limits: { inFlight: 1 } }, async (pool) => {
    proxy.hold();
    const sending = pool.send(aBatch({ targets, revoked }));
    await untilIs('the thread to connect', () => proxy.connections, 1);
    Atomics.store(revoked, 1, 1);
    proxy.release();
    assert.equal(outcomesOf(await sending), [ACCEPTED, { kind: 'recalled', reason: 'recalled' }, ACCEPTED]);
    assert.is(sandbox.counts.accepted, 2);
  });
});

test('no push that a thread holds is sent once the lease of this process is over', async () => {
  await using opened = new Resources();
  const { sandbox, proxy, settings } = await behindAProxy(opened);
  const target = () => aTarget({ token: sandbox.token({ platform: 'ios' }) });
  const lease = new Lease();
  lease.renew(thisInstant(), 3_600_000);
  const { end: leaseEnd } = lease;
  await withPool({ settings }, async (pool) => {
    proxy.hold();
    const sending = pool.send(aBatch({ targets: [target(), target()], leaseEnd }));
    await untilIs('the thread to connect', () => proxy.connections, 1);
    lease.giveUp();
    proxy.release();
    const recalled = { kind: 'recalled', reason: 'recalled' };
    assert.equal(outcomesOf(await sending), [recalled, recalled]);
    assert.is(sandbox.counts.accepted, 0);
    lease.renew(thisInstant(), 3_600_000);
    assert.equal(outcomesOf(await pool.send(aBatch({ targets: [target()], leaseEnd }))), [ACCEPTED]);
  });
});

test('closing waits for the batches in flight', async () => {
  await using opened = new Resources();
  const sandbox = opened.add(await aSandbox());
  const slow = aTarget({ token: sandbox.token({ platform: 'ios', behaviour: 'slow', parameter: 300 }) });
  const pool = opened.add(await openPool({ settings: settingsOf(sandbox), threads: 1 }));
  const sending = pool.send(aBatch({ targets: [slow] }));
  assert.is(pool.stats.inFlight, 1);
  await pool.close();
  assert.is(pool.stats.inFlight, 0);
  assert.equal(outcomesOf(await sending), [ACCEPTED]);
});

test('closing waits for new threads that are being started, and ends them too', () =>
  withPool({}, async (pool) => {
    let isReloaded = false;
    const reloading = pool.reload({}).then(() => {
      isReloaded = true;
    });
    await pool.close();
    assert.ok(isReloaded);
    await reloading;
  }));

test('a thread that dies makes its batches uncertain and is replaced', () =>
  withPool({ worker: DYING }, async (pool) => {
    assert.equal(outcomesOf(await pool.send(doing('die'))), [LOST, LOST]);
    assert.equal(outcomesOf(await pool.send(doing('work'))), [ACCEPTED, ACCEPTED]);
  }));

test('a thread that dies again and again is replaced each time', () =>
  withPool({ worker: DYING, threads: 2 }, async (pool) => {
    for (let round = 0; round < 5; round++) {
      const deaths = await Promise.all([pool.send(doing('die')), pool.send(doing('die'))]);
      assert.equal(deaths.map(outcomesOf), [
        [LOST, LOST],
        [LOST, LOST],
      ]);
      assert.equal(outcomesOf(await pool.send(doing('work'))), [ACCEPTED, ACCEPTED]);
    }
  }));

test('an error in a thread makes only its batch uncertain, and is reported without its message', async () => {
  const errors: ErrorTrace[] = [];
  await withPool({ worker: DYING, onError: (error) => errors.push(error) }, async (pool) => {
    const [thrown, worked] = await Promise.all([pool.send(doing('throw')), pool.send(doing('work'))]);
    assert.equal(outcomesOf(thrown), [LOST, LOST]);
    assert.equal(outcomesOf(worked), [ACCEPTED, ACCEPTED]);
  });
  assertEach(errors, ({ name }) => name, ['Error']);
  assert.not.match(JSON.stringify(errors), 'a bug');
});

for (const title of ['hang', 'wedge']) {
  test(`a thread that does not answer (${title}) is given up at the deadline and replaced`, () =>
    withPool({ worker: DYING, deadlineMs: 300 }, async (pool) => {
      const batch = doing(title);
      assert.equal(outcomesOf(await pool.send(batch)), [LOST, LOST]);
      assert.equal([...batch.revoked], [1, 1], 'the thread would send nothing more of it');
      await until('the thread in its place accepts both', async () => {
        const outcomes = outcomesOf(await pool.send(doing('work')));
        return isDeepStrictEqual(outcomes, [ACCEPTED, ACCEPTED]) || outcomes;
      });
    }));
}

test('the open connections of all threads are counted by route, and those of an ended thread are not', async () => {
  await using opened = new Resources();
  const sandbox = opened.add(await aSandbox());
  const target = () => aTarget({ token: sandbox.token({ platform: 'ios', behaviour: 'slow', parameter: 50 }) });
  await withPool({ settings: settingsOf(sandbox), threads: 2, limits: { inFlight: 1 } }, async (pool) => {
    assert.is(pool.connections('apns_production'), 0);
    await until('a connection a thread', async () => {
      await Promise.all(Array.from({ length: 8 }, () => pool.send(aBatch({ targets: [target()] }))));
      return pool.connections('apns_production') === 2;
    });
    assert.is(pool.connections('fcm'), 0);
    await pool.reload({});
    await untilIs('the old threads have ended', () => pool.connections('apns_production'), 0);
  });
});

test('threads that cannot load their module fail the start, not the first batch', async () => {
  const worker = new URL('./no-such-worker.js', import.meta.url);
  const problem = await openPool({ settings: {}, threads: 1, worker }).catch((error: unknown) => error);
  assert.instance(problem, Error);
});

test('an error inside a provider is an outcome of its batch', async () => {
  const broken = () => {
    throw new Error('a bug');
  };
  const errors: unknown[] = [];
  const listeners = { onEarly: () => {}, onError: (error: unknown) => errors.push(error) };
  const { send } = createSender({ settings: {}, limits: {} }, listeners, broken);
  assert.equal(outcomesOf(await send(aBatch())), [{ kind: 'deferred', pace: 'fault', reason: 'internal_error' }]);
  assert.is((errors[0] as Error).message, 'a bug');
});

test.run();
