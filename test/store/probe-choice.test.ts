import * as assert from 'uvu/assert';
import { ADA } from '../support/cast.ts';
import { conformance } from '../support/engines.ts';
import { countsOf } from '../support/queue.ts';
import { NOW_MS } from '../support/store.ts';
import { aWorld, type World } from '../support/world.ts';

const { test, run } = conformance('what a probe is chosen from');

test('single pushes come from workspaces in turns, and what is given back is claimed again, all of it once', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 60 } });
  const other = await world.addWorkspace('umbrella', {
    channels: ['alerts'],
    devices: { ios: 1 },
    owner: ADA,
  });
  const publicId = await world.post();
  await other.accept();
  for (let probe = 0; probe < 3; probe += 1) {
    const claims = await claimed(world, 20, 1);
    assert.ok(claims.every(({ targets }) => targets.length === 1));
    assert.is(new Set(claims.map(({ events: [event] }) => event?.workspaceId)).size, 2);
    for (const { claimId } of claims) await world.calls.releaseBatch({ claimId });
  }
  const rest = (await claimed(world, 1_000, 100)).flatMap(({ targets }) => targets.map(({ deviceId }) => deviceId));
  assert.equal([rest.length, new Set(rest).size], [61, 61]);
  assert.is((await countsOf(world, publicId)).pending, 60);
});

run();

async function claimed({ calls }: World, limit: number, batchSize: number) {
  const asked = { route: 'apns_production', lane: 'standard', limit, batchSize } as const;
  return (await calls.claimBatches({ ...asked, steadyMs: NOW_MS, wallMs: NOW_MS })).claims;
}
