import * as assert from 'uvu/assert';
import { assertEach } from '../../support/assert-each.ts';
import { conformance } from '../../support/engines.ts';
import { idOf } from '../../support/people.ts';
import { claim, countsOf, settle } from '../../support/queue.ts';
import { granted } from '../../support/refusals.ts';
import { oneHandedOut, subscriptionOf } from '../../support/revocations.ts';
import { tokenOf } from '../../support/workspace.ts';
import { NOW_MS } from '../../support/world.ts';

const CALLED_OFF = { state: 'pending', reason: 'recalled', retryInMs: 0, spent: false } as const;
const { it, run } = conformance('recalled pushes', oneHandedOut);

it('a push that was recalled ends as withdrawn at its next turn, also if its device comes back, and is no try', async ({
  world,
  deviceId,
  batch,
  publicId,
}) => {
  granted(await world.calls.unsubscribe(await subscriptionOf(world, deviceId)));
  granted(await world.calls.subscribe(await subscriptionOf(world, deviceId)));
  await settle(world, batch, CALLED_OFF, NOW_MS);
  assert.equal(await claim(world, { atMs: NOW_MS }), []);
  assert.is((await countsOf(world, publicId)).withdrawn, 1);
  const [line] = granted(await world.calls.showEvent({ publicId, limit: 1 })).deliveries;
  assert.equal([line?.state, line?.reason, line?.attempts], ['withdrawn', 'unsubscribed', []]);
});

it('a push that was recalled from an old address goes to the new one', async ({ world, deviceId, batch }) => {
  granted(await world.calls.updateDevice({ userId: await idOf(world), id: deviceId, token: tokenOf(3) }));
  await settle(world, batch, CALLED_OFF, NOW_MS);
  const targets = (await claim(world, { atMs: NOW_MS })).flatMap((again) => again.targets);
  assertEach(targets, ({ token, attempts }) => [token, attempts], [[tokenOf(3), 0]]);
});

it('a batch that was recalled as a whole and given back is not handed out again', async ({
  world,
  deviceId,
  batch,
  publicId,
}) => {
  granted(await world.calls.unsubscribe(await subscriptionOf(world, deviceId)));
  granted(await world.calls.subscribe(await subscriptionOf(world, deviceId)));
  await world.calls.releaseBatch({ claimId: batch.claimId });
  assert.equal(await claim(world), []);
  assert.is((await countsOf(world, publicId)).withdrawn, 1);
});

run();
