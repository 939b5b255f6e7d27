import * as assert from 'uvu/assert';
import type { Actor } from '../../../src/store/calls.ts';
import { androidToken } from '../../support/android-token.ts';
import { ADA } from '../../support/cast.ts';
import { conformance } from '../../support/engines.ts';
import { hashOf, OPERATOR, signIn } from '../../support/people.ts';
import { granted, refused } from '../../support/refusals.ts';
import { temporaryStore } from '../../support/store.ts';
import { aWorld } from '../../support/world.ts';

const { test, it, run } = conformance('workspaces, plans and channels', aWorld);

test('a new workspace is active, unlimited, and called as its slug unless it has a name', async (engine) => {
  const { calls } = await temporaryStore({ engine });
  granted(await calls.createWorkspace({ slug: 'acme' }));
  granted(await calls.createWorkspace({ slug: 'umbrella', name: 'Umbrella Ltd' }));
  const created_at = '2026-11-21T09:30:00.123+00:00';
  assert.equal(await calls.listWorkspaces({}), [
    { slug: 'acme', name: 'acme', status: 'active', plan: 'unlimited', created_at },
    { slug: 'umbrella', name: 'Umbrella Ltd', status: 'active', plan: 'unlimited', created_at },
  ]);
});

it('a slug is taken once, and must look like one', async ({ calls }) => {
  assert.is(refused(await calls.createWorkspace({ slug: 'acme' })).refused, 'conflict');
  for (const slug of ['', '-a', 'a b', 'ä', 'x'.repeat(64)]) {
    assert.is(refused(await calls.createWorkspace({ slug })).refused, 'invalid');
  }
  granted(await calls.createWorkspace({ slug: 'x'.repeat(63) }));
});

it('operators alone get the nearest name for an unknown one, if any is near', async (world) => {
  const { calls } = world;
  await signIn(world, 'laptop');
  const ada: Actor = { kind: 'user', name: ADA, address: '192.0.2.7', session: hashOf('laptop'), manages: null };
  const messageFor = async (slug: string, actor: Actor) => refused(await calls.showWorkspace({ slug }, actor)).message;
  assert.is(await messageFor('acmee', OPERATOR), 'No workspace is called "acmee". The nearest is "acme".');
  assert.is(await messageFor('umbrella', OPERATOR), 'No workspace is called "umbrella".');
  assert.is(await messageFor('acmee', ada), 'No workspace is called "acmee".');
});

it('the rights of an operator on the command line stand apart from what everybody may read', async ({ calls }) => {
  const { hint } = refused(await calls.showWorkspace({ slug: 'umbrella' }));
  assert.is(hint, '`pushctl workspace list` shows them all.');
});

it('a workspace shows what it has used of its allowance', async (world) => {
  granted(await world.calls.setPlan({ name: 'small', monthlyEvents: 10 }));
  granted(await world.calls.setWorkspacePlan({ slug: 'acme', plan: 'small' }));
  await world.accept();
  assert.equal(await world.calls.showWorkspace({ slug: 'acme' }), {
    slug: 'acme',
    name: 'acme',
    status: 'active',
    plan: 'small',
    created_at: '2026-11-21T09:30:00.123+00:00',
    monthly_event_allowance: 10,
    events_this_month: 1,
    allowance_resets_at: '2026-12-01T00:00:00.000+00:00',
  });
});

it('a workspace is suspended and activated again', async ({ calls }) => {
  assert.is(granted(await calls.setWorkspaceStatus({ slug: 'acme', status: 'suspended' })).status, 'suspended');
  assert.is(granted(await calls.showWorkspace({ slug: 'acme' })).status, 'suspended');
  assert.is(granted(await calls.setWorkspaceStatus({ slug: 'acme', status: 'active' })).status, 'active');
});

it('a plan is made, then changed, for all its workspaces at once', async ({ calls }) => {
  granted(await calls.setPlan({ name: 'small', monthlyEvents: 10 }));
  granted(await calls.setWorkspacePlan({ slug: 'acme', plan: 'small' }));
  assert.equal(await calls.setPlan({ name: 'small', monthlyEvents: 20 }), {
    name: 'small',
    monthly_event_allowance: 20,
  });
  assert.is(granted(await calls.showWorkspace({ slug: 'acme' })).monthly_event_allowance, 20);
  assert.equal(await calls.listPlans({}), [
    { name: 'small', monthly_event_allowance: 20 },
    { name: 'unlimited', monthly_event_allowance: null },
  ]);
});

it('a plan that does not exist, or a senseless one, is refused', async ({ calls }) => {
  assert.match(
    refused(await calls.setWorkspacePlan({ slug: 'acme', plan: 'unlimitd' })).message,
    'The nearest is "unlimited"',
  );
  assert.is(refused(await calls.createWorkspace({ slug: 'new', plan: 'gold' })).refused, 'invalid');
  assert.is(refused(await calls.setPlan({ name: 'small', monthlyEvents: -1 })).refused, 'invalid');
  assert.is(refused(await calls.setPlan({ name: 'a b', monthlyEvents: 1 })).refused, 'invalid');
});

it('channels are listed with the number of their active devices', async (world) => {
  granted(await world.calls.createChannel({ workspace: 'acme', slug: 'Alerts.eu_1', name: 'Alerts' }));
  await world.addDevice();
  await world.addDevice({ platform: 'android', token: androidToken('fcm') });
  assert.equal(await world.calls.listChannels({ workspace: 'acme' }), [
    { slug: 'Alerts.eu_1', name: 'Alerts', status: 'active', device_count: 0, insist: null, quiet: null, rings: null },
    { slug: 'alerts', name: 'alerts', status: 'active', device_count: 2, insist: null, quiet: null, rings: null },
  ]);
});

it('a channel slug is taken once in a workspace, differs by case, and has up to 120 characters', async ({ calls }) => {
  const create = (slug: string) => calls.createChannel({ workspace: 'acme', slug });
  assert.is(refused(await create('alerts')).refused, 'conflict');
  granted(await create('Alerts'));
  granted(await create('x'.repeat(120)));
  assert.is(refused(await create('x'.repeat(121))).refused, 'invalid');
});

it('a channel is deactivated and activated again, and keeps its devices', async (world) => {
  await world.addDevice();
  const set = (status: 'active' | 'inactive') =>
    world.calls.updateChannel({ workspace: 'acme', slug: 'alerts', status });
  assert.equal(await set('inactive'), {
    slug: 'alerts',
    name: 'alerts',
    status: 'inactive',
    device_count: 1,
    insist: null,
    quiet: null,
    rings: null,
  });
  assert.equal(await set('active'), {
    slug: 'alerts',
    name: 'alerts',
    status: 'active',
    device_count: 1,
    insist: null,
    quiet: null,
    rings: null,
  });
  const wrong = await world.calls.updateChannel({ workspace: 'acme', slug: 'alert', status: 'active' });
  assert.match(refused(wrong).message, 'The nearest is "alerts"');
});

run();
