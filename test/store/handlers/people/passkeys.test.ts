import * as assert from 'uvu/assert';
import { conformance } from '../../../support/engines.ts';
import { hashOf, idOf, signIn } from '../../../support/people.ts';
import { granted, refused } from '../../../support/refusals.ts';
import { aWorld, HOUR_MS, NOW_MS } from '../../../support/world.ts';

const { it, run } = conformance('passkeys', aWorld);

it("a passkey's signature counts once, before its challenge ends and with a counter that increases", async ({
  calls,
  ...world
}) => {
  await signIn({ calls, ...world }, 'phone');
  const person = { userId: await idOf({ calls }), tokenHash: hashOf('phone') };
  const passkeyId = hashOf('passkey');
  const endsMs = NOW_MS + 1_000;
  const signed = (challenge: string, counter: number) => ({
    passkeyId,
    counter,
    challengeHash: hashOf(challenge),
    challengeEndsMs: endsMs,
  });
  const parts = { credential: 'AA', publicKey: 'AA', rpId: 'push.example.com', name: 'Phone' };
  const add = (challenge: string, wallMs: number) =>
    calls.addPasskey({ ...person, ...parts, ...signed(challenge, 1), wallMs });
  assert.match(refused(await add('late', endsMs)).message, 'too old');
  granted(await add('made', endsMs - 1));
  const confirm = (challenge: string, counter: number, wallMs = NOW_MS) =>
    calls.confirmSession({ ...person, answer: signed(challenge, counter), wallMs });
  assert.is(await confirm('made', 2), null, 'a challenge that was used');
  assert.is(await confirm('ended', 2, endsMs), null);
  assert.is(await confirm('first', 2), 'confirmed');
  assert.is(await confirm('copy', 2), null, 'a counter that stands still');
  assert.is(await confirm('next', 3), 'confirmed');
});

it('a challenge that was used stays used after a clock was set forward and back', async ({ calls, ...world }) => {
  await calls.pruneStep({ wallMs: NOW_MS });
  await signIn({ calls, ...world }, 'phone');
  const person = { userId: await idOf({ calls }), tokenHash: hashOf('phone') };
  const signed = (challenge: string, challengeEndsMs: number, counter: number) => {
    return { passkeyId: hashOf('passkey'), counter, challengeHash: hashOf(challenge), challengeEndsMs };
  };
  const parts = { credential: 'AA', publicKey: 'AA', rpId: 'push.example.com', name: 'Phone' };
  const endsMs = NOW_MS + 60_000;
  granted(await calls.addPasskey({ ...person, ...parts, ...signed('made', endsMs, 0), wallMs: NOW_MS }));
  const aheadMs = NOW_MS + 3_650 * 24 * HOUR_MS;
  const confirm = (challenge: string, ends: number, wallMs: number) =>
    calls.confirmSession({ ...person, answer: signed(challenge, ends, 0), wallMs });
  assert.is(await confirm('first', endsMs, NOW_MS), 'confirmed');
  assert.is(await confirm('ahead', aheadMs + 60_000, aheadMs), 'confirmed');
  assert.is(await confirm('first', endsMs, NOW_MS + 1), null);
});

run();
