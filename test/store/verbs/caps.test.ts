import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BOB, idOf } from '../../support/people.ts';
import { someSettings } from '../../support/store.ts';
import { aDevice, aWorld, granted, NOW_MS, refused, tokenOf, type World } from '../../support/world.ts';

const test = suite('caps');

test('a workspace has as many channels and members as the operator allows, and no more', () => {
  const world = aWorld(few({ channels: 2, members: 2 }));
  const { calls } = world;
  granted(calls.createChannel({ workspace: 'acme', slug: 'second' }));
  granted(calls.addMember({ workspace: 'acme', email: BOB, role: 'member' }));
  for (const answer of [
    calls.createChannel({ workspace: 'acme', slug: 'third' }),
    calls.addMember({ workspace: 'acme', email: 'eve@example.com', role: 'member' }),
  ]) {
    assert.is(refused(answer).refused, 'conflict');
    assert.match(refused(answer).message, /already has 2 (channels|members)/);
    assert.match(refused(answer).hint ?? '', /limits\.(channels|members)/);
  }
  assert.is(world.countRows('user'), 2);
  world.addWorkspace('umbrella');
  granted(calls.createChannel({ workspace: 'umbrella', slug: 'third' }));
});

test('a new key takes the place of the oldest that no longer works, and there are never more than allowed', () => {
  const world = aWorld(few({ keys: 2 }));
  issue(world, 'first');
  issue(world, 'second');
  assert.match(refused(tryToIssue(world, 'third')).message, 'already has 2 keys');
  assert.match(refused(rotate(world, 'second', 'third')).message, 'already has 2 keys');
  granted(world.calls.revokeKey({ id: 'first' }));
  granted(rotate(world, 'second', 'third'));
  const ids = granted(world.calls.listKeys({ workspace: 'acme' })).map(({ id }) => id);
  assert.equal(ids.sort(), ['second', 'third']);
});

test('a person registers as many devices as the operator allows; the command line may add more', () => {
  const world = aWorld(few({ devices: 1 }));
  const register = (n: number) =>
    world.calls.registerDevice({ userId: idOf(world), platform: 'ios', token: tokenOf(n), wallMs: NOW_MS });
  granted(register(1));
  assert.match(refused(register(2)).message, 'already have 1 devices');
  world.addDevice(aDevice({ token: tokenOf(3) }));
  assert.is(world.countRows('device'), 2);
});

test.run();

function few(limits: Partial<ReturnType<typeof someSettings>['limits']>) {
  return { limits: { ...someSettings().limits, ...limits } };
}

function tryToIssue({ calls }: World, id: string) {
  return calls.issueKey({ workspace: 'acme', id, secretHash: 'ab'.repeat(32), scopes: ['events:write'] });
}

function issue(world: World, id: string): void {
  granted(tryToIssue(world, id));
}

function rotate({ calls }: World, id: string, newId: string) {
  return calls.rotateKey({ id, newId, secretHash: 'cd'.repeat(32), graceMs: 1_000 });
}
