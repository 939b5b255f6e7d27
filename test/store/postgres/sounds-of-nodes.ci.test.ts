import * as assert from 'uvu/assert';
import { aCluster, nodeTests, type TestNode } from '../../support/postgres-nodes.ts';
import { granted } from '../../support/refusals.ts';
import { anEvent } from '../../support/workspace.ts';

const test = nodeTests('sounds of several nodes');

const CHANNEL = { workspace: 'acme', slug: 'alerts' } as const;
const ALWAYS = { from: '00:00', to: '00:00', timezone: 'UTC' } as const;

async function reasonOn({ calls }: TestNode, workspaceId: number): Promise<string | null> {
  const answer = await calls.acceptEvent(anEvent(workspaceId));
  if (answer.kind !== 'accepted') throw new Error(answer.kind);
  const { event } = granted(await calls.showEvent({ publicId: answer.event.public_id, limit: 1 }));
  return event.quiet?.reason ?? null;
}

test('A node decides by the settings of a channel that another node has just changed', async () => {
  const { nodes, workspaceId } = await aCluster(2, { devices: { ios: 1 } });
  const [first, second] = nodes;
  assert.is(await reasonOn(second, workspaceId), null);
  granted(await first.calls.updateChannel({ ...CHANNEL, quiet: ALWAYS }));
  assert.is(await reasonOn(second, workspaceId), 'quiet_hours');
  assert.is(await reasonOn(first, workspaceId), 'quiet_hours');
  granted(await first.calls.updateChannel({ ...CHANNEL, newSlug: 'renamed' }));
  granted(await first.calls.createChannel(CHANNEL));
  assert.is(await reasonOn(second, workspaceId), null, 'another channel has the name now');
  granted(await second.calls.updateChannel({ ...CHANNEL, rings: { at_most: 1, per: 3_600 } }));
  assert.equal([await reasonOn(first, workspaceId), await reasonOn(first, workspaceId)], [null, 'storm']);
  assert.equal(
    [await reasonOn(second, workspaceId), await reasonOn(second, workspaceId)],
    [null, 'storm'],
    'each node counts its own',
  );
});

test('An event that is checked, or posted again with its key, takes no place in the limit of rings', async () => {
  const { nodes, workspaceId } = await aCluster(1, { devices: { ios: 1 } });
  const [{ calls }] = nodes;
  granted(await calls.updateChannel({ ...CHANNEL, rings: { at_most: 2, per: 3_600 } }));
  const { uuid: _, ...checked } = anEvent(workspaceId);
  for (let times = 0; times < 3; times += 1) assert.is((await calls.checkEvent(checked)).kind, 'valid');
  const posted = anEvent(workspaceId, { idempotencyKey: 'once' });
  assert.is((await calls.acceptEvent(posted)).kind, 'accepted');
  for (let times = 0; times < 3; times += 1) assert.is((await calls.acceptEvent(posted)).kind, 'replayed');
  assert.equal([await reasonOn(nodes[0], workspaceId), await reasonOn(nodes[0], workspaceId)], [null, 'storm']);
});

test.run();
