import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Role } from '../../src/push.ts';
import { BOB, idOf, join } from '../support/people.ts';
import { aWorld, EMAIL, granted, refused, type World } from '../support/world.ts';

const ADMIN = 'admin@example.com';
const OTHER_OWNER = 'owner@example.com';

const test = suite('roles');

test('an admin changes and removes admins and members', () => {
  const world = aTeam();
  assert.is(granted(setRole(world, ADMIN, BOB, 'admin')).role, 'admin');
  assert.is(granted(setRole(world, ADMIN, BOB, 'member')).role, 'member');
  assert.is(granted(remove(world, ADMIN, BOB)).email, BOB);
});

test('only owners make, change and remove owners', () => {
  const world = aTeam();
  for (const answer of [
    setRole(world, ADMIN, BOB, 'owner'),
    setRole(world, ADMIN, EMAIL, 'member'),
    remove(world, ADMIN, EMAIL),
  ]) {
    assert.is(refused(answer).refused, 'forbidden');
  }
  assert.is(granted(setRole(world, EMAIL, BOB, 'owner')).role, 'owner');
  assert.is(granted(setRole(world, EMAIL, BOB, 'member')).role, 'member');
});

test('the last owner stays, also at their own wish, until there is another', () => {
  const world = aTeam();
  assert.match(refused(setRole(world, EMAIL, EMAIL, 'admin')).message, 'last owner');
  assert.match(refused(remove(world, EMAIL, EMAIL)).message, 'last owner');
  assert.is(granted(setRole(world, EMAIL, EMAIL, 'owner')).role, 'owner');
  join(world, OTHER_OWNER, { role: 'owner' });
  assert.is(granted(remove(world, EMAIL, EMAIL)).role, 'owner');
});

test('members change nobody, and who has just lost the role no longer does', () => {
  const world = aTeam();
  assert.is(refused(setRole(world, BOB, ADMIN, 'member')).refused, 'forbidden');
  granted(setRole(world, EMAIL, ADMIN, 'member'));
  assert.is(refused(remove(world, ADMIN, BOB)).refused, 'forbidden');
});

test('an owner elsewhere is nobody here', () => {
  const world = aTeam();
  world.addWorkspace('umbrella');
  join(world, OTHER_OWNER, { workspace: 'umbrella', role: 'owner' });
  assert.is(refused(remove(world, OTHER_OWNER, BOB)).refused, 'forbidden');
  assert.is(refused(remove(world, EMAIL, OTHER_OWNER)).refused, 'not_found');
});

test('an operator needs no role for it, but the last owner stays all the same', () => {
  const world = aTeam();
  const owner = { workspace: 'acme', email: EMAIL } as const;
  assert.match(refused(world.calls.setMemberRole({ ...owner, role: 'member' })).message, 'last owner');
  assert.match(refused(world.calls.removeMember(owner)).message, 'last owner');
  assert.is(granted(world.calls.setMemberRole({ ...owner, email: ADMIN, role: 'owner' })).role, 'owner');
  assert.is(granted(world.calls.setMemberRole({ ...owner, role: 'member' })).role, 'member');
  assert.is(granted(world.calls.removeMember(owner)).role, 'member');
});

test.run();

/** The owner of `acme`, an admin, and Bob, a member. */
function aTeam(): World {
  const world = aWorld();
  join(world, ADMIN, { role: 'admin' });
  join(world, BOB);
  return world;
}

function setRole(world: World, asking: string, email: string, role: Role) {
  return world.calls.setMemberRole({ workspace: 'acme', email, role, askedBy: idOf(world, asking) });
}

function remove(world: World, asking: string, email: string) {
  return world.calls.removeMember({ workspace: 'acme', email, askedBy: idOf(world, asking) });
}
