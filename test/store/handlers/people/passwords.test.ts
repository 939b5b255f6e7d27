import * as assert from 'uvu/assert';
import { ADA } from '../../../support/cast.ts';
import { conformance } from '../../../support/engines.ts';
import { hashOf, idOf, isSignedIn, signIn } from '../../../support/people.ts';
import { granted, refused } from '../../../support/refusals.ts';
import { aWorld, type World } from '../../../support/world.ts';

const { it, run } = conformance('passwords', aWorld);

it('a sign-in is checked against the stored password of the address, in any case', async (world) => {
  assert.equal(await world.calls.findUser({ email: ADA }), { userId: await idOf(world), password: null });
  granted(await world.calls.setPassword({ email: ADA, password: 'stored' }));
  assert.equal(await world.calls.findUser({ email: ' ADA@example.com' }), {
    userId: await idOf(world),
    password: 'stored',
  });
  assert.is(await world.calls.findUser({ email: 'nobody@example.com' }), null);
});

it('a password that was changed while it was verified opens no session', async (world) => {
  granted(await world.calls.setPassword({ email: ADA, password: 'old' }));
  const sign = { userId: await idOf(world), password: 'old' };
  assert.ok(await world.calls.openSession({ ...sign, tokenHash: hashOf('one') }));
  granted(await world.calls.setPassword({ email: ADA, password: 'new' }));
  assert.is(await world.calls.openSession({ ...sign, tokenHash: hashOf('two') }), null);
  assert.is(await world.calls.openSession({ ...sign, userId: 99, tokenHash: hashOf('two') }), null);
});

it('changing the own password ends the other sessions, not this one', async (world) => {
  for (const token of ['here', 'there', 'elsewhere']) await signIn(world, token);
  const change = { userId: await idOf(world), tokenHash: hashOf('here'), current: null, password: 'new' };
  assert.equal(await world.calls.changePassword(change), { email: ADA, closed: 2 });
  assert.ok(await isSignedIn(world, 'here'));
  assert.not.ok(await isSignedIn(world, 'there'));
  assert.is(await passwordOf(world), 'new');
});

it('a password is changed only from the one that was verified', async (world) => {
  await signIn(world, 'there');
  granted(await world.calls.setPassword({ email: ADA, password: 'newer' }));
  const change = { userId: await idOf(world), tokenHash: hashOf('here'), current: 'old', password: 'new' };
  assert.is(refused(await world.calls.changePassword(change)).refused, 'conflict');
  assert.is(await passwordOf(world), 'newer');
});

it('a password set by an operator ends all sessions', async (world) => {
  await signIn(world, 'phone');
  assert.equal(await world.calls.setPassword({ email: ADA, password: 'new' }), { email: ADA, closed: 1 });
  assert.not.ok(await isSignedIn(world, 'phone'));
  assert.is(refused(await world.calls.setPassword({ email: 'x@y.z', password: 'new' })).refused, 'not_found');
});

it('a password that comes with another membership ends all sessions as well', async (world) => {
  await world.addWorkspace('umbrella');
  await signIn(world, 'phone');
  const membership = { workspace: 'umbrella', email: ADA, role: 'member' } as const;
  granted(await world.calls.addMember({ ...membership, password: 'new' }));
  assert.not.ok(await isSignedIn(world, 'phone'));
});

run();

async function passwordOf({ calls }: World): Promise<string | null | undefined> {
  return (await calls.findUser({ email: ADA }))?.password;
}
