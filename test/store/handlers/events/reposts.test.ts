import { v7 } from 'uuid';
import * as assert from 'uvu/assert';
import { ADA } from '../../../support/cast.ts';
import { conformance } from '../../../support/engines.ts';
import { granted, refused } from '../../../support/refusals.ts';
import { at, expire, sendAll, settleEach } from '../../../support/resends.ts';
import { aWorld, NOW_MS } from '../../../support/world.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const FAILED = { state: 'failed', reason: 'PayloadEmpty' } as const;
const { test, onSqlite, run } = conformance('posting an event once more');

test('the answer says what becomes of its links', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 1, android: 1 } });
  const publicId = await store.post({ hadLinks: true });
  await settleEach(store, [FAILED]);
  assert.is(granted(await store.calls.resendEvent({ publicId, ...at(0) })).links, 'unknown');
  await expire(store, DAY_MS);
  assert.is(granted(await store.calls.resendEvent({ publicId, ...at(DAY_MS) })).links, 'lost');
  assert.is(granted(await store.calls.repostEvent({ publicId, uuid: v7(), ...at(DAY_MS) })).links, 'lost');
});

onSqlite('posted once more it is a new event, for all that are subscribed by now, and counts', async () => {
  const store = await aWorld({ devices: { ios: 1 } });
  const publicId = await store.post({
    description: 'db-1',
    collapseKey: 'disk',
    expiresInS: 60,
    occurredAtMs: NOW_MS,
    idempotencyKey: 'once',
  });
  await settleEach(store, [{ state: 'accepted' }]);
  const late = { workspace: 'acme', email: ADA, platform: 'ios', token: 'ef'.repeat(32) } as const;
  granted(await store.calls.addDevice({ ...late, subscribe: ['alerts'], ...at(0) }));
  const { event } = granted(await store.calls.repostEvent({ publicId, uuid: v7(), ...at(HOUR_MS) }));
  assert.is.not(event.public_id, publicId);
  const { title, description, collapse_key, expires_in, occurred_at, target_device_count } = event;
  assert.equal([title, description, collapse_key, expires_in], ['Disk full', 'db-1', 'disk', 60]);
  assert.is(occurred_at, '2026-11-21T09:30:00.123+00:00');
  assert.equal([target_device_count, await sendAll(store, 'apns_production', HOUR_MS)], [2, 2]);
  assert.is((await store.calls.readUsage({ workspaceId: 1 })).used, 2);
});

test('it is not posted once more if it could not be posted, and the refusal says what to do', async (engine) => {
  const store = await aWorld({ engine, devices: { ios: 1 } });
  const publicId = await store.post();
  const hint = async () => {
    const { message, hint: todo } = refused(await store.calls.repostEvent({ publicId, uuid: v7(), ...at(0) }));
    return `${message} ${todo}`;
  };
  granted(await store.calls.updateChannel({ workspace: 'acme', slug: 'alerts', status: 'inactive' }));
  assert.match(await hint(), /inactive.*pushctl channel activate acme alerts/);
  granted(await store.calls.updateChannel({ workspace: 'acme', slug: 'alerts', status: 'active' }));
  granted(await store.calls.setWorkspaceStatus({ slug: 'acme', status: 'suspended' }));
  assert.match(await hint(), /suspended.*pushctl workspace activate acme/);
  granted(await store.calls.setWorkspaceStatus({ slug: 'acme', status: 'active' }));
  granted(await store.calls.setPlan({ name: 'one', monthlyEvents: 1 }));
  granted(await store.calls.setWorkspacePlan({ slug: 'acme', plan: 'one' }));
  assert.match(await hint(), /spent its allowance.*pushctl workspace set-plan acme/);
  assert.is(await store.countRows('event'), 1);
});

run();
