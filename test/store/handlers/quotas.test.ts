import * as assert from 'uvu/assert';
import { BOB, EVE } from '../../support/cast.ts';
import { conformance } from '../../support/engines.ts';
import { idOf } from '../../support/people.ts';
import { granted, refused } from '../../support/refusals.ts';
import { someSettings } from '../../support/store.ts';
import { aDevice, tokenOf } from '../../support/workspace.ts';
import { aWorld, HOUR_MS, NOW_MS, type World } from '../../support/world.ts';

const { test, run } = conformance('caps');

test('a workspace has as many channels, members and heartbeats as the operator allows, and no more', async (engine) => {
  const world = await aWorld({ engine, ...few({ channels: 2, members: 2, heartbeats: 2 }) });
  const { calls } = world;
  granted(await calls.createChannel({ workspace: 'acme', slug: 'second' }));
  granted(await calls.addMember({ workspace: 'acme', email: BOB, role: 'member' }));
  for (const slug of ['backup', 'worker'])
    granted(await calls.createHeartbeat({ workspace: 'acme', channel: 'alerts', slug }));
  const { id: keyId } = await world.issueKey({ scopes: ['heartbeats:ping'], channels: ['alerts'] });
  for (const answer of [
    await calls.createChannel({ workspace: 'acme', slug: 'third' }),
    await calls.addMember({ workspace: 'acme', email: EVE, role: 'member' }),
    await calls.createHeartbeat({ workspace: 'acme', channel: 'alerts', slug: 'third' }),
    await calls.addNamedHeartbeat({ workspaceId: world.workspaceId, keyId, origin: keyId, slug: 'third' }),
  ]) {
    assert.is(refused(answer).refused, 'conflict');
    assert.match(refused(answer).message, /already has 2 (channels|members|heartbeats)/);
    assert.match(refused(answer).hint ?? '', /limits\.(channels|members|heartbeats)/);
  }
  assert.is(await world.countRows('person'), 2);
  await world.addWorkspace('umbrella');
  granted(await calls.createChannel({ workspace: 'umbrella', slug: 'third' }));
});

test('a new key takes the place of the oldest that no longer works, and there are never more than allowed', async (engine) => {
  const world = await aWorld({ engine, ...few({ keys: 2 }) });
  await issue(world, 'first');
  await issue(world, 'second');
  assert.match(refused(await tryToIssue(world, 'third')).message, 'already has 2 keys');
  assert.match(refused(await rotate(world, 'second', 'third')).message, 'already has 2 keys');
  granted(await world.calls.revokeKey({ id: 'first' }));
  granted(await rotate(world, 'second', 'third'));
  const ids = granted(await world.calls.listKeys({ workspace: 'acme' })).map(({ id }) => id);
  assert.equal(ids.sort(), ['second', 'third']);
});

test('a person registers as many devices as the operator allows; the command line may add more', async (engine) => {
  const world = await aWorld({ engine, ...few({ devices: 1 }) });
  const register = async (n: number) =>
    world.calls.registerDevice({ userId: await idOf(world), platform: 'ios', token: tokenOf(n) });
  granted(await register(1));
  assert.match(refused(await register(2)).message, 'already have 1 devices');
  assert.is(granted(await register(1)).created, false, 'what is there is still updated');
  await world.addDevice(aDevice({ token: tokenOf(3) }));
  assert.is(await world.countRows('device'), 2);
});

test('no new key takes the place of one that has expired only by a clock that is set forward', async (engine) => {
  const world = await aWorld({ engine, ...few({ keys: 1 }) });
  const issueAt = (id: string, wallMs: number) => {
    const key = { workspace: 'acme', id, secretHash: 'ab'.repeat(32), scopes: ['events:write'] as const };
    return world.calls.issueKey({ ...key, expires: { atMs: wallMs + 24 * HOUR_MS }, wallMs });
  };
  await world.calls.pruneStep({ wallMs: NOW_MS });
  granted(await issueAt('first', NOW_MS));
  assert.match(refused(await issueAt('second', NOW_MS + 3_650 * 24 * HOUR_MS)).message, 'already has 1 keys');
  assert.ok(await world.calls.findKey({ id: 'first' }));
});

run();

function few(limits: Partial<ReturnType<typeof someSettings>['limits']>) {
  return { limits: { ...someSettings().limits, ...limits } };
}

function tryToIssue({ calls }: World, id: string) {
  return calls.issueKey({ workspace: 'acme', id, secretHash: 'ab'.repeat(32), scopes: ['events:write'] });
}

async function issue(world: World, id: string): Promise<void> {
  granted(await tryToIssue(world, id));
}

function rotate({ calls }: World, id: string, newId: string) {
  return calls.rotateKey({ id, newId, secretHash: 'cd'.repeat(32), graceMs: 1_000 });
}
