import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Actor } from '../../../src/store/calls.ts';
import { androidToken } from '../../support/android-token.ts';
import { hashOf, OPERATOR, signIn } from '../../support/people.ts';
import { temporaryStore } from '../../support/store.ts';
import { aWorld, EMAIL, granted, NOW_MS, refused } from '../../support/world.ts';

const test = suite('workspaces, plans and channels');

test('a new workspace is active, unlimited, and called as its slug unless it has a name', () => {
  const { calls } = temporaryStore();
  granted(calls.createWorkspace({ slug: 'acme', wallMs: NOW_MS }));
  granted(calls.createWorkspace({ slug: 'umbrella', name: 'Umbrella Ltd', wallMs: NOW_MS }));
  const created_at = '2026-11-21T09:30:00.123+00:00';
  assert.equal(calls.listWorkspaces({}), [
    { slug: 'acme', name: 'acme', status: 'active', plan: 'unlimited', created_at },
    { slug: 'umbrella', name: 'Umbrella Ltd', status: 'active', plan: 'unlimited', created_at },
  ]);
});

test('a slug is taken once, and must look like one', () => {
  const { calls } = aWorld();
  assert.is(refused(calls.createWorkspace({ slug: 'acme', wallMs: NOW_MS })).refused, 'conflict');
  for (const slug of ['', '-a', 'a b', 'ä', 'x'.repeat(64)]) {
    assert.is(refused(calls.createWorkspace({ slug, wallMs: NOW_MS })).refused, 'invalid');
  }
  granted(calls.createWorkspace({ slug: 'x'.repeat(63), wallMs: NOW_MS }));
});

test('a name that is not known is answered with the nearest one, if one is near, to operators alone', () => {
  const world = aWorld();
  const { calls } = world;
  signIn(world, 'laptop');
  const ana: Actor = { kind: 'user', name: EMAIL, address: '192.0.2.7', session: hashOf('laptop'), manages: null };
  const messageFor = (slug: string, actor: Actor) => refused(calls.showWorkspace({ slug }, actor)).message;
  assert.is(messageFor('acmee', OPERATOR), 'No workspace is called "acmee". The nearest is "acme".');
  assert.is(messageFor('umbrella', OPERATOR), 'No workspace is called "umbrella".');
  assert.is(messageFor('acmee', ana), 'No workspace is called "acmee".');
});

test('what an operator can do on the command line stands apart from what everybody may read', () => {
  const { calls } = aWorld();
  const { hint } = refused(calls.showWorkspace({ slug: 'umbrella', wallMs: NOW_MS }));
  assert.is(hint, '`pushctl workspace list` shows them all.');
});

test('a workspace shows what it has used of its allowance', () => {
  const world = aWorld();
  granted(world.calls.setPlan({ name: 'small', monthlyEvents: 10 }));
  granted(world.calls.setWorkspacePlan({ slug: 'acme', plan: 'small' }));
  world.accept();
  assert.equal(world.calls.showWorkspace({ slug: 'acme', wallMs: NOW_MS }), {
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

test('a workspace is suspended and activated again', () => {
  const { calls } = aWorld();
  assert.is(granted(calls.setWorkspaceStatus({ slug: 'acme', status: 'suspended' })).status, 'suspended');
  assert.is(granted(calls.showWorkspace({ slug: 'acme', wallMs: NOW_MS })).status, 'suspended');
  assert.is(granted(calls.setWorkspaceStatus({ slug: 'acme', status: 'active' })).status, 'active');
});

test('a plan is made, then changed, for all its workspaces at once', () => {
  const { calls } = aWorld();
  granted(calls.setPlan({ name: 'small', monthlyEvents: 10 }));
  granted(calls.setWorkspacePlan({ slug: 'acme', plan: 'small' }));
  assert.equal(calls.setPlan({ name: 'small', monthlyEvents: 20 }), { name: 'small', monthly_event_allowance: 20 });
  assert.is(granted(calls.showWorkspace({ slug: 'acme', wallMs: NOW_MS })).monthly_event_allowance, 20);
  assert.equal(calls.listPlans({}), [
    { name: 'small', monthly_event_allowance: 20 },
    { name: 'unlimited', monthly_event_allowance: null },
  ]);
});

test('a plan that does not exist, or a senseless one, is refused', () => {
  const { calls } = aWorld();
  assert.match(
    refused(calls.setWorkspacePlan({ slug: 'acme', plan: 'unlimitd' })).message,
    'The nearest is "unlimited"',
  );
  assert.is(refused(calls.createWorkspace({ slug: 'new', plan: 'gold', wallMs: NOW_MS })).refused, 'invalid');
  assert.is(refused(calls.setPlan({ name: 'small', monthlyEvents: -1 })).refused, 'invalid');
  assert.is(refused(calls.setPlan({ name: 'a b', monthlyEvents: 1 })).refused, 'invalid');
});

test('channels are listed with the number of their active devices', () => {
  const world = aWorld();
  granted(world.calls.createChannel({ workspace: 'acme', slug: 'Alerts.eu_1', name: 'Alerts', wallMs: NOW_MS }));
  world.addDevice();
  world.addDevice({ platform: 'android', token: androidToken('fcm') });
  assert.equal(world.calls.listChannels({ workspace: 'acme' }), [
    { slug: 'Alerts.eu_1', name: 'Alerts', status: 'active', device_count: 0 },
    { slug: 'deploys', name: 'deploys', status: 'active', device_count: 2 },
  ]);
});

test('a channel slug is taken once in a workspace, differs by case, and has up to 120 characters', () => {
  const { calls } = aWorld();
  const create = (slug: string) => calls.createChannel({ workspace: 'acme', slug, wallMs: NOW_MS });
  assert.is(refused(create('deploys')).refused, 'conflict');
  granted(create('Deploys'));
  granted(create('x'.repeat(120)));
  assert.is(refused(create('x'.repeat(121))).refused, 'invalid');
});

test('a channel is deactivated and activated again, and keeps its devices', () => {
  const world = aWorld();
  world.addDevice();
  const set = (status: 'active' | 'inactive') =>
    world.calls.updateChannel({ workspace: 'acme', slug: 'deploys', status });
  assert.equal(set('inactive'), { slug: 'deploys', name: 'deploys', status: 'inactive', device_count: 1 });
  assert.equal(set('active'), { slug: 'deploys', name: 'deploys', status: 'active', device_count: 1 });
  const wrong = world.calls.updateChannel({ workspace: 'acme', slug: 'deploy', status: 'active' });
  assert.match(refused(wrong).message, 'The nearest is "deploys"');
});

test.run();
