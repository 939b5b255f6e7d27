import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BOB, hashOf, idOf, isSignedIn, join, signIn } from '../../../support/people.ts';
import { aWorld, EMAIL, granted, HOUR_MS, NOW_MS, refused } from '../../../support/world.ts';

const DAY_MS = 24 * HOUR_MS;
const test = suite('sessions');

test('a pairing code opens a session that says who one is and where one belongs', () => {
  const world = aWorld();
  const umbrellaId = world.addWorkspace('umbrella');
  join(world, EMAIL, { workspace: 'umbrella' });
  granted(world.calls.setWorkspaceStatus({ slug: 'umbrella', status: 'suspended' }));
  const acme = { workspaceId: world.workspaceId, slug: 'acme', name: 'acme', status: 'active', role: 'owner' };
  const umbrella = { workspaceId: umbrellaId, slug: 'umbrella', name: 'umbrella', status: 'suspended', role: 'member' };
  const opened = signIn(world, 'phone');
  assert.equal(opened, {
    user: { id: idOf(world), email: EMAIL, name: EMAIL },
    memberships: [acme, umbrella],
    expires_at: '2027-02-19T09:30:00.123+00:00',
  });
  assert.equal(world.calls.findSession({ tokenHash: hashOf('phone'), wallMs: NOW_MS }), { ...opened, stale: false });
});

test('a pairing code is good once, and only until it expires', () => {
  const world = aWorld();
  const codeHash = hashOf('code');
  const pair = () => granted(world.calls.createPairingCode({ email: EMAIL, codeHash, lifeMs: 900_000 }));
  const redeem = (tokenHash: string, wallMs: number) => world.calls.redeemPairingCode({ codeHash, tokenHash, wallMs });
  pair();
  assert.ok(redeem(hashOf('first'), NOW_MS + 899_999));
  assert.is(redeem(hashOf('second'), NOW_MS), null);
  pair();
  assert.is(redeem(hashOf('late'), NOW_MS + 900_000), null);
  assert.is(world.calls.redeemPairingCode({ codeHash: hashOf('guess'), tokenHash: hashOf('g'), wallMs: NOW_MS }), null);
  assert.is(world.countRows('session'), 1);
});

test('two phones that redeem one code at the same time open one session', () => {
  const world = aWorld();
  const codeHash = hashOf('code');
  granted(world.calls.createPairingCode({ email: EMAIL, codeHash, lifeMs: 1 }));
  const racing = ['one', 'other'].map((token) => ({ codeHash, tokenHash: hashOf(token), wallMs: NOW_MS }));
  const opened = world.together('redeemPairingCode', racing);
  assert.is(opened.filter((session) => session !== null).length, 1);
});

test('a session slides: each use moves its end to 90 days later, and then it is over', () => {
  const world = aWorld();
  signIn(world, 'phone');
  assert.ok(isSignedIn(world, 'phone', NOW_MS + 90 * DAY_MS - 1));
  world.calls.touchSession({ tokenHash: hashOf('phone'), wallMs: NOW_MS + DAY_MS });
  assert.ok(isSignedIn(world, 'phone', NOW_MS + 91 * DAY_MS - 1));
  assert.not.ok(isSignedIn(world, 'phone', NOW_MS + 91 * DAY_MS));
  world.calls.touchSession({ tokenHash: hashOf('phone'), wallMs: NOW_MS + 91 * DAY_MS });
  assert.not.ok(isSignedIn(world, 'phone', NOW_MS + 91 * DAY_MS), 'no use brings it back');
});

test('a session asks to be touched once an hour, so that reading it writes nothing', () => {
  const world = aWorld();
  signIn(world, 'phone');
  const isStale = (wallMs: number) => world.calls.findSession({ tokenHash: hashOf('phone'), wallMs })?.stale;
  assert.is(isStale(NOW_MS + HOUR_MS - 1), false);
  assert.is(isStale(NOW_MS + HOUR_MS), true);
  world.calls.touchSession({ tokenHash: hashOf('phone'), wallMs: NOW_MS + HOUR_MS });
  assert.is(isStale(NOW_MS + HOUR_MS), false);
});

test('whoever signs out is out, on this phone only', () => {
  const world = aWorld();
  signIn(world, 'phone');
  signIn(world, 'tablet');
  world.calls.closeSession({ tokenHash: hashOf('phone') });
  assert.not.ok(isSignedIn(world, 'phone'));
  assert.ok(isSignedIn(world, 'tablet'));
});

test('an operator sees the sessions of a person, without what would sign in, and ends one or all', () => {
  const world = aWorld();
  join(world, BOB);
  signIn(world, 'phone');
  signIn(world, 'tablet', EMAIL, NOW_MS + 1);
  signIn(world, 'other', BOB);
  const [tablet, phone] = granted(world.calls.listSessions({ email: EMAIL, wallMs: NOW_MS + 1 }));
  assert.equal(phone, {
    id: hashOf('phone').slice(0, 12),
    user_agent: null,
    created_at: '2026-11-21T09:30:00.123+00:00',
    last_seen_at: '2026-11-21T09:30:00.123+00:00',
    expires_at: '2027-02-19T09:30:00.123+00:00',
  });
  assert.is(granted(world.calls.closeSessions({ email: EMAIL, id: String(tablet?.id) })).closed, 1);
  assert.is(refused(world.calls.closeSessions({ email: EMAIL, id: String(tablet?.id) })).refused, 'not_found');
  assert.ok(isSignedIn(world, 'phone'));
  assert.equal(world.calls.closeSessions({ email: EMAIL }), { email: EMAIL, closed: 1 });
  assert.not.ok(isSignedIn(world, 'phone'));
  assert.ok(isSignedIn(world, 'other'));
});

test('signing somebody out voids the pairing code that would sign them in again', () => {
  const world = aWorld();
  granted(world.calls.createPairingCode({ email: EMAIL, codeHash: hashOf('code'), lifeMs: 1 }));
  granted(world.calls.closeSessions({ email: EMAIL }));
  assert.is(world.calls.redeemPairingCode({ codeHash: hashOf('code'), tokenHash: hashOf('t'), wallMs: NOW_MS }), null);
});

test('what an app calls itself is kept short and in one line', () => {
  const world = aWorld();
  granted(world.calls.createPairingCode({ email: EMAIL, codeHash: hashOf('code'), lifeMs: 1 }));
  const userAgent = `App\u001b[31m ${'x'.repeat(300)}`;
  world.calls.redeemPairingCode({ codeHash: hashOf('code'), tokenHash: hashOf('t'), userAgent, wallMs: NOW_MS });
  const [session] = granted(world.calls.listSessions({ email: EMAIL, wallMs: NOW_MS }));
  assert.match(session?.user_agent ?? '', /^App \[31m x+$/);
  assert.is(session?.user_agent?.length, 255);
});

test('a person has a hundred sessions at most: the oldest goes, and those that are over go with the next sign-in', () => {
  const world = aWorld();
  for (let n = 0; n <= 100; n += 1) signIn(world, `phone ${n}`, EMAIL, NOW_MS + n);
  assert.is(world.countRows('session'), 100);
  assert.not.ok(isSignedIn(world, 'phone 0'));
  signIn(world, 'last', EMAIL, NOW_MS + 91 * DAY_MS);
  assert.is(world.countRows('session'), 1);
});

test('leaving the last workspace ends the sessions, leaving another one does not', () => {
  const world = aWorld();
  world.addWorkspace('umbrella');
  join(world, BOB);
  join(world, BOB, { workspace: 'umbrella' });
  signIn(world, 'phone', BOB);
  granted(world.calls.removeMember({ workspace: 'acme', email: BOB }));
  const session = world.calls.findSession({ tokenHash: hashOf('phone'), wallMs: NOW_MS });
  assert.equal(
    session?.memberships.map(({ slug }) => slug),
    ['umbrella'],
  );
  granted(world.calls.removeMember({ workspace: 'umbrella', email: BOB }));
  assert.not.ok(isSignedIn(world, 'phone'));
  assert.is(world.countRows('session'), 0);
});

test('deleting a workspace ends the sessions of those who belong nowhere else', () => {
  const world = aWorld();
  world.addWorkspace('umbrella');
  join(world, BOB);
  join(world, BOB, { workspace: 'umbrella' });
  signIn(world, 'ana');
  signIn(world, 'bob', BOB);
  granted(world.calls.deleteWorkspace({ slug: 'acme' }));
  assert.not.ok(isSignedIn(world, 'ana'));
  assert.ok(isSignedIn(world, 'bob'));
});

test.run();
