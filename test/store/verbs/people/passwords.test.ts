import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hashOf, idOf, isSignedIn, signIn } from '../../../support/people.ts';
import { aWorld, EMAIL, granted, NOW_MS, refused, type World } from '../../../support/world.ts';

const test = suite('passwords');

test('a sign-in is checked against what is stored for the address, in whatever case it was typed', () => {
  const world = aWorld();
  assert.equal(world.calls.findUser({ email: EMAIL }), { userId: idOf(world), password: null });
  granted(world.calls.setPassword({ email: EMAIL, password: 'stored' }));
  assert.equal(world.calls.findUser({ email: ' ANA@example.com' }), { userId: idOf(world), password: 'stored' });
  assert.is(world.calls.findUser({ email: 'nobody@example.com' }), null);
});

test('a password that was changed while it was verified opens no session', () => {
  const world = aWorld();
  granted(world.calls.setPassword({ email: EMAIL, password: 'old' }));
  const sign = { userId: idOf(world), password: 'old', wallMs: NOW_MS };
  assert.ok(world.calls.openSession({ ...sign, tokenHash: hashOf('one') }));
  granted(world.calls.setPassword({ email: EMAIL, password: 'new' }));
  assert.is(world.calls.openSession({ ...sign, tokenHash: hashOf('two') }), null);
  assert.is(world.calls.openSession({ ...sign, userId: 99, tokenHash: hashOf('two') }), null);
});

test('changing the own password ends the other sessions, not this one', () => {
  const world = aWorld();
  for (const token of ['here', 'there', 'elsewhere']) signIn(world, token);
  const change = { userId: idOf(world), tokenHash: hashOf('here'), current: null, password: 'new' };
  assert.equal(world.calls.changePassword(change), { email: EMAIL, closed: 2 });
  assert.ok(isSignedIn(world, 'here'));
  assert.not.ok(isSignedIn(world, 'there'));
  assert.is(passwordOf(world), 'new');
});

test('a password is changed only from the one that was verified', () => {
  const world = aWorld();
  signIn(world, 'there');
  granted(world.calls.setPassword({ email: EMAIL, password: 'newer' }));
  const change = { userId: idOf(world), tokenHash: hashOf('here'), current: 'old', password: 'new' };
  assert.is(refused(world.calls.changePassword(change)).refused, 'conflict');
  assert.is(passwordOf(world), 'newer');
});

test('a password set by an operator ends all sessions', () => {
  const world = aWorld();
  signIn(world, 'phone');
  assert.equal(world.calls.setPassword({ email: EMAIL, password: 'new' }), { email: EMAIL, closed: 1 });
  assert.not.ok(isSignedIn(world, 'phone'));
  assert.is(refused(world.calls.setPassword({ email: 'x@y.z', password: 'new' })).refused, 'not_found');
});

test('a password that comes with another membership ends all sessions as well', () => {
  const world = aWorld();
  world.addWorkspace('umbrella');
  signIn(world, 'phone');
  const membership = { workspace: 'umbrella', email: EMAIL, role: 'member', wallMs: NOW_MS } as const;
  granted(world.calls.addMember({ ...membership, password: 'new' }));
  assert.not.ok(isSignedIn(world, 'phone'));
});

test.run();

function passwordOf({ calls }: World): string | null | undefined {
  return calls.findUser({ email: EMAIL })?.password;
}
