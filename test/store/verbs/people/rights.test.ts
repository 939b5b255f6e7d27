import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Actor, RightsLost, type UserActor } from '../../../../src/store/calls.ts';
import { BOB, hashOf, join, signIn } from '../../../support/people.ts';
import { aWorld, EMAIL, granted, HOUR_MS, NOW_MS, type World } from '../../../support/world.ts';

const DAY_MS = 24 * HOUR_MS;

const test = suite('rights');

test('a call in the name of a session is done while that is open', () => {
  const { world, owner } = aTeam();
  assert.is(lostBy(world, owner), null);
  assert.is(lostBy(world, owner, NOW_MS + 90 * DAY_MS), 'not_signed_in');
  world.calls.closeSessions({ email: EMAIL });
  assert.is(lostBy(world, owner), 'not_signed_in');
});

test('a call in the name of a manager is done while they are one', () => {
  const { world, bob } = aTeam();
  const manager = { ...bob, manages: world.workspaceId };
  assert.is(lostBy(world, manager), null);
  granted(world.calls.setMemberRole({ workspace: 'acme', email: BOB, role: 'member' }));
  assert.is(lostBy(world, manager), 'role_too_low');
  assert.is(lostBy(world, bob), null);
  world.addWorkspace('umbrella');
  join(world, BOB, { workspace: 'umbrella', role: 'owner' });
  granted(world.calls.removeMember({ workspace: 'acme', email: BOB }));
  assert.is(lostBy(world, manager), 'workspace_not_found');
  assert.is(lostBy(world, bob), null);
});

test('a call in the name of a key is done while it is good for that', () => {
  const { world } = aTeam();
  const key: Actor = { kind: 'key', id: 'key', scope: 'events:write' };
  assert.is(lostBy(world, key), null);
  assert.is(lostBy(world, { ...key, scope: 'events:read' }), 'missing_scope');
  assert.is(lostBy(world, { ...key, id: 'gone' }), 'unauthenticated');
  assert.is(lostBy(world, key, NOW_MS + DAY_MS), 'key_expired');
  world.calls.setWorkspaceStatus({ slug: 'acme', status: 'suspended' });
  assert.is(lostBy(world, key), 'workspace_inactive');
  world.calls.revokeKey({ id: 'key' });
  assert.is(lostBy(world, key), 'key_revoked');
});

test('what an earlier call of the same group has taken away is gone for the later ones, and leaves no entry', () => {
  const { world, owner } = aTeam();
  const create = { name: 'createChannel', args: { workspace: 'acme', slug: 'late' }, actor: owner } as const;
  assert.throws(
    () => world.group([{ name: 'closeSessions', args: { email: EMAIL } }, create]),
    (error: unknown) => error instanceof RightsLost && error.lost === 'not_signed_in',
  );
  assert.equal(
    granted(world.calls.listChannels({ workspace: 'acme' })).map(({ slug }) => slug),
    ['deploys'],
  );
  assert.is(world.countRows('audit'), 0);
});

test.run();

/** `acme` with its owner and Bob, an admin, both signed in, and a key that lives a day. */
function aTeam(): { world: World; owner: UserActor; bob: UserActor } {
  const world = aWorld();
  join(world, BOB, { role: 'admin' });
  signIn(world, 'laptop');
  signIn(world, 'phone', BOB);
  const key = { workspace: 'acme', id: 'key', secretHash: 'ab'.repeat(32), scopes: ['events:write'] } as const;
  granted(world.calls.issueKey({ ...key, expires: { afterMs: DAY_MS } }));
  const user = { kind: 'user', address: '192.0.2.7', manages: null } as const;
  return {
    world,
    owner: { ...user, name: EMAIL, session: hashOf('laptop') },
    bob: { ...user, name: BOB, session: hashOf('phone') },
  };
}

function lostBy({ calls }: World, actor: Actor, wallMs = NOW_MS): string | null {
  try {
    calls.listPlans({ wallMs }, actor);
    return null;
  } catch (error) {
    if (error instanceof RightsLost) return error.lost;
    throw error;
  }
}
