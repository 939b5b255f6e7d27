import * as assert from 'uvu/assert';
import { assertEach } from '../../../support/assert-each.ts';
import { ADA, BOB } from '../../../support/cast.ts';
import { conformance } from '../../../support/engines.ts';
import { actorIn, hashOf, idOf, isSignedIn, signIn } from '../../../support/people.ts';
import { granted, refused } from '../../../support/refusals.ts';
import { aWorld, HOUR_MS, NOW_MS } from '../../../support/world.ts';

const DAY_MS = 24 * HOUR_MS;
const { it, run } = conformance('sessions', aWorld);

it('all of 100 sessions end, those of a person who asks for it with theirs, and each is counted', async (world) => {
  const tokens = Array.from({ length: 100 }, (_, n) => `t${n}`);
  const signAllIn = async () => {
    for (const token of tokens) await signIn(world, token);
  };
  await signAllIn();
  const open = granted(await world.calls.listSessions({ email: ADA })).length;
  assert.is(open, 100);
  const closed = await world.calls.closeSessions({ email: ADA }, actorIn('t99'));
  assert.equal(closed, { email: ADA, closed: open });
  await signAllIn();
  assert.equal(await world.calls.setPassword({ email: ADA, password: 'new' }), { email: ADA, closed: open });
  assert.equal(await world.calls.listSessions({ email: ADA }), []);
});

it('a known person who is added with a new password is signed out of all sessions', async (world) => {
  for (let n = 0; n < 100; n += 1) await signIn(world, `t${n}`);
  await world.addWorkspace('umbrella', { owner: BOB });
  const member = { email: ADA, role: 'member', password: 'new' } as const;
  const added = await world.calls.addMember({ workspace: 'umbrella', ...member });
  assert.equal(added, { email: ADA, name: granted(added).name, role: 'member' });
  assert.equal(await world.calls.listSessions({ email: ADA }), []);
  assert.is(granted(await world.calls.listMembers({ workspace: 'umbrella' })).length, 2);
});

it('a pairing code opens a session that names the person and their workspaces', async (world) => {
  const { workspaceId: umbrellaId } = await world.addWorkspace('umbrella');
  await world.join(ADA, { workspace: 'umbrella' });
  granted(await world.calls.setWorkspaceStatus({ slug: 'umbrella', status: 'suspended' }));
  const acme = {
    workspaceId: world.workspaceId,
    slug: 'acme',
    name: 'acme',
    status: 'active',
    role: 'owner',
    waitingFor: null,
  };
  const umbrella = {
    workspaceId: umbrellaId,
    slug: 'umbrella',
    name: 'umbrella',
    status: 'suspended',
    role: 'member',
    waitingFor: null,
  };
  const opened = await signIn(world, 'phone');
  assert.equal(opened, {
    user: { id: await idOf(world), email: ADA, name: ADA },
    memberships: [acme, umbrella],
    waiting: [],
    expires_at: '2027-02-19T09:30:00.123+00:00',
  });
  assert.equal(await world.calls.findSession({ tokenHash: hashOf('phone') }), {
    ...opened,
    stale: false,
    confirmed: true,
  });
});

it('a pairing code is good once, and only until it expires', async (world) => {
  const codeHash = hashOf('code');
  const pair = async () => granted(await world.calls.createPairingCode({ email: ADA, codeHash, lifeMs: 900_000 }));
  const redeem = (tokenHash: string, wallMs: number) => world.calls.redeemPairingCode({ codeHash, tokenHash, wallMs });
  await pair();
  assert.ok(await redeem(hashOf('first'), NOW_MS + 899_999));
  assert.is(await redeem(hashOf('second'), NOW_MS), null);
  await pair();
  assert.is(await redeem(hashOf('late'), NOW_MS + 900_000), null);
  assert.is(await world.calls.redeemPairingCode({ codeHash: hashOf('guess'), tokenHash: hashOf('g') }), null);
  assert.is(await world.countRows('session'), 1);
});

it('two phones that redeem one code at the same time open one session', async (world) => {
  const codeHash = hashOf('code');
  granted(await world.calls.createPairingCode({ email: ADA, codeHash, lifeMs: 1 }));
  const racing = ['one', 'other'].map((token) => ({ codeHash, tokenHash: hashOf(token) }));
  const opened = await world.together('redeemPairingCode', racing);
  assert.is(opened.filter((session) => session !== null).length, 1);
});

it('the session of a browser counts as confirmed for ten minutes, any other always', async (world) => {
  const { calls } = world;
  const userId = await idOf(world);
  const isConfirmed = async (token: string, wallMs: number) =>
    (await calls.findSession({ tokenHash: hashOf(token), wallMs }))?.confirmed;
  const redeem = async (token: string, inBrowser: boolean) => {
    const codeHash = hashOf(`code for ${token}`);
    granted(await calls.createPairingCode({ email: ADA, codeHash, lifeMs: 1 }));
    await calls.redeemPairingCode({ codeHash, tokenHash: hashOf(token), inBrowser });
  };
  await redeem('browser', true);
  await redeem('phone', false);
  const end = NOW_MS + 600_000;
  assert.equal([await isConfirmed('browser', end - 1), await isConfirmed('browser', end)], [true, false]);
  assert.not(await isConfirmed('browser', NOW_MS - 1));
  assert.ok(await isConfirmed('phone', NOW_MS + DAY_MS));

  await calls.setPassword({ email: ADA, password: 'stored' });
  const tokenHash = hashOf('signed in');
  await calls.openSession({ userId, password: 'stored', tokenHash, inBrowser: true });
  assert.is(await calls.confirmSession({ tokenHash, userId, password: 'changed', wallMs: end }), null);
  assert.not(await isConfirmed('signed in', end));
  assert.is(await calls.confirmSession({ tokenHash, userId, password: 'stored', wallMs: end }), 'confirmed');
  assert.equal(
    [await isConfirmed('signed in', end + 599_999), await isConfirmed('signed in', end + 600_000)],
    [true, false],
  );
});

it('a fresh code of the same person confirms a session and is then spent', async (world) => {
  await world.join(BOB);
  const { calls } = world;
  const session = { tokenHash: hashOf('browser'), userId: await idOf(world) };
  const codeHash = hashOf('code');
  const confirm = (wallMs = NOW_MS) => calls.confirmSession({ ...session, codeHash, wallMs });
  const pair = async (email: string) => granted(await calls.createPairingCode({ email, codeHash, lifeMs: 1_000 }));
  await signIn(world, 'browser');
  await pair(BOB);
  assert.is(await confirm(), null);
  assert.ok(await calls.redeemPairingCode({ codeHash, tokenHash: hashOf('of Bob') }));
  await pair(ADA);
  assert.is(await confirm(NOW_MS + 1_000), null);
  assert.is(await confirm(), 'confirmed');
  assert.is(await confirm(), null);
});

it('a session slides: each use moves its end to 90 days later, and then it is over', async (world) => {
  await signIn(world, 'phone');
  assert.ok(await isSignedIn(world, 'phone', NOW_MS + 90 * DAY_MS - 1));
  await world.calls.touchSession({ tokenHash: hashOf('phone'), wallMs: NOW_MS + DAY_MS });
  assert.ok(await isSignedIn(world, 'phone', NOW_MS + 91 * DAY_MS - 1));
  assert.not.ok(await isSignedIn(world, 'phone', NOW_MS + 91 * DAY_MS));
  await world.calls.touchSession({ tokenHash: hashOf('phone'), wallMs: NOW_MS + 91 * DAY_MS });
  assert.not.ok(await isSignedIn(world, 'phone', NOW_MS + 91 * DAY_MS), 'no use brings it back');
});

it('a session asks to be touched once an hour, so reading it writes nothing', async (world) => {
  await signIn(world, 'phone');
  const isStale = async (wallMs: number) =>
    (await world.calls.findSession({ tokenHash: hashOf('phone'), wallMs }))?.stale;
  assert.is(await isStale(NOW_MS + HOUR_MS - 1), false);
  assert.is(await isStale(NOW_MS + HOUR_MS), true);
  await world.calls.touchSession({ tokenHash: hashOf('phone'), wallMs: NOW_MS + HOUR_MS });
  assert.is(await isStale(NOW_MS + HOUR_MS), false);
});

it('a member who signs out is out, on this phone only', async (world) => {
  await signIn(world, 'phone');
  await signIn(world, 'tablet');
  await world.calls.closeSession({ tokenHash: hashOf('phone') });
  assert.not.ok(await isSignedIn(world, 'phone'));
  assert.ok(await isSignedIn(world, 'tablet'));
});

it('an operator sees the sessions of a person, without their secrets, and ends one or all', async (world) => {
  await world.join(BOB);
  await signIn(world, 'phone');
  await signIn(world, 'tablet', ADA, NOW_MS + 1);
  await signIn(world, 'other', BOB);
  const [tablet, phone] = granted(await world.calls.listSessions({ email: ADA, wallMs: NOW_MS + 1 }));
  assert.equal(phone, {
    id: hashOf('phone').slice(0, 12),
    user_agent: null,
    created_at: '2026-11-21T09:30:00.123+00:00',
    last_seen_at: '2026-11-21T09:30:00.123+00:00',
    expires_at: '2027-02-19T09:30:00.123+00:00',
    vouched_for: [{ workspace: null, role: 'owner' }],
  });
  assert.is(granted(await world.calls.closeSessions({ email: ADA, id: String(tablet?.id) })).closed, 1);
  assert.is(refused(await world.calls.closeSessions({ email: ADA, id: String(tablet?.id) })).refused, 'not_found');
  assert.ok(await isSignedIn(world, 'phone'));
  assert.equal(await world.calls.closeSessions({ email: ADA }), { email: ADA, closed: 1 });
  assert.not.ok(await isSignedIn(world, 'phone'));
  assert.ok(await isSignedIn(world, 'other'));
});

it('signing a member out voids the pairing code that would sign them in again', async (world) => {
  granted(await world.calls.createPairingCode({ email: ADA, codeHash: hashOf('code'), lifeMs: 1 }));
  granted(await world.calls.closeSessions({ email: ADA }));
  assert.is(await world.calls.redeemPairingCode({ codeHash: hashOf('code'), tokenHash: hashOf('t') }), null);
});

it('the name of an app is kept short and in one line', async (world) => {
  granted(await world.calls.createPairingCode({ email: ADA, codeHash: hashOf('code'), lifeMs: 1 }));
  const userAgent = `App\u001b[31m ${'x'.repeat(300)}`;
  await world.calls.redeemPairingCode({ codeHash: hashOf('code'), tokenHash: hashOf('t'), userAgent });
  const [session] = granted(await world.calls.listSessions({ email: ADA }));
  assert.match(session?.user_agent ?? '', /^App \[31m x+$/);
  assert.is(session?.user_agent?.length, 255);
});

it('a person has a hundred sessions at most: the oldest goes, and those that are over go with the next sign-in', async (world) => {
  for (let n = 0; n <= 100; n += 1) await signIn(world, `phone ${n}`, ADA, NOW_MS + n);
  assert.is(await world.countRows('session'), 100);
  assert.not.ok(await isSignedIn(world, 'phone 0'));
  await signIn(world, 'last', ADA, NOW_MS + 91 * DAY_MS);
  assert.is(await world.countRows('session'), 1);
});

it('leaving the last workspace ends the sessions, leaving another one does not', async (world) => {
  await world.addWorkspace('umbrella');
  await world.join(BOB);
  await world.join(BOB, { workspace: 'umbrella' });
  await signIn(world, 'phone', BOB);
  granted(await world.calls.removeMember({ workspace: 'acme', email: BOB }));
  const session = await world.calls.findSession({ tokenHash: hashOf('phone') });
  assertEach(session?.memberships, ({ slug }) => slug, ['umbrella']);
  granted(await world.calls.removeMember({ workspace: 'umbrella', email: BOB }));
  assert.not.ok(await isSignedIn(world, 'phone'));
  assert.is(await world.countRows('session'), 0);
});

it('deleting a workspace ends the sessions of those who belong nowhere else', async (world) => {
  await world.addWorkspace('umbrella');
  await world.join(BOB);
  await world.join(BOB, { workspace: 'umbrella' });
  await signIn(world, 'ada');
  await signIn(world, 'bob', BOB);
  granted(await world.calls.deleteWorkspace({ slug: 'acme' }));
  assert.not.ok(await isSignedIn(world, 'ada'));
  assert.ok(await isSignedIn(world, 'bob'));
});

it('sign-ins by a clock that is set forward remove no session that is good once it is right', async (world) => {
  await world.calls.pruneStep({ wallMs: NOW_MS });
  await signIn(world, 'phone');
  const aheadMs = NOW_MS + 3_650 * DAY_MS;
  await signIn(world, 'laptop', ADA, aheadMs);
  assert.not.ok(await isSignedIn(world, 'phone', aheadMs));
  assert.ok(await isSignedIn(world, 'phone', NOW_MS + HOUR_MS));
});

run();
