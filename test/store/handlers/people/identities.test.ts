import * as assert from 'uvu/assert';
import { ADA, BOB, EVE } from '../../../support/cast.ts';
import { conformance, HOUR_MS } from '../../../support/engines.ts';
import { hashOf, isSignedIn, signIn } from '../../../support/people.ts';
import { granted } from '../../../support/refusals.ts';
import { aWorld, NOW_MS, type World } from '../../../support/world.ts';

const { test, it, run } = conformance('identities', aWorld);
const DAY_MS = 24 * HOUR_MS;
const ISSUER = 'https://id.example.com';

interface Asked {
  readonly email?: string | null;
  readonly issuer?: string;
  readonly isProof?: boolean;
  readonly wallMs?: number;
}

/** Comes back from the provider as this subject. The code is named by it. */
async function pair({ calls }: World, subject: string, asked: Asked = {}): Promise<string> {
  const { email = null, issuer = ISSUER, isProof = true, wallMs = NOW_MS } = asked;
  const codeHash = hashOf(`code of ${subject}`);
  return (await calls.pairByIdentity({ issuer, subject, email, codeHash, lifeMs: 60_000, isProof, wallMs })).kind;
}

/** Who is signed in by the code of this subject; null: it is not good. */
async function redeem({ calls }: World, subject: string, wallMs = NOW_MS, token = subject) {
  const codes = { codeHash: hashOf(`code of ${subject}`), tokenHash: hashOf(token), inBrowser: true };
  return calls.redeemPairingCode({ ...codes, wallMs });
}

it('an identity is linked to a member by an address once, and then goes by its name alone', async (world) => {
  assert.is(await pair(world, '1'), 'unknown');
  assert.is(await redeem(world, '1'), null);
  assert.is(await pair(world, '1', { email: ADA.toUpperCase() }), 'linked');
  assert.is((await redeem(world, '1'))?.user.email, ADA);
  assert.is(await pair(world, '1', { email: EVE }), 'known');
  assert.is((await redeem(world, '1', undefined, 'another'))?.user.email, ADA);
});

it('neither another subject nor another issuer comes to a member by the address or the name', async (world) => {
  assert.is(await pair(world, '1', { email: ADA }), 'linked');
  assert.is(await pair(world, '2', { email: ADA }), 'linked_already');
  assert.is(await pair(world, '1', { issuer: 'https://evil.example.com' }), 'unknown');
  assert.is(await pair(world, '3', { email: EVE }), 'not_member');
  assert.is(await pair(world, '4', { email: 'not an address' }), 'unknown');
  assert.is(await redeem(world, '2'), null);
});

it('an unlinked member is signed out, and linked to who comes next', async (world) => {
  await pair(world, '1', { email: ADA });
  await redeem(world, '1');
  assert.equal(
    granted(await world.calls.listIdentities({ email: ADA })).map(({ issuer, subject }) => [issuer, subject]),
    [[ISSUER, '1']],
  );
  assert.equal(granted(await world.calls.unlinkIdentities({ email: ADA })), { email: ADA, unlinked: 1, closed: 1 });
  assert.not.ok(await isSignedIn(world, '1'));
  assert.is(await pair(world, '2', { email: ADA }), 'linked');
  assert.equal(granted(await world.calls.listIdentities({ email: ADA })).length, 1);
});

it('who belongs nowhere any more is not signed in by an identity', async (world) => {
  granted(await world.calls.addMember({ workspace: 'acme', email: BOB, role: 'member' }));
  assert.is(await pair(world, '1', { email: BOB }), 'linked');
  granted(await world.calls.removeMember({ workspace: 'acme', email: BOB }));
  assert.is(await pair(world, '1'), 'unknown');
  assert.is(await pair(world, '1', { email: BOB }), 'not_member');
});

it('a sign-in that proves nothing opens a session that has to confirm, and confirms none', async (world) => {
  await pair(world, '1', { email: ADA, isProof: false });
  const { user } = (await redeem(world, '1')) ?? {};
  assert.is((await world.calls.findSession({ tokenHash: hashOf('1') }))?.confirmed, false);
  await pair(world, '1', { isProof: false });
  const proof = { tokenHash: hashOf('1'), userId: Number(user?.id), codeHash: hashOf('code of 1') };
  assert.is(await world.calls.confirmSession(proof), null);
});

test('where sessions live for a day they are not prolonged, nor by others that are made in them', async (engine) => {
  const world = await aWorld({ engine, sessions: { lifeMs: DAY_MS, isProlonged: false } });
  await signIn(world, 'first');
  const laterMs = NOW_MS + 20 * HOUR_MS;
  await world.calls.touchSession({ tokenHash: hashOf('first'), wallMs: laterMs });
  const actor = { kind: 'user', name: ADA, address: '192.0.2.7', session: hashOf('first'), manages: null } as const;
  const code = { email: ADA, codeHash: hashOf('own'), lifeMs: 60_000, wallMs: laterMs };
  granted(await world.calls.createPairingCode(code, actor));
  const made = { codeHash: hashOf('own'), tokenHash: hashOf('second'), wallMs: laterMs };
  assert.ok(await world.calls.redeemPairingCode(made));
  for (const token of ['first', 'second']) {
    assert.ok(await isSignedIn(world, token, NOW_MS + DAY_MS - 1));
    assert.not.ok(await isSignedIn(world, token, NOW_MS + DAY_MS));
  }
});

run();
