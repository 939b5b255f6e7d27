import * as assert from 'uvu/assert';
import type { Role } from '../../../../src/push.ts';
import { ADA, BOB, CARL, DAN, EVE } from '../../../support/cast.ts';
import { databaseOf } from '../../../support/crowd.ts';
import { conformance, type OnEngine, POSTGRES } from '../../../support/engines.ts';
import { actorIn, hashOf, idOf, isSignedIn, signIn } from '../../../support/people.ts';
import { claim } from '../../../support/queue.ts';
import { granted } from '../../../support/refusals.ts';
import { aDevice, tokenOf } from '../../../support/workspace.ts';
import { aWorld, NOW_MS, type World } from '../../../support/world.ts';

const { it, onPostgres, run } = conformance('vouchers', aTeam);

it('An operator’s code vouches for everything, also for what its person becomes later', async (world) => {
  await signIn(world, 'phone', DAN);
  await world.join(DAN, { workspace: 'umbrella', role: 'owner' });
  granted(await world.calls.setMemberRole({ workspace: 'acme', email: DAN, role: 'owner' }));
  assert.equal(await reachOf(world, 'phone'), { acme: 'owner', umbrella: 'owner' });
});

it('A manager’s code vouches for their workspace up to their role, and a second one adds to the session', async (world) => {
  await invite(world, 'carl', 'phone');
  await world.join(DAN, { workspace: 'umbrella', role: 'admin' });
  granted(await world.calls.setMemberRole({ workspace: 'acme', email: DAN, role: 'owner' }));
  assert.equal(await reachOf(world, 'phone'), { acme: 'admin, waiting for owner', umbrella: 'waiting' });
  assert.ok(await add(world, 'phone', await codeBy(world, 'ada')));
  assert.ok(await add(world, 'phone', await codeBy(world, 'eve', 'umbrella')));
  assert.equal(await reachOf(world, 'phone'), { acme: 'owner', umbrella: 'admin' });
});

it('A session renames its person only if it has all their rights, and the workspace only as an owner', async (world) => {
  await world.join(DAN, { workspace: 'umbrella' });
  await invite(world, 'ada', 'phone');
  const acme = (await world.calls.findSession({ tokenHash: hashOf('phone') }))?.memberships[0]?.workspaceId ?? null;
  const renameSelf = async () => {
    const renamed = await world.calls.renameUser({ email: DAN, name: 'Daniel' }, actorIn('phone', DAN));
    return 'refused' in renamed ? renamed.refused : renamed.name;
  };
  const renameWorkspace = async (token: string, email: string) => {
    const args = { slug: 'acme', name: 'Acme Holding' };
    const renamed = await world.calls.renameWorkspace(args, actorIn(token, email, acme));
    return 'refused' in renamed ? renamed.refused : renamed.name;
  };
  assert.is(await renameSelf(), 'forbidden');
  assert.ok(await add(world, 'phone', await codeBy(world, 'eve', 'umbrella')));
  assert.is(await renameSelf(), 'Daniel');
  granted(await world.calls.setMemberRole({ workspace: 'acme', email: DAN, role: 'admin' }));
  assert.is(await renameWorkspace('phone', DAN), 'forbidden');
  granted(await world.calls.setMemberRole({ workspace: 'acme', email: DAN, role: 'owner' }));
  assert.is(await renameWorkspace('phone', DAN), 'Acme Holding');
});

it('A device registers again as a whole, also with channels that its session is not vouched for', async (world) => {
  const channels = Array.from({ length: 60 }, (_, n) => `c${String(n).padStart(2, '0')}`);
  const hooli = await world.addWorkspace('hooli', { channels, owner: DAN });
  await invite(world, 'carl', 'phone');
  const app = { userId: await idOf(world, DAN), platform: 'ios', token: tokenOf(1) } as const;
  const { device } = granted(await world.calls.registerDevice({ ...app, environment: 'sandbox' }));
  granted(await world.calls.subscribeDevice({ id: device.id, workspace: 'hooli', channels }));
  const again = granted(await world.calls.registerDevice(app, actorIn('phone', DAN)));
  assert.equal(again.device.subscriptions, []);
  await hooli.accept({ channel: 'c59' });
  assert.is((await claim(world)).length, 1);
});

it('Sessions are listed with what they are vouched for, in workspaces that their person belongs to', async (world) => {
  await world.join(DAN, { workspace: 'umbrella' });
  await invite(world, 'carl', 'phone');
  await add(world, 'phone', await codeBy(world, 'ada'));
  await add(world, 'phone', await codeBy(world, 'eve', 'umbrella'));
  await signIn(world, 'laptop', DAN);
  await add(world, 'laptop', await codeBy(world, 'carl'));
  const listed = async () => {
    const sessions = granted(await world.calls.listSessions({ email: DAN }));
    return Object.fromEntries(sessions.map(({ id, vouched_for }) => [id, vouched_for]));
  };
  const [phone, laptop] = [hashOf('phone').slice(0, 12), hashOf('laptop').slice(0, 12)];
  const acme = { workspace: 'acme', role: 'owner' };
  const all = [{ workspace: null, role: 'owner' }];
  assert.equal(await listed(), { [phone]: [acme, { workspace: 'umbrella', role: 'owner' }], [laptop]: all });
  granted(await world.calls.removeMember({ workspace: 'umbrella', email: DAN }));
  assert.equal(await listed(), { [phone]: [acme], [laptop]: all });
  const own = await world.calls.listOwnSessions({ userId: await idOf(world, DAN), tokenHash: hashOf('phone') });
  assert.equal(own.find(({ current }) => current)?.vouched_for, [acme]);
});

it('A session acts on another of its person only if it is vouched for as far, or the other has no more rights', async (world) => {
  await invite(world, 'carl', 'phone');
  await invite(world, 'carl', 'tablet');
  await invite(world, 'ada', 'laptop');
  const userId = await idOf(world, DAN);
  const names = new Map(['phone', 'tablet', 'laptop'].map((token) => [hashOf(token).slice(0, 12), token]));
  const listed = async (token: string) =>
    (await world.calls.listOwnSessions({ userId, tokenHash: hashOf(token) })).map(({ id }) => names.get(id)).sort();
  for (const role of ['member', 'admin', 'owner'] as const) {
    granted(await world.calls.setMemberRole({ workspace: 'acme', email: DAN, role }));
    const byAdmin = role === 'owner' ? ['phone', 'tablet'] : ['laptop', 'phone', 'tablet'];
    assert.equal([role, await listed('phone')], [role, byAdmin]);
    assert.equal([role, await listed('laptop')], [role, ['laptop', 'phone', 'tablet']]);
  }
});

it("A manager's code voids no code and ends no session of another workspace, only older ones of their own", async (world) => {
  await world.join(DAN, { workspace: 'umbrella' });
  const redeem = (code: string, token: string, wallMs = NOW_MS) =>
    world.calls.redeemPairingCode({ codeHash: hashOf(code), tokenHash: hashOf(token), wallMs });
  const elsewhere = await codeBy(world, 'eve', 'umbrella');
  const first = await codeBy(world, 'carl');
  await codeBy(world, 'ada');
  assert.is(await redeem(first, 'phone'), null);
  assert.is.not(await redeem(elsewhere, 'laptop'), null);
  for (let n = 1; n <= 101; n += 1) await redeem(await codeBy(world, 'carl'), `phone ${n}`, NOW_MS + n);
  assert.equal([await isSignedIn(world, 'laptop'), await isSignedIn(world, 'phone 1')], [true, false]);
});

onPostgres(
  'A person signs in for the hundredth time while the database believes that nobody is signed in',
  async () => {
    const world = await aTeam({ engine: POSTGRES });
    const signInAll = async (device: string) => {
      for (let n = 1; n <= 101; n += 1) await invite(world, 'carl', `${device} ${n}`);
    };
    await signInAll('phone');
    await databaseOf(world, 'postgres').execute('DELETE FROM session; ANALYZE session, voucher');
    await signIn(world, 'carl', CARL);
    await signInAll('tablet');
    assert.equal([await isSignedIn(world, 'tablet 1'), await isSignedIn(world, 'tablet 101')], [false, true]);
  },
);

it('A new role says whether the member waits for it, with a session, password or passkey', async (world) => {
  const { calls } = world;
  const waits = async (role: Role) => granted(await calls.setMemberRole({ workspace: 'acme', email: DAN, role })).waits;
  assert.is(await waits('owner'), false, 'signed in with nothing');
  await signIn(world, 'laptop', DAN);
  assert.is(await waits('owner'), false, 'the operator vouched for all');
  await waits('member');
  await invite(world, 'carl', 'phone');
  assert.equal([await waits('admin'), await waits('owner'), await waits('member')], [false, true, false]);
  await add(world, 'phone', await codeBy(world, 'ada'));
  assert.is(await waits('owner'), false, 'an owner vouched for this');
  await world.join(DAN, { workspace: 'umbrella' });
  const there = { workspace: 'umbrella', email: DAN, role: 'member' } as const;
  assert.is(granted(await calls.setMemberRole(there)).waits, true, 'no manager vouched for anything there');
  await calls.closeSession({ tokenHash: hashOf('laptop') });
  const password = { userId: await idOf(world, DAN), tokenHash: hashOf('phone'), current: null, password: 'own' };
  granted(await calls.changePassword(password, actorIn('phone', DAN)));
  await calls.closeSession({ tokenHash: hashOf('phone') });
  assert.is(granted(await calls.setMemberRole(there)).waits, true, 'the password signs in to the other one alone');
});

it('A valid code is added once, and only to a session of its own person', async (world) => {
  await invite(world, 'carl', 'phone');
  const code = await codeBy(world, 'carl');
  const tokenHash = hashOf('phone');
  const args = { tokenHash, userId: await idOf(world, DAN), codeHash: hashOf(code) };
  assert.is(await world.calls.addVouchers({ ...args, userId: await idOf(world, BOB) }), null);
  assert.is(await world.calls.addVouchers({ ...args, wallMs: NOW_MS + 60_000 }), null);
  assert.ok(await world.calls.addVouchers(args));
  assert.is(await world.calls.addVouchers(args), null);
});

it('Codes, further sessions and passwords made in a session carry the same', async (world) => {
  const { calls } = world;
  await invite(world, 'carl', 'phone');
  const actor = actorIn('phone', DAN);
  granted(await calls.createPairingCode({ email: DAN, codeHash: hashOf('own'), lifeMs: 60_000 }, actor));
  await calls.redeemPairingCode({ codeHash: hashOf('own'), tokenHash: hashOf('tablet') });
  const userId = await idOf(world, DAN);
  const change = { userId, tokenHash: hashOf('tablet'), current: null, password: 'first' };
  granted(await calls.changePassword(change, actorIn('tablet', DAN)));
  await calls.openSession({ userId, password: 'first', tokenHash: hashOf('laptop') });
  await world.join(DAN, { workspace: 'umbrella' });
  for (const token of ['tablet', 'laptop']) {
    assert.equal(await reachOf(world, token), { acme: 'member', umbrella: 'waiting' }, token);
  }
});

it('A password that was known keeps what it is vouched for, one that an operator sets is for everything', async (world) => {
  const { calls } = world;
  const userId = await idOf(world, DAN);
  await world.join(DAN, { workspace: 'umbrella' });
  const opened = async (password: string, token: string) => {
    await calls.openSession({ userId, password, tokenHash: hashOf(token) });
    return reachOf(world, token);
  };
  granted(await calls.setPassword({ email: DAN, password: 'set' }));
  assert.equal(await opened('set', 'one'), { acme: 'member', umbrella: 'member' });
  await invite(world, 'carl', 'phone');
  granted(await calls.changePassword({ userId, tokenHash: hashOf('phone'), current: 'set', password: 'own' }));
  assert.not(await isSignedIn(world, 'one'), 'a changed password ends what it could have opened');
  assert.equal(await opened('own', 'two'), { acme: 'member', umbrella: 'member' });
});

it('A code ends with the session that made it, and a manager’s with the role that made it', async (world) => {
  const { calls } = world;
  await signIn(world, 'phone', DAN);
  const own = { email: DAN, codeHash: hashOf('own'), lifeMs: 60_000 };
  granted(await calls.createPairingCode(own, actorIn('phone', DAN)));
  await calls.closeSession({ tokenHash: hashOf('phone') });
  assert.is(await calls.redeemPairingCode({ codeHash: hashOf('own'), tokenHash: hashOf('x') }), null);
  const redeemed = async (code: string) => calls.redeemPairingCode({ codeHash: hashOf(code), tokenHash: hashOf(code) });
  const ofOwner = await codeBy(world, 'ada');
  await world.join(EVE, { role: 'owner' });
  granted(await calls.setMemberRole({ workspace: 'acme', email: ADA, role: 'admin' }));
  assert.is(await redeemed(ofOwner), null, 'it vouched for an owner');
  const ofAdmin = await codeBy(world, 'ada');
  granted(await calls.setMemberRole({ workspace: 'acme', email: ADA, role: 'owner' }));
  assert.is.not(await redeemed(ofAdmin), null, 'what they can still give stays');
  const ofDemoted = await codeBy(world, 'carl');
  granted(await calls.setMemberRole({ workspace: 'acme', email: CARL, role: 'member' }));
  assert.is(await redeemed(ofDemoted), null);
  granted(await calls.setMemberRole({ workspace: 'acme', email: CARL, role: 'admin' }));
  const ofRemoved = await codeBy(world, 'carl');
  granted(await calls.removeMember({ workspace: 'acme', email: CARL }));
  assert.is(await redeemed(ofRemoved), null);
});

it('A manager who is removed takes nothing from those whom they let in, unless that is asked for', async (world) => {
  await world.join(DAN, { workspace: 'umbrella' });
  await invite(world, 'carl', 'only his');
  await invite(world, 'carl', 'his and another');
  await add(world, 'his and another', await codeBy(world, 'eve', 'umbrella'));
  await invite(world, 'ada', 'hers');
  const pending = await codeBy(world, 'carl');
  granted(await world.calls.removeMember({ workspace: 'acme', email: CARL }));
  for (const token of ['only his', 'his and another', 'hers']) {
    assert.is((await reachOf(world, token)).acme, 'member', token);
  }
  assert.is(await world.calls.redeemPairingCode({ codeHash: hashOf(pending), tokenHash: hashOf('late') }), null);

  await world.join(BOB, { role: 'admin' });
  await signIn(world, 'bob', BOB);
  await invite(world, 'bob', 'of Bob');
  await add(world, 'his and another', await codeBy(world, 'bob'));
  await invite(world, 'bob', 'of Bob and Ada');
  await add(world, 'of Bob and Ada', await codeBy(world, 'ada'));
  granted(
    await world.calls.removeMember(
      { workspace: 'acme', email: BOB, endInvited: true },
      actorIn('ada', ADA, world.workspaceId),
    ),
  );
  assert.not(await isSignedIn(world, 'of Bob'));
  assert.equal(await reachOf(world, 'his and another'), { acme: 'member', umbrella: 'member' });
  assert.ok(await isSignedIn(world, 'hers'));
  assert.ok(await isSignedIn(world, 'of Bob and Ada'));
});

it('Taking back what a manager vouched for leaves what others did, and only in that workspace', async (world) => {
  await world.join(DAN, { workspace: 'umbrella' });
  await world.join(CARL, { workspace: 'umbrella', role: 'admin' });
  await invite(world, 'carl', 'phone');
  await add(world, 'phone', await codeBy(world, 'carl', 'umbrella'));
  granted(await world.calls.removeMember({ workspace: 'acme', email: CARL, endInvited: true }));
  assert.equal(await reachOf(world, 'phone'), { acme: 'waiting', umbrella: 'member' });
});

it('Inbox, channels and devices of a workspace that waits are not there', async (world) => {
  const { calls } = world;
  await invite(world, 'carl', 'phone');
  await world.join(DAN, { workspace: 'umbrella' });
  const there = { workspace: 'umbrella', email: DAN };
  const { device } = granted(await calls.addDevice({ ...there, ...aDevice({ subscribe: ['secrets'] }) }));
  const { workspaceId } = granted(await calls.findWatched({ workspace: 'umbrella' }));
  const { event } = await world.accept({ workspaceId: workspaceId ?? 0, channel: 'secrets' });
  const userId = await idOf(world, DAN);
  const seen = async (token: string) => {
    const actor = actorIn(token, DAN);
    const inbox = granted(await calls.listInbox({ userId, limit: 10 }, actor)).events.length;
    const read = await calls.readInboxEvent({ userId, publicId: event.public_id }, actor);
    const channels = await calls.listChannelsFor({ userId, workspace: 'umbrella' }, actor);
    const devices = granted(await calls.listOwnDevices({ userId, limit: 10 }, actor)).devices.length;
    const tested = await calls.testDevice({ id: device.id, userId, uuid: UUID }, actor);
    return [inbox, 'event' in read, 'channels' in channels, devices, 'event' in tested];
  };
  assert.equal(await seen('phone'), [0, false, false, 0, false]);
  await signIn(world, 'whole', DAN);
  assert.equal(await seen('whole'), [1, true, true, 1, true]);
});

run();

const UUID = '0192f0c1-2b3c-7def-8abc-0123456789ab';

/** `acme` with its owner Ada, an admin Carl, and Bob and Dan; `umbrella` with its owner Eve. The first words are tokens. */
async function aTeam({ engine }: OnEngine): Promise<World> {
  const world = await aWorld({ engine });
  await world.addWorkspace('umbrella', { channels: ['secrets'] });
  await world.join(CARL, { role: 'admin' });
  await world.join(DAN);
  await world.join(EVE, { workspace: 'umbrella', role: 'owner' });
  await world.join(BOB, { workspace: 'umbrella' });
  await signIn(world, 'ada');
  await signIn(world, 'carl', CARL);
  await signIn(world, 'eve', EVE);
  return world;
}

let codes = 0;

/** A code for Dan that is made in the session of a manager. */
async function codeBy(world: World, manager: string, workspace = 'acme'): Promise<string> {
  codes += 1;
  const code = `code ${codes}`;
  const actor = actorIn(manager, manager);
  granted(
    await world.calls.createPairingCode({ workspace, email: DAN, codeHash: hashOf(code), lifeMs: 60_000 }, actor),
  );
  return code;
}

/** Opens a session as Dan by a code of this manager. */
async function invite(world: World, manager: string, token: string): Promise<void> {
  const codeHash = hashOf(await codeBy(world, manager));
  assert.is.not(await world.calls.redeemPairingCode({ codeHash, tokenHash: hashOf(token) }), null);
}

async function add(world: World, token: string, code: string): Promise<true | null> {
  return world.calls.addVouchers({
    tokenHash: hashOf(token),
    userId: await idOf(world, DAN),
    codeHash: hashOf(code),
  });
}

/** Returns the rights of a session, by workspace. */
async function reachOf({ calls }: World, token: string): Promise<Readonly<Record<string, string>>> {
  const session = await calls.findSession({ tokenHash: hashOf(token) });
  if (session === null) throw new Error(`no member is signed in by ${token}`);
  const reach = (role: Role, waitingFor: Role | null) =>
    waitingFor === null ? role : `${role}, waiting for ${waitingFor}`;
  return Object.fromEntries([
    ...session.memberships.map(({ slug, role, waitingFor }) => [slug, reach(role, waitingFor)]),
    ...session.waiting.map(({ slug }) => [slug, 'waiting']),
  ]);
}
