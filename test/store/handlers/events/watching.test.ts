import * as assert from 'uvu/assert';
import { isRefusal, type Watched } from '../../../../src/store/calls.ts';
import { conformance } from '../../../support/engines.ts';
import { granted } from '../../../support/refusals.ts';
import { aWorld } from '../../../support/world.ts';

const { test, it, run } = conformance('store: watching', aWorld);

it('Existing things can be watched, together with their place', async ({ calls, workspaceId, accept }) => {
  const event = (await accept()).event.public_id;
  const here = { workspace: 'acme', channel: 'alerts', event } as const;
  assert.equal(await calls.findWatched({}), { workspaceId: null });
  assert.equal(await calls.findWatched({ channel: 'alerts', route: 'fcm' }), { workspaceId: null });
  assert.equal(await calls.findWatched(here), { workspaceId });
});

test('A name that there is not is refused, with the nearest one', async (engine) => {
  const { calls, addWorkspace, accept } = await aWorld({ engine, routes: ['fcm'] });
  await addWorkspace('umbrella');
  granted(await calls.createChannel({ workspace: 'umbrella', slug: 'builds' }));
  const event = (await accept()).event.public_id;
  for (const [watched, expected] of [
    [{ workspace: 'acm' }, 'No workspace is called "acm". The nearest is "acme".'],
    [{ channel: 'alert' }, 'No workspace has a channel "alert". The nearest is "alerts".'],
    [{ workspace: 'acme', channel: 'builds' }, 'Workspace "acme" has no channel "builds".'],
    [{ route: 'apns_sandbox' }, 'No provider is configured for apns_sandbox.'],
    [{ event: 'evt_1' }, 'No event has the id "evt_1".'],
    [{ event, workspace: 'umbrella' }, `Event "${event}" was posted to acme/alerts.`],
    [{ event, channel: 'builds' }, `Event "${event}" was posted to acme/alerts.`],
  ] as readonly (readonly [Watched, string])[]) {
    const answer = await calls.findWatched(watched);
    assert.ok(isRefusal(answer), JSON.stringify(watched));
    assert.match(answer.message, expected);
  }
});

run();
