import * as assert from 'uvu/assert';
import { type Actor, RightsLost, type UserActor } from '../../../../src/store/calls.ts';
import { assertEach } from '../../../support/assert-each.ts';
import { ADA, BOB } from '../../../support/cast.ts';
import { conformance, type OnEngine } from '../../../support/engines.ts';
import { hashOf, signIn } from '../../../support/people.ts';
import { granted } from '../../../support/refusals.ts';
import { aWorld, HOUR_MS, NOW_MS, type World } from '../../../support/world.ts';

const DAY_MS = 24 * HOUR_MS;

const { it, run } = conformance('rights', aTeam);

it('a call in the name of a session is done while that is open', async ({ world, owner }) => {
  assert.is(await lostBy(world, owner), null);
  assert.is(await lostBy(world, owner, NOW_MS + 90 * DAY_MS), 'not_signed_in');
  await world.calls.closeSessions({ email: ADA });
  assert.is(await lostBy(world, owner), 'not_signed_in');
});

it('a call in the name of a manager is done while they are one', async ({ world, bob }) => {
  const manager = { ...bob, manages: world.workspaceId };
  assert.is(await lostBy(world, manager), null);
  granted(await world.calls.setMemberRole({ workspace: 'acme', email: BOB, role: 'member' }));
  assert.is(await lostBy(world, manager), 'role_too_low');
  assert.is(await lostBy(world, bob), null);
  await world.addWorkspace('umbrella');
  await world.join(BOB, { workspace: 'umbrella', role: 'owner' });
  granted(await world.calls.removeMember({ workspace: 'acme', email: BOB }));
  assert.is(await lostBy(world, manager), 'workspace_not_found');
  assert.is(await lostBy(world, bob), null);
});

it('a call for which the workspace must be active is done while it is', async ({ world, owner }) => {
  const manager: UserActor = { ...owner, manages: world.workspaceId, needs: 'active' };
  assert.is(await lostBy(world, manager), null);
  granted(await world.calls.setWorkspaceStatus({ slug: 'acme', status: 'suspended' }));
  assert.is(await lostBy(world, manager), 'workspace_inactive');
});

it('a call in the name of a key is done while it is good for that', async ({ world }) => {
  const key: Actor = { kind: 'key', id: 'key', scope: 'events:write' };
  assert.is(await lostBy(world, key), null);
  assert.is(await lostBy(world, { ...key, scope: 'events:read' }), 'missing_scope');
  assert.is(await lostBy(world, { ...key, id: 'gone' }), 'unauthenticated');
  assert.is(await lostBy(world, key, NOW_MS + DAY_MS), 'key_expired');
  await world.calls.setWorkspaceStatus({ slug: 'acme', status: 'suspended' });
  assert.is(await lostBy(world, key), 'workspace_inactive');
  await world.calls.revokeKey({ id: 'key' });
  assert.is(await lostBy(world, key), 'key_revoked');
});

it('a right taken away by an earlier call of the same group is gone for the later calls, and they leave no entry', async (scene) => {
  const { world, owner } = scene;
  const create = { name: 'createChannel', args: { workspace: 'acme', slug: 'late' }, actor: owner } as const;
  const asked = world.group([{ name: 'closeSessions', args: { email: ADA } }, create]);
  const error = await asked.catch((thrown: unknown) => thrown);
  assert.ok(error instanceof RightsLost && error.lost === 'not_signed_in');
  assertEach(granted(await world.calls.listChannels({ workspace: 'acme' })), ({ slug }) => slug, ['alerts']);
  assert.is(await world.countRows('audit'), 0);
});

run();

/** `acme` with its owner and Bob, an admin, both signed in, and a key that lives a day. */
async function aTeam({ engine }: OnEngine): Promise<{ world: World; owner: UserActor; bob: UserActor }> {
  const world = await aWorld({ engine });
  await world.join(BOB, { role: 'admin' });
  await signIn(world, 'laptop');
  await signIn(world, 'phone', BOB);
  const key = { workspace: 'acme', id: 'key', secretHash: 'ab'.repeat(32), scopes: ['events:write'] } as const;
  granted(await world.calls.issueKey({ ...key, expires: { afterMs: DAY_MS } }));
  const user = { kind: 'user', address: '192.0.2.7', manages: null } as const;
  return {
    world,
    owner: { ...user, name: ADA, session: hashOf('laptop') },
    bob: { ...user, name: BOB, session: hashOf('phone') },
  };
}

async function lostBy({ calls }: World, actor: Actor, wallMs = NOW_MS): Promise<string | null> {
  try {
    await calls.listPlans({ wallMs }, actor);
    return null;
  } catch (error) {
    if (error instanceof RightsLost) return error.lost;
    throw error;
  }
}
