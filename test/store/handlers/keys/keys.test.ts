import * as assert from 'uvu/assert';
import type { IssueKeyArgs, RotateKeyArgs } from '../../../../src/store/calls.ts';
import { conformance } from '../../../support/engines.ts';
import { granted, refused } from '../../../support/refusals.ts';
import type { Timed } from '../../../support/store.ts';
import { aWorld, HOUR_MS, NOW_MS, type World } from '../../../support/world.ts';

const HASH = 'ab'.repeat(32);
const DAY_MS = 24 * HOUR_MS;
const OTHER_HASH = 'cd'.repeat(32);

const { test, it, run } = conformance('keys', aWorld);

it('an issued key is found by its id, with all that is needed to judge it', async (world) => {
  await issue(world, {
    id: 'first',
    burstPerMinute: 5,
    deliveryUrgency: 'time_sensitive',
    expires: { atMs: NOW_MS + HOUR_MS },
    scopes: ['events:write', 'events:read'],
  });
  assert.equal(await world.calls.findKey({ id: 'first' }), {
    id: 'first',
    workspaceId: world.workspaceId,
    boundKeyId: null,
    origin: 'first',
    onlyChannel: null,
    workspaceStatus: 'active',
    secretHash: HASH,
    scopes: ['events:write', 'events:read'],
    burstPerMinute: 5,
    defaults: { delivery_urgency: 'time_sensitive' },
    expiresAtMs: NOW_MS + HOUR_MS,
    revokedAtMs: null,
  });
  assert.is(await world.calls.findKey({ id: 'second' }), null);
});

test('a key that is bound to exactly one channel is found with its slug', async (engine) => {
  const world = await aWorld({ engine, channels: ['alerts', 'builds'] });
  await issue(world, { id: 'one', channels: ['builds'] });
  await issue(world, { id: 'two', channels: ['alerts', 'builds'] });
  const channelOf = async (id: string) => (await world.calls.findKey({ id }))?.onlyChannel;
  assert.equal([await channelOf('one'), await channelOf('two')], ['builds', null]);
  granted(await world.calls.deleteChannel({ workspace: 'acme', slug: 'builds' }));
  assert.equal([await channelOf('one'), await channelOf('two')], [null, 'alerts']);
});

it('a revoked key of a suspended workspace is still found, so that a wrong secret is told apart', async (world) => {
  await issue(world, { id: 'first' });
  await world.calls.revokeKey({ id: 'first' });
  await world.calls.setWorkspaceStatus({ slug: 'acme', status: 'suspended' });
  const key = await world.calls.findKey({ id: 'first' });
  assert.is(key?.revokedAtMs, NOW_MS);
  assert.is(key?.workspaceStatus, 'suspended');
});

it('revoking a key again keeps the first time', async (world) => {
  await issue(world, { id: 'first' });
  assert.is(granted(await world.calls.revokeKey({ id: 'first' })).status, 'revoked');
  granted(await world.calls.revokeKey({ id: 'first', wallMs: NOW_MS + 1 }));
  assert.is((await world.calls.findKey({ id: 'first' }))?.revokedAtMs, NOW_MS);
});

it('a rotated key has the terms of the old one, and the old one works for the grace time', async (world) => {
  await issue(world, { id: 'old', name: 'CI', burstPerMinute: 5, level: 'error' });
  assert.equal(granted(await rotate(world, 'old', 24 * HOUR_MS)).api_key, {
    id: 'new',
    name: 'CI',
    scopes: ['events:write'],
    channels: null,
    status: 'active',
    burst_per_minute: 5,
    level: 'error',
    delivery_urgency: null,
    created_at: '2026-11-21T09:30:00.123+00:00',
    expires_at: null,
    last_used_at: null,
    successor: null,
  });
  const keys = granted(await world.calls.listKeys({ workspace: 'acme' }));
  assert.is(keys.find(({ id }) => id === 'old')?.successor, 'new');
  assert.is((await world.calls.findKey({ id: 'old' }))?.expiresAtMs, NOW_MS + 24 * HOUR_MS);
  assert.is((await world.calls.findKey({ id: 'new' }))?.secretHash, OTHER_HASH);
});

it('a successor lives as long from now as the old key was given at its issue, or as long as is asked for', async (world) => {
  const issuedAtMs = NOW_MS - 89 * DAY_MS;
  await issue(world, { id: 'old', wallMs: issuedAtMs, expires: { atMs: issuedAtMs + 90 * DAY_MS } });
  granted(await rotate(world, 'old', DAY_MS));
  assert.is(await expiryOf(world, 'new'), NOW_MS + 90 * DAY_MS);
  granted(await rotate(world, 'old', DAY_MS, { newId: 'newer', again: true }));
  assert.is(await expiryOf(world, 'newer'), NOW_MS + 90 * DAY_MS);
  granted(await rotate(world, 'newer', DAY_MS, { newId: 'newest', expires: { atMs: NOW_MS + HOUR_MS } }));
  assert.is(await expiryOf(world, 'newest'), NOW_MS + HOUR_MS);
  assert.is(
    refused(await rotate(world, 'newest', 0, { newId: 'dead', expires: { atMs: NOW_MS } })).detail?.field,
    'expires_at',
  );
});

it('no key expires later than a timestamp can say', async (world) => {
  const latestMs = Date.parse('9999-12-31T23:59:59.999Z');
  await issue(world, { id: 'old', expires: { atMs: latestMs } });
  const later = { wallMs: NOW_MS + DAY_MS };
  granted(await world.calls.rotateKey({ id: 'old', newId: 'new', secretHash: OTHER_HASH, graceMs: DAY_MS, ...later }));
  assert.is(await expiryOf(world, 'new'), latestMs);
  await issue(world, { id: 'far', expires: { afterMs: 9_000_000 * DAY_MS } });
  assert.is(await expiryOf(world, 'far'), latestMs);
});

it('to rotate a key whose successor works is a conflict that names that one, unless it shall be replaced', async (world) => {
  await issue(world, { id: 'old' });
  granted(await rotate(world, 'old', DAY_MS));
  const conflict = refused(await rotate(world, 'old', DAY_MS, { newId: 'second' }));
  assert.is(conflict.refused, 'conflict');
  assert.match(conflict.message, '"new"');
  assert.is(await world.calls.findKey({ id: 'second' }), null);
  granted(await rotate(world, 'old', DAY_MS, { newId: 'second', again: true }));
  assert.is((await world.calls.findKey({ id: 'new' }))?.revokedAtMs, NOW_MS);
  assert.match(refused(await rotate(world, 'old', DAY_MS, { newId: 'third' })).message, '"second"');
  await world.calls.revokeKey({ id: 'second' });
  assert.is(granted(await rotate(world, 'old', DAY_MS, { newId: 'third' })).api_key.status, 'active');
});

it('rotation never lets an old key live longer than before', async (world) => {
  await issue(world, { id: 'old', expires: { atMs: NOW_MS + HOUR_MS } });
  granted(await rotate(world, 'old', 24 * HOUR_MS));
  assert.is((await world.calls.findKey({ id: 'old' }))?.expiresAtMs, NOW_MS + HOUR_MS);
});

it('a revoked, an expired and an unknown key cannot be rotated', async (world) => {
  await issue(world, { id: 'revoked' });
  await issue(world, { id: 'expired', wallMs: NOW_MS - 2, expires: { atMs: NOW_MS - 1 } });
  await world.calls.revokeKey({ id: 'revoked' });
  assert.match(refused(await rotate(world, 'revoked', 0)).message, 'has been revoked');
  assert.match(refused(await rotate(world, 'expired', 0)).message, 'has expired');
  assert.is(refused(await rotate(world, 'unknown', 0)).refused, 'not_found');
  assert.is(await world.calls.findKey({ id: 'new' }), null);
});

it('a key expires at the very millisecond of its expiry', async (world) => {
  await issue(world, { id: 'first', expires: { atMs: NOW_MS + 1 } });
  const statusAt = async (wallMs: number) =>
    granted(await world.calls.listKeys({ workspace: 'acme', wallMs }))[0]?.status;
  assert.is(await statusAt(NOW_MS), 'active');
  assert.is(await statusAt(NOW_MS + 1), 'expired');
});

it('the last use of a key only moves forward', async (world) => {
  await issue(world, { id: 'first' });
  await world.calls.touchKey({ id: 'first' });
  await world.calls.touchKey({ id: 'first', wallMs: NOW_MS - HOUR_MS });
  const [key] = granted(await world.calls.listKeys({ workspace: 'acme' }));
  assert.is(key?.last_used_at, '2026-11-21T09:30:00.123+00:00');
});

it('a fault of a new key is reported for its field', async ({ calls }) => {
  for (const [field, wrong] of [
    ['name', { name: ' ' }],
    ['scopes', { scopes: [] }],
    ['burst_per_minute', { burstPerMinute: 0 }],
    ['burst_per_minute', { burstPerMinute: 1.5 }],
    ['expires_at', { expires: { atMs: NOW_MS } }],
  ] as const) {
    const answer = refused(await calls.issueKey(keyArgs(wrong)));
    assert.equal([answer.refused, answer.detail?.field], ['invalid', field]);
  }
  assert.equal(await calls.listKeys({ workspace: 'acme' }), []);
});

it('the connection test shows the workspace with its usage, and the key without its hash', async (world) => {
  await issue(world, { id: 'first', name: 'CI' });
  assert.equal(await world.calls.describeConnection({ keyId: 'first' }), {
    workspace: {
      slug: 'acme',
      name: 'acme',
      status: 'active',
      plan: 'unlimited',
      monthly_event_allowance: null,
      events_this_month: 0,
      allowance_resets_at: '2026-12-01T00:00:00.000+00:00',
    },
    key: {
      id: 'first',
      name: 'CI',
      scopes: ['events:write'],
      channels: null,
      created_at: '2026-11-21T09:30:00.123+00:00',
      expires_at: null,
      last_used_at: null,
    },
  });
  assert.is(await world.calls.describeConnection({ keyId: 'gone' }), null);
});

run();

function keyArgs(with_: Partial<Timed<IssueKeyArgs>>): Timed<IssueKeyArgs> {
  return { workspace: 'acme', id: 'first', secretHash: HASH, scopes: ['events:write'], ...with_ };
}

async function issue({ calls }: World, with_: Partial<Timed<IssueKeyArgs>>): Promise<void> {
  granted(await calls.issueKey(keyArgs(with_)));
}

function rotate({ calls }: World, id: string, graceMs: number, with_: Partial<RotateKeyArgs> = {}) {
  return calls.rotateKey({ id, newId: 'new', secretHash: OTHER_HASH, graceMs, ...with_ });
}

async function expiryOf({ calls }: World, id: string): Promise<number | null | undefined> {
  return (await calls.findKey({ id }))?.expiresAtMs;
}
