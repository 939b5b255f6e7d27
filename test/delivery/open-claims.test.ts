import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpenClaims } from '../../src/delivery/open-claims.ts';
import type { Claim, ClaimAnswer, Revocation } from '../../src/store/calls.ts';
import { aPushEvent, aTarget } from '../support/pushes.ts';

const ANY = { workspaceId: null, deviceId: null, channelId: null, eventId: null };

test('a claim that arrives after a revocation is marked by it if it was made before, and not if it was made later', async () => {
  const open = new OpenClaims({ steadyMs: () => 0 });
  const [early, late] = [asked(open), asked(open)];
  open.revoke([end({ deviceId: 1, upTo: 1 })]);
  early.answer(aClaim(1));
  late.answer(aClaim(2));
  assert.equal(await early.revoked, [1, 0]);
  assert.equal(await late.revoked, [0, 0]);
});

test('a revocation that came before a claim was asked for does not concern it', async () => {
  const open = new OpenClaims({ steadyMs: () => 0 });
  open.revoke([end({ workspaceId: 1, upTo: 9 })]);
  const claim = asked(open);
  claim.answer(aClaim(1));
  assert.equal(await claim.revoked, [0, 0]);
});

test('a failed claim leaves nothing behind, and the next ones arrive as before', async () => {
  const open = new OpenClaims({ steadyMs: () => 0 });
  const failed = asked(open);
  failed.fail(new Error('no'));
  await failed.revoked.catch(() => {});
  const claim = asked(open);
  open.revoke([end({ channelId: 1, upTo: 1 })]);
  claim.answer(aClaim(1));
  assert.equal(await claim.revoked, [1, 1]);
});

test('a claim that is closed is not marked any more', () => {
  const open = new OpenClaims({ steadyMs: () => 0 });
  const [claim] = open.take([aClaim(1)]);
  assert.ok(claim);
  open.close(claim);
  open.revoke([end({ eventId: 1, upTo: 1 })]);
  assert.equal([...claim.revoked], [0, 0]);
});

test.run();

function end(of: Partial<Revocation> & Pick<Revocation, 'upTo'>): Revocation {
  return { ...ANY, ...of };
}

/** A question that the test answers. */
function asked(open: OpenClaims) {
  const { promise, resolve, reject } = Promise.withResolvers<ClaimAnswer>();
  const revoked = open.ask(() => promise).then(({ claims }) => claims.flatMap((claim) => [...claim.revoked]));
  const answer = (claim: Claim) => resolve({ claims: [claim], nextDueInMs: null, finished: [] });
  return { revoked, answer, fail: reject };
}

/** An event for the devices 1 and 2. */
function aClaim(order: number): Claim {
  const event = aPushEvent({});
  return {
    claimId: `claim ${order}`,
    order,
    route: 'fcm',
    lane: 'standard',
    events: [{ eventId: 1, workspaceId: 1, channelId: 1, event, hadLinks: false, leftMs: 1_000 }],
    targets: [1, 2].map((deviceId) => aTarget({ deviceId })),
  };
}
