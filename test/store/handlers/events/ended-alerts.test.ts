import * as assert from 'uvu/assert';
import { conformance } from '../../../support/engines.ts';
import { aWorld, NOW_MS, type World } from '../../../support/world.ts';

const { test, run } = conformance('alerts that ended', aWorld);
const HOUR_MS = 3_600_000;

test('when the alerts of a group ended is known for three hours, to keys that reach the channel', async (engine) => {
  const world = await aWorld({ engine, channels: ['alerts', 'builds'] });
  const { id: boundKeyId } = await world.issueKey({ channels: ['builds'] });
  await note(world, { disk: 5, cpu: 7 }, NOW_MS);
  await note(world, { disk: 3, load: 9 }, NOW_MS + HOUR_MS);
  assert.equal(await known(world, NOW_MS + 2 * HOUR_MS), { disk: 5, cpu: 7, load: 9 });
  assert.equal(await known(world, NOW_MS + 2 * HOUR_MS, { group: 'another' }), {});
  assert.equal(await known(world, NOW_MS + 2 * HOUR_MS, { channel: 'builds' }), {});
  assert.equal(await known(world, NOW_MS + 2 * HOUR_MS, { boundKeyId }), {});
  assert.equal(await known(world, NOW_MS + 3 * HOUR_MS), { disk: 5, load: 9 });
  assert.equal(await known(world, NOW_MS - 1), {}, 'before the clock was set back');
  await note(world, { other: 1 }, NOW_MS + 5 * HOUR_MS, 'another');
  assert.is(await world.countRows('ended_group'), 1);
});

test('200 groups of a channel and 200 alerts of a group are remembered, those that ended last', async (engine) => {
  const world = await aWorld({ engine });
  for (let n = 0; n <= 200; n += 1) await note(world, { disk: n }, NOW_MS + n, `group ${n}`);
  assert.is(await world.countRows('ended_group'), 200);
  const later = NOW_MS + 1_000;
  assert.equal(await known(world, later, { group: 'group 0' }), {});
  assert.equal(await known(world, later, { group: 'group 1' }), { disk: 1 });
  await note(world, Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`alert ${n}`, n])), later);
  await note(world, { last: 1 }, later);
  const alerts = await known(world, later);
  assert.equal(
    [Object.keys(alerts).length, alerts.last, alerts['alert 100'], alerts['alert 101']],
    [200, 1, undefined, 101],
  );
});

run();

async function note({ calls, workspaceId }: World, ended: Record<string, number>, atMs: number, group = 'group') {
  const named = { workspaceId, boundKeyId: null, channel: 'alerts', group };
  await calls.noteEndsOfAlerts({ ...named, ended, wallMs: atMs, steadyMs: atMs });
}

function known({ calls, workspaceId }: World, atMs: number, with_: object = {}) {
  const named = { workspaceId, boundKeyId: null, channel: 'alerts', group: 'group' };
  return calls.endsOfAlerts({ ...named, ...with_, wallMs: atMs, steadyMs: atMs });
}
