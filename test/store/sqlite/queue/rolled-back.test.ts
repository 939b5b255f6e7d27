import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CallRequest } from '../../../../src/store/reply.ts';
import { claim } from '../../../support/queue.ts';
import { rollBack } from '../../../support/roll-back.ts';
import { aWorld, NOW_MS } from '../../../support/world.ts';

const DAY_MS = 86_400_000;
const CLAIM: CallRequest = {
  name: 'claimBatches',
  args: { route: 'apns_production', lane: 'standard', limit: 100, batchSize: 100 },
};

test('a transaction that fails leaves the sweep at its place', async () => {
  const store = await aWorld({ devices: { ios: 1 } });
  await store.together(
    'acceptEvent',
    Array.from({ length: 450 }, () => store.anEvent()),
  );
  const later = { steadyMs: NOW_MS + DAY_MS, wallMs: NOW_MS + DAY_MS };
  await rollBack(store, [{ name: 'expireOverdue', args: later }]);
  const finished: number[] = [];
  for (let more = true; more; ) {
    const step = await store.calls.expireOverdue(later);
    finished.push(step.finished.length);
    ({ more } = step);
  }
  assert.equal(finished, [200, 200, 50]);
});

test('devices whose removal is rolled back get the pushes that a claim skipped meanwhile', async () => {
  const store = await aWorld({ devices: { ios: 3 } });
  await store.post();
  assert.is((await claim(store, { limit: 1 })).length, 1);
  const removals = store.devices.slice(1).map((id) => ({ name: 'removeDevice', args: { id } }) as const);
  await rollBack(store, [...removals, CLAIM]);
  assert.is((await claim(store))[0]?.targets.length, 2);
});

test('a workspace whose work was taken back by a failed transaction has its turn in a lane that was first read then', async () => {
  const store = await aWorld({ devices: { ios: 1 } });
  const publicId = await store.post();
  await rollBack(store, [{ name: 'cancelEvent', args: { publicId } }, CLAIM]);
  assert.is((await claim(store)).length, 1);
});

test.run();
