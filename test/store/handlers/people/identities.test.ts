import * as assert from 'uvu/assert';
import { ADA, BOB, EVE } from '../../../support/cast.ts';
import { conformance, type Engine, HOUR_MS } from '../../../support/engines.ts';
import { actorIn, hashOf, idOf, isSignedIn, signIn } from '../../../support/people.ts';
import { granted, refused } from '../../../support/refusals.ts';
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

/** Returns the person whom the code of this subject signs in; null: the code is not good. */
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

it('an unlinked member is signed out, and linked to the next identity', async (world) => {
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

it('a person without a workspace is not signed in by an identity', async (world) => {
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

test('if sessions live for a day they are not prolonged, nor by others that are made in them', async (engine) => {
  const world = await aWorld({ engine, sessions: { lifeMs: DAY_MS, isProviderOnly: true } });
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

test('if the provider alone signs in, a manager’s code opens a session that makes no codes', async (engine) => {
  const world = await aProviderOnlyTeam(engine);
  await pair(world, '1', { email: ADA });
  await redeem(world, '1');
  for (const email of [ADA, BOB]) {
    const token = `let in as ${email}`;
    granted(await codeIn(world, '1', email, { workspace: 'acme' }));
    assert.ok(await redeemBy(world, email, token));
    const codes = [
      await codeIn(world, token, email),
      await codeIn(world, token, email, { workspace: 'acme' }),
      await codeIn(world, token, BOB, { workspace: 'acme' }),
    ];
    for (const code of codes) assert.is(refused(code).code, 'provider_first');
    assert.not.ok(await isSignedIn(world, token, NOW_MS + DAY_MS));
  }
});

test('a person let in by a manager makes codes after a sign-in through the provider', async (engine) => {
  const world = await aProviderOnlyTeam(engine);
  await signIn(world, 'operator’s');
  granted(await codeIn(world, 'operator’s', BOB, { workspace: 'acme' }));
  await redeemBy(world, BOB, 'phone');
  assert.is(refused(await codeIn(world, 'phone', BOB)).code, 'provider_first');
  await pair(world, '1', { email: BOB });
  const userId = await idOf(world, BOB);
  assert.ok(await world.calls.addVouchers({ tokenHash: hashOf('phone'), userId, codeHash: hashOf('code of 1') }));
  granted(await codeIn(world, 'phone', BOB));
});

test('if the provider alone signs in, a code that is added to a session ends that with its maker', async (engine) => {
  const world = await aProviderOnlyTeam(engine);
  await signIn(world, 'first');
  const laterMs = NOW_MS + 20 * HOUR_MS;
  granted(await codeIn(world, 'first', ADA, { workspace: 'acme', wallMs: laterMs }));
  await redeemBy(world, ADA, 'let in', laterMs);
  granted(await codeIn(world, 'first', ADA, { wallMs: laterMs }));
  const added = { tokenHash: hashOf('let in'), userId: await idOf(world), codeHash: hashOf(`made for ${ADA}`) };
  assert.ok(await world.calls.addVouchers({ ...added, wallMs: laterMs }));
  assert.ok(await isSignedIn(world, 'let in', NOW_MS + DAY_MS - 1));
  assert.not.ok(await isSignedIn(world, 'let in', NOW_MS + DAY_MS));
});

/** Makes a scene in which the provider alone signs in: the workspace acme of Ada, an owner, and Bob, an admin. */
async function aProviderOnlyTeam(engine: Engine): Promise<World> {
  const world = await aWorld({ engine, sessions: { lifeMs: DAY_MS, isProviderOnly: true } });
  await world.join(BOB, { role: 'admin' });
  return world;
}

/** Makes a code in the session of this token. */
async function codeIn(
  { calls }: World,
  token: string,
  email: string,
  place: { readonly workspace?: string; readonly wallMs?: number } = {},
) {
  const code = { email, codeHash: hashOf(`made for ${email}`), lifeMs: 60_000, ...place };
  return calls.createPairingCode(code, actorIn(token, token));
}

/** Opens a session by the code that was made for this member. */
async function redeemBy({ calls }: World, email: string, token: string, wallMs = NOW_MS) {
  return calls.redeemPairingCode({ codeHash: hashOf(`made for ${email}`), tokenHash: hashOf(token), wallMs });
}

it('a sign-in by a clock that is set forward removes no code that is good once the clock is right', async (world) => {
  await world.calls.pruneStep({ wallMs: NOW_MS });
  await pair(world, '1', { email: ADA });
  const asked = { issuer: 'https://other.example.com', email: ADA, wallMs: NOW_MS + 3_650 * DAY_MS };
  assert.is(await pair(world, '2', asked), 'linked');
  assert.is((await redeem(world, '1', NOW_MS + 1))?.user.email, ADA);
});

run();
