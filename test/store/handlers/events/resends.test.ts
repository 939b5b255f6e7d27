import { v7 } from 'uuid';
import * as assert from 'uvu/assert';
import { ADA } from '../../../support/cast.ts';
import { conformance } from '../../../support/engines.ts';
import { claim, countsOf, settle } from '../../../support/queue.ts';
import { granted, refused } from '../../../support/refusals.ts';
import { at, expire, sendAll, settleEach } from '../../../support/resends.ts';
import { aWorld, NOW_MS } from '../../../support/world.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const FAILED = { state: 'failed', reason: 'PayloadEmpty' } as const;
const { test, onSqlite, run } = conformance('resending an event');

test('a failed push is sent again to its device, and an accepted push is not', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 2 } });
  const [good, bad] = store.devices;
  const publicId = await store.post();
  await settleEach(store, [{ state: 'accepted' }, FAILED]);
  const { event, ...answer } = granted(await store.calls.resendEvent({ publicId, ...at(HOUR_MS) }));
  assert.equal(answer, { resent: 1, done: true, links: 'none' });
  assert.equal([event.deliveries.accepted, event.deliveries.failed, event.deliveries.pending], [1, 0, 1]);
  const again = await claim(store, { atMs: NOW_MS + HOUR_MS });
  assert.equal(
    again.flatMap(({ targets }) => targets.map(({ attempts }) => attempts)),
    [1],
  );
  for (const batch of again) await settle(store, batch, { state: 'accepted' }, NOW_MS + HOUR_MS);
  assert.equal([(await countsOf(store, publicId)).accepted, (await countsOf(store, publicId)).pending], [2, 0]);
  const { deliveries } = granted(await store.calls.showEvent({ publicId, limit: 9 }));
  assert.equal(
    deliveries.map(({ device_id, attempts }) => [device_id, attempts.map(({ reason }) => reason)]),
    [
      [good, [null]],
      [bad, ['PayloadEmpty', null]],
    ],
  );
});

test('an expired push is sent again on all routes, tried or not, for as long as an event lives', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 3, android: 2 } });
  const publicId = await store.post();
  const [batch] = await claim(store, { limit: 1 });
  if (batch) await settle(store, batch, { state: 'pending', reason: 'timeout', retryInMs: 0, spent: true });
  assert.is(await expire(store, DAY_MS), 1);
  assert.is((await countsOf(store, publicId)).expired, 5);
  assert.is(granted(await store.calls.resendEvent({ publicId, ...at(DAY_MS) })).resent, 5);
  assert.equal([await sendAll(store, 'apns_production', DAY_MS), await sendAll(store, 'fcm', DAY_MS)], [3, 2]);
  assert.equal([(await countsOf(store, publicId)).accepted, (await countsOf(store, publicId)).expired], [5, 0]);
});

test('it expires again if it is not sent within its new life', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 1 } });
  const publicId = await store.post({ expiresInS: 3_600 });
  await expire(store, HOUR_MS);
  granted(await store.calls.resendEvent({ publicId, ...at(5 * HOUR_MS) }));
  assert.equal([await expire(store, 6 * HOUR_MS - 1), await expire(store, 6 * HOUR_MS)], [0, 1]);
  assert.is((await countsOf(store, publicId)).expired, 1);
});

onSqlite('a person without the right to it any more is left out, and stays counted as before', async () => {
  const store = await aWorld({ devices: { ios: 4 } });
  const [, silent, removed, left] = store.devices;
  const publicId = await store.post();
  await settleEach(store, [FAILED, FAILED, FAILED, FAILED]);
  store.db.prepare(`UPDATE device SET status = 'inactive' WHERE public_id = ?`).run(silent);
  granted(await store.calls.removeDevice({ id: removed ?? '' }));
  const listening = { userId: 1, deviceId: left ?? '', workspace: 'acme', channel: 'alerts' };
  granted(await store.calls.unsubscribe(listening));
  granted(await store.calls.subscribe(listening));
  assert.is(granted(await store.calls.resendEvent({ publicId, ...at(0) })).resent, 1);
  assert.equal([(await countsOf(store, publicId)).failed, (await countsOf(store, publicId)).pending], [3, 1]);
});

test('a later subscriber gets nothing of the event, also if it expired', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 1 } });
  const publicId = await store.post();
  await expire(store, DAY_MS);
  const late = { workspace: 'acme', email: ADA, platform: 'ios', token: 'ef'.repeat(32) } as const;
  granted(await store.calls.addDevice({ ...late, subscribe: ['alerts'], ...at(DAY_MS) }));
  assert.is(granted(await store.calls.resendEvent({ publicId, ...at(DAY_MS) })).resent, 1);
});

test('many come back step by step, and after a crash the housekeeping goes on with it, to each of them once', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 500 } });
  const publicId = await store.post();
  for (const batch of await claim(store)) await settle(store, batch, FAILED);
  const begun = granted(await store.calls.resendEvent({ publicId, ...at(0) }));
  assert.equal([begun.resent, begun.done], [200, false]);
  const crashed = await store.restart();
  for (let done = false; !done; ) ({ done } = await crashed.calls.pruneStep(at(0)));
  const { event } = granted(await crashed.calls.showEvent({ publicId, limit: 1 }));
  assert.equal([event.resent?.pushes, event.deliveries.pending, event.deliveries.failed], [500, 500, 0]);
  const { done, resent } = granted(await crashed.calls.continueResend({ publicId, ...at(0) }));
  assert.equal([done, resent, await sendAll(crashed, 'apns_production', 0)], [true, 500, 500]);
});

test('many that expired before their first try come back as well', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 300, sandbox: 150 } });
  const publicId = await store.post();
  await expire(store, DAY_MS);
  granted(await store.calls.resendEvent({ publicId, ...at(DAY_MS) }));
  for (let done = false; !done; ) ({ done } = granted(await store.calls.continueResend({ publicId, ...at(DAY_MS) })));
  assert.equal(
    [await sendAll(store, 'apns_production', DAY_MS), await sendAll(store, 'apns_sandbox', DAY_MS)],
    [300, 150],
  );
  assert.is((await countsOf(store, publicId)).accepted, 450);
});

test('while it goes on, a new failure does not come back a second time', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 300 } });
  const publicId = await store.post();
  for (const batch of await claim(store)) await settle(store, batch, FAILED);
  granted(await store.calls.resendEvent({ publicId, ...at(0) }));
  for (const batch of await claim(store)) await settle(store, batch, FAILED);
  assert.is(granted(await store.calls.continueResend({ publicId, ...at(0) })).resent, 300);
  for (const batch of await claim(store)) await settle(store, batch, FAILED);
  assert.equal([(await countsOf(store, publicId)).failed, (await countsOf(store, publicId)).pending], [300, 0]);
});

test('a cancellation ends it, and is undone by another', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 300 } });
  const publicId = await store.post();
  for (const batch of await claim(store)) await settle(store, batch, FAILED);
  granted(await store.calls.resendEvent({ publicId, ...at(0) }));
  assert.is(granted(await store.calls.cancelEvent({ publicId, ...at(0) })).withdrawn, 200);
  for (let done = false; !done; ) ({ done } = await store.calls.pruneStep(at(0)));
  assert.equal(
    [(await countsOf(store, publicId)).withdrawn, (await countsOf(store, publicId)).failed, await claim(store)],
    [200, 100, []],
  );
  granted(await store.calls.resendEvent({ publicId, ...at(0) }));
  granted(await store.calls.continueResend({ publicId, ...at(0) }));
  assert.is(await sendAll(store, 'apns_production', 0), 100);
});

test('a test push that failed is sent again', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 1 } });
  const [id = ''] = store.devices;
  const { event } = granted(await store.calls.testDevice({ id, uuid: v7(), ...at(0) }));
  for (const batch of await claim(store, { lane: 'urgent' })) await settle(store, batch, FAILED);
  assert.is(granted(await store.calls.resendEvent({ publicId: event.public_id, ...at(0) })).resent, 1);
  assert.match(
    refused(await store.calls.repostEvent({ publicId: event.public_id, uuid: v7() })).hint ?? '',
    'device test',
  );
});

test('nothing is sent again if nothing failed, the event is unknown or a cancellation is ending', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 300 } });
  const publicId = await store.post();
  assert.match(refused(await store.calls.resendEvent({ publicId, ...at(0) })).message, 'failed or expired');
  for (const batch of await claim(store)) await settle(store, batch, FAILED);
  const old = refused(await store.calls.resendEvent({ publicId, ...at(8 * DAY_MS) }));
  assert.match(`${old.message} ${old.hint}`, /older than \[retention\] deliveries.*--all/);
  granted(await store.calls.resendEvent({ publicId, ...at(0) }));
  granted(await store.calls.continueResend({ publicId, ...at(0) }));
  granted(await store.calls.cancelEvent({ publicId, ...at(0) }));
  assert.is(refused(await store.calls.resendEvent({ publicId, ...at(0) })).refused, 'busy');
  for (const unknown of ['evt_1', 'evt_01k9z3v5m8q2w4e6r8t0y2a4c6']) {
    assert.is(refused(await store.calls.resendEvent({ publicId: unknown, ...at(0) })).refused, 'not_found');
    assert.is(refused(await store.calls.repostEvent({ publicId: unknown, uuid: v7(), ...at(0) })).refused, 'not_found');
  }
});

test('if an event goes, nothing of its resending stays', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 1 } });
  const publicId = await store.post();
  await settleEach(store, [FAILED]);
  granted(await store.calls.resendEvent({ publicId, ...at(0) }));
  granted(await store.calls.deleteChannel({ workspace: 'acme', slug: 'alerts' }));
  assert.equal(
    [await store.countRows('event'), await store.countRows('resend'), await store.countRows('delivery')],
    [0, 0, 0],
  );
});

run();
