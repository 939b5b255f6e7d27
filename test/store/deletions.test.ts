import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AnswerOf } from '../../src/store/calls.ts';
import { aDevice, aWorld, EMAIL, granted, NOW_MS, refused, tokenOf, type World } from '../support/world.ts';

const ALL_BUT_COUNTERS = [
  'workspace',
  'channel',
  'api_key',
  'user',
  'member',
  'pairing_code',
  'device',
  'subscription',
  'audience',
  'event',
  'usage',
  'fan_out',
  'delivery',
  'attempt',
];

const test = suite('deletions');

test('a deleted workspace leaves nothing but numbers', () => {
  const world = aBusyWorld();
  granted(world.calls.createPairingCode({ email: EMAIL, codeHash: 'ab'.repeat(32), expiresAtMs: NOW_MS }));
  granted(
    world.calls.issueKey({
      workspace: 'acme',
      id: 'k',
      secretHash: 'ab'.repeat(32),
      scopes: ['events:write'],
      wallMs: NOW_MS,
    }),
  );
  untilDone(() => world.calls.deleteWorkspaceStep({ slug: 'acme' }));
  for (const table of ALL_BUT_COUNTERS) assert.is(world.countRows(table), 0, table);
  assert.is(world.calls.findKey({ id: 'k' }), null);
});

test('the first step of a deletion already stops all sends', () => {
  const world = aBusyWorld();
  addDevices(world, 1500);
  world.accept();
  assert.equal(world.calls.deleteWorkspaceStep({ slug: 'acme' }), { done: false });
  assert.is(granted(world.calls.showWorkspace({ slug: 'acme', wallMs: NOW_MS })).status, 'suspended');
  assert.equal(claimed(world), []);
});

test('a workspace with much in it is deleted in steps of at most a thousand rows', () => {
  const world = aWorld();
  addDevices(world, 2500);
  const steps = untilDone(() => {
    const before = totalRows(world);
    const answer = world.calls.deleteWorkspaceStep({ slug: 'acme' });
    assert.ok(before - totalRows(world) <= 1010, `${before - totalRows(world)} rows`);
    return answer;
  });
  assert.is(steps, 6);
});

test('a user of another workspace stays when one is deleted, with the devices', () => {
  const world = aBusyWorld();
  world.addWorkspace('umbrella');
  granted(world.calls.addMember({ workspace: 'umbrella', email: EMAIL, role: 'member', wallMs: NOW_MS }));
  untilDone(() => world.calls.deleteWorkspaceStep({ slug: 'acme' }));
  const [device] = granted(world.calls.listDevices({ workspace: 'umbrella', limit: 100 })).devices;
  assert.equal(device?.channels, []);
});

test('a deleted channel takes its events, its queue and its subscriptions along, and nothing else', () => {
  const world = aBusyWorld();
  granted(world.calls.createChannel({ workspace: 'acme', slug: 'alerts', wallMs: NOW_MS }));
  world.addDevice({ subscribe: ['alerts'] });
  const { event } = world.accept({ channel: 'alerts' });
  untilDone(() => world.calls.deleteChannelStep({ workspace: 'acme', slug: 'deploys' }));
  assert.equal(
    granted(world.calls.listEvents({ workspace: 'acme', limit: 9 })).map(({ public_id }) => public_id),
    [event.public_id],
  );
  assert.equal(
    granted(world.calls.listChannels({ workspace: 'acme' })).map(({ slug }) => slug),
    ['alerts'],
  );
  assert.is(world.countRows('delivery') + world.countRows('attempt'), 0);
  assert.equal(claimed(world), [event.public_id]);
});

test('a channel that is being deleted takes no events', () => {
  const world = aWorld();
  addDevices(world, 1500);
  assert.equal(world.calls.deleteChannelStep({ workspace: 'acme', slug: 'deploys' }), { done: false });
  assert.is(world.calls.acceptEvent(world.anEvent()).kind, 'unknown_channel');
});

test('a slug that was deleted is free again, and begins with nothing', () => {
  const world = aBusyWorld();
  untilDone(() => world.calls.deleteWorkspaceStep({ slug: 'acme' }));
  assert.is(refused(world.calls.deleteWorkspaceStep({ slug: 'acme' })).refused, 'not_found');
  world.addWorkspace('acme');
  assert.equal(world.calls.listChannels({ workspace: 'acme' }), []);
  assert.is(granted(world.calls.showWorkspace({ slug: 'acme', wallMs: NOW_MS })).events_this_month, 0);
});

test.run();

/** With an event that is partly settled and partly waits, and another one that waits as a whole. */
function aBusyWorld(): World {
  const world = aWorld();
  world.addDevice({ token: tokenOf(9_000_001) });
  world.accept();
  const [claim] = world.calls.claimBatches({ ...LANE, ...TIME }).claims;
  const verdict = { state: 'pending', reason: 'busy', dueAtSteadyMs: NOW_MS + 1, spent: true } as const;
  const verdicts = [{ index: 0, verdict, fitted: false, linksLost: false }];
  world.calls.settleBatch({ batchId: claim?.batchId ?? 0, verdicts, ...TIME });
  world.accept();
  return world;
}

const LANE = { route: 'apns_production', lane: 'standard', limit: 9, batchSize: 9 } as const;
const TIME = { steadyMs: NOW_MS, wallMs: NOW_MS };

function claimed({ calls }: World): string[] {
  return calls
    .claimBatches({ ...LANE, ...TIME })
    .claims.flatMap(({ events }) => events.map(({ event }) => event.publicId));
}

function addDevices(world: World, count: number): void {
  world.importDevices(Array.from({ length: count }, (_, n) => aDevice({ token: tokenOf(n) })));
}

function totalRows(world: World): number {
  return ALL_BUT_COUNTERS.reduce((sum, table) => sum + world.countRows(table), 0);
}

/** Answers how many steps it took. */
function untilDone(step: () => AnswerOf<'deleteWorkspaceStep'>): number {
  for (let steps = 1; steps <= 100; steps += 1) if (granted(step()).done) return steps;
  throw new Error('never done');
}
