import * as assert from 'uvu/assert';
import type { Role } from '../../src/push.ts';
import type { UserActor } from '../../src/store/calls.ts';
import { ADA, BOB, CARL, EVE } from '../support/cast.ts';
import { conformance, type OnEngine } from '../support/engines.ts';
import { actorIn, hashOf, isSignedIn, signIn } from '../support/people.ts';
import { granted, refused } from '../support/refusals.ts';
import { aWorld, type World } from '../support/world.ts';

const { it, run } = conformance('roles', aTeam);

it('an admin changes and removes admins and members', async (world) => {
  assert.is(granted(await setRole(world, CARL, BOB, 'admin')).member.role, 'admin');
  assert.is(granted(await setRole(world, CARL, BOB, 'member')).member.role, 'member');
  assert.is(granted(await remove(world, CARL, BOB)).email, BOB);
});

it('only owners make, change and remove owners', async (world) => {
  for (const answer of [
    await setRole(world, CARL, BOB, 'owner'),
    await setRole(world, CARL, ADA, 'member'),
    await remove(world, CARL, ADA),
  ]) {
    assert.is(refused(answer).refused, 'forbidden');
  }
  assert.is(granted(await setRole(world, ADA, BOB, 'owner')).member.role, 'owner');
  assert.is(granted(await setRole(world, ADA, BOB, 'member')).member.role, 'member');
});

it('the last owner stays, also at their own wish, until there is another', async (world) => {
  assert.match(refused(await setRole(world, ADA, ADA, 'admin')).message, 'last owner');
  assert.match(refused(await remove(world, ADA, ADA)).message, 'last owner');
  assert.is(granted(await setRole(world, ADA, ADA, 'owner')).member.role, 'owner');
  await world.join(EVE, { role: 'owner' });
  assert.is(granted(await remove(world, ADA, ADA)).role, 'owner');
});

it('members change no roles, nor does a manager who has just lost the role', async (world) => {
  assert.is(refused(await setRole(world, BOB, CARL, 'member')).refused, 'forbidden');
  granted(await setRole(world, ADA, CARL, 'member'));
  assert.is(refused(await remove(world, CARL, BOB)).refused, 'forbidden');
});

it('an owner elsewhere is a stranger here', async (world) => {
  await world.addWorkspace('umbrella');
  await world.join(EVE, { workspace: 'umbrella', role: 'owner' });
  assert.is(refused(await remove(world, EVE, BOB)).refused, 'forbidden');
  assert.is(refused(await remove(world, ADA, EVE)).refused, 'not_found');
});

it('anybody may leave, but for the last owner', async (world) => {
  assert.is(granted(await remove(world, BOB, BOB)).role, 'member');
  assert.is(granted(await remove(world, CARL, CARL)).role, 'admin');
  assert.match(refused(await remove(world, ADA, ADA)).message, 'last owner');
});

it('admins add admins and members, only owners add owners, and members add no one', async (world) => {
  const add = async (asking: string, role: Role) =>
    world.calls.addMember({ workspace: 'acme', email: EVE, role }, await inSession(world, asking));
  assert.is(refused(await add(BOB, 'member')).refused, 'forbidden');
  assert.is(refused(await add(CARL, 'owner')).refused, 'forbidden');
  assert.is(granted(await add(ADA, 'owner')).role, 'owner');
});

it('a pairing code is made by those alone who manage its user in that workspace, wherever else that one belongs', async (world) => {
  await world.addWorkspace('umbrella');
  await world.join(EVE);
  await world.join(EVE, { workspace: 'umbrella' });
  const pair = async (asking: string, email: string) => {
    const args = { workspace: 'acme', email, codeHash: hashOf(`${asking} ${email}`), lifeMs: 1 };
    return world.calls.createPairingCode(args, await inSession(world, asking));
  };
  for (const [asking, email] of [
    [CARL, ADA],
    [BOB, CARL],
    [EVE, EVE],
  ] as const) {
    assert.is(refused(await pair(asking, email)).refused, 'forbidden', `${asking}: ${email}`);
  }
  for (const [asking, email] of [
    [CARL, BOB],
    [ADA, CARL],
    [CARL, EVE],
  ] as const) {
    assert.is(granted(await pair(asking, email)).email, email);
  }
  const elsewhere = { workspace: 'umbrella', email: BOB, codeHash: hashOf('elsewhere'), lifeMs: 1 };
  assert.is(refused(await world.calls.createPairingCode(elsewhere)).refused, 'not_found');
});

it('a manager signs out those alone whose every right they have', async (world) => {
  await world.addWorkspace('umbrella');
  await world.join(EVE);
  await world.join(EVE, { workspace: 'umbrella' });
  const signOut = async (asking: string, email: string) =>
    world.calls.closeSessions({ workspace: 'acme', email }, await inSession(world, asking));
  for (const [asking, email] of [
    [CARL, ADA],
    [BOB, CARL],
    [CARL, EVE],
  ] as const) {
    assert.is(refused(await signOut(asking, email)).refused, 'forbidden', `${asking}: ${email}`);
  }
  for (const [asking, email] of [
    [CARL, BOB],
    [ADA, CARL],
  ] as const) {
    assert.is(granted(await signOut(asking, email)).closed, 1);
  }
});

it('an operator needs no role for it, but the last owner stays all the same', async (world) => {
  const owner = { workspace: 'acme', email: ADA } as const;
  assert.match(refused(await world.calls.setMemberRole({ ...owner, role: 'member' })).message, 'last owner');
  assert.match(refused(await world.calls.removeMember(owner)).message, 'last owner');
  assert.is(granted(await world.calls.setMemberRole({ ...owner, email: CARL, role: 'owner' })).member.role, 'owner');
  assert.is(granted(await world.calls.setMemberRole({ ...owner, role: 'member' })).member.role, 'member');
  assert.is(granted(await world.calls.removeMember(owner)).role, 'member');
});

run();

/** The owner of `acme`, an admin, and Bob, a member. */
async function aTeam({ engine }: OnEngine): Promise<World> {
  const world = await aWorld({ engine });
  await world.join(CARL, { role: 'admin' });
  await world.join(BOB);
  return world;
}

async function setRole(world: World, asking: string, email: string, role: Role) {
  return world.calls.setMemberRole({ workspace: 'acme', email, role }, await inSession(world, asking));
}

async function remove(world: World, asking: string, email: string) {
  return world.calls.removeMember({ workspace: 'acme', email }, await inSession(world, asking));
}

/** In a session that an operator vouched for. */
async function inSession(world: World, email: string): Promise<UserActor> {
  if (!(await isSignedIn(world, email))) await signIn(world, email, email);
  return actorIn(email, email);
}
