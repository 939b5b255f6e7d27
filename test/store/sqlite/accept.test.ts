import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { publicIdOf } from '../../../src/contract/public-id.ts';
import { androidToken } from '../../support/android-token.ts';
import { aWorld, EMAIL, granted, NOW_MS, refused, tokenOf } from '../../support/world.ts';

const test = suite('accept');

test('an accepted event is answered with the seven fields of the specification', () => {
  const world = aWorld();
  world.addDevice();
  const event = world.anEvent({ level: 'success', eventType: 'deploy.finished' });
  const answer = world.calls.acceptEvent(event);
  assert.is(answer.kind, 'accepted');
  assert.equal(answer.kind === 'accepted' && answer.event, {
    public_id: publicIdOf(event.uuid),
    event_uuid: event.uuid,
    status: 'queued',
    level: 'success',
    event_type: 'deploy.finished',
    target_device_count: 1,
    received_at: '2026-11-21T09:30:00.123+00:00',
  });
});

test('each configured route that somebody listens on gets one fan-out, and no other route does', () => {
  const world = aWorld({ routes: ['apns_production', 'apns_sandbox'] });
  world.addDevice({ token: tokenOf(1) });
  world.addDevice({ token: tokenOf(2) });
  world.addDevice({ platform: 'android', token: androidToken('fcm') });
  const { routes, event } = world.accept({ urgency: 'time_sensitive' });
  assert.equal(routes, ['apns_production']);
  assert.is(event.target_device_count, 2);
  assert.equal(world.db.prepare('SELECT route, lane, cursor, last, targeted, recorded FROM fan_out').all(), [
    { route: 'apns_production', lane: 'urgent', cursor: 0, last: 3, targeted: 2, recorded: 0 },
  ]);
});

test('an event for nobody is accepted and puts nothing in the queue', () => {
  const world = aWorld();
  const { routes, event } = world.accept();
  assert.equal(routes, []);
  assert.is(event.target_device_count, 0);
  assert.is(world.countRows('fan_out'), 0);
});

test('an event is worth sending for the time to live on the steady clock, whatever the wall clock says', () => {
  const world = aWorld({ ttlMs: 60_000 });
  world.accept({ wallMs: NOW_MS, steadyMs: 5_000 });
  assert.equal(world.db.prepare('SELECT received_at, expires_at FROM event').get(), {
    received_at: NOW_MS,
    expires_at: 65_000,
  });
});

test('of the links it is stored only that there were any', () => {
  const world = aWorld();
  world.accept({ hadLinks: true });
  assert.is(world.db.prepare('SELECT had_links FROM event').pluck().get(), 1);
});

test('of two racing requests with one idempotency key exactly one is accepted, and both get the same record', () => {
  const world = aWorld();
  const [first, second] = world.together('acceptEvent', [
    world.anEvent({ idempotencyKey: 'once' }),
    world.anEvent({ idempotencyKey: 'once', title: 'Another title' }),
  ]);
  assert.is(first?.kind, 'accepted');
  assert.is(second?.kind, 'replayed');
  assert.is(recordIn(first), recordIn(second));
  assert.is(world.calls.readUsage({ workspaceId: world.workspaceId, wallMs: NOW_MS }).used, 1);
});

test('a replay shows the first record also when its channel is inactive and the allowance is spent', () => {
  const world = aWorld();
  world.addDevice();
  limitTo(world, 1);
  const first = world.accept({ idempotencyKey: 'once' });
  world.addDevice({ token: tokenOf(2) });
  world.calls.updateChannel({ workspace: 'acme', slug: 'deploys', status: 'inactive' });
  const again = world.calls.acceptEvent(world.anEvent({ idempotencyKey: 'once', wallMs: NOW_MS + 1 }));
  assert.is(again.kind, 'replayed');
  assert.is(recordIn(again), recordIn(first));
});

test('one workspace does not know the idempotency keys of another', () => {
  const world = aWorld();
  const first = world.accept({ idempotencyKey: 'once' });
  const workspaceId = world.addWorkspace('umbrella');
  granted(world.calls.createChannel({ workspace: 'umbrella', slug: 'deploys', wallMs: NOW_MS }));
  const other = world.accept({ idempotencyKey: 'once', workspaceId });
  assert.is.not(other.event.public_id, first.event.public_id);
});

test('a channel that is unknown, inactive, of another workspace or differs in case is not found, and nothing is stored', () => {
  const world = aWorld();
  granted(world.calls.createChannel({ workspace: 'acme', slug: 'quiet', wallMs: NOW_MS }));
  granted(world.calls.updateChannel({ workspace: 'acme', slug: 'quiet', status: 'inactive' }));
  granted(world.calls.createWorkspace({ slug: 'umbrella', wallMs: NOW_MS }));
  granted(world.calls.createChannel({ workspace: 'umbrella', slug: 'theirs', wallMs: NOW_MS }));
  for (const channel of ['nowhere', 'quiet', 'theirs', 'Deploys']) {
    assert.is(world.calls.acceptEvent(world.anEvent({ channel, idempotencyKey: 'k' })).kind, 'unknown_channel');
  }
  assert.is(world.countRows('event') + world.countRows('usage') + world.countRows('tally'), 0);
});

test('of ten racing requests for the last three places exactly three are accepted', () => {
  const world = aWorld();
  limitTo(world, 5);
  world.accept();
  world.accept();
  const answers = world.together(
    'acceptEvent',
    Array.from({ length: 10 }, () => world.anEvent()),
  );
  assert.is(answers.filter(({ kind }) => kind === 'accepted').length, 3);
  assert.equal(answers.at(-1), { kind: 'allowance_exhausted', resetsAtMs: Date.UTC(2026, 11, 1) });
});

test('a spent allowance is whole again from the first millisecond of the next month on', () => {
  const world = aWorld();
  limitTo(world, 1);
  const newYearMs = Date.UTC(2027, 0, 1);
  world.accept({ wallMs: Date.UTC(2026, 11, 5) });
  const late = world.calls.acceptEvent(world.anEvent({ wallMs: newYearMs - 1 }));
  assert.equal(late, { kind: 'allowance_exhausted', resetsAtMs: newYearMs });
  assert.is(world.accept({ wallMs: newYearMs }).kind, 'accepted');
});

test('who subscribes after an event was accepted is not in its fan-out', () => {
  const world = aWorld();
  world.addDevice({ token: tokenOf(1) });
  world.accept();
  world.addDevice({ token: tokenOf(2) });
  assert.equal(claimedTokens(world), [tokenOf(1)]);
});

test('a test push goes to its one device at once, and counts no usage and no event', () => {
  const world = aWorld();
  const id = world.addDevice();
  const { event } = granted(world.calls.testDevice({ id, ...times(), uuid: world.anEvent().uuid }));
  assert.is(event.target_device_count, 1);
  const [claim] = world.calls.claimBatches({ ...LANE, lane: 'urgent' }).claims;
  assert.is(claim?.events[0]?.event.publicId, event.public_id);
  assert.is(claim?.targets.length, 1);
  assert.is(world.countRows('usage') + world.countRows('tally'), 0);
});

test('a test push is refused for a device that is unknown, inactive, or of a platform without a provider', () => {
  const world = aWorld({ routes: ['apns_production'] });
  const silent = world.addDevice();
  const android = world.addDevice({ platform: 'android', token: androidToken('fcm') });
  world.db
    .prepare(`UPDATE device SET status = 'inactive', inactive_reason = 'Unregistered' WHERE public_id = ?`)
    .run(silent);
  const refusalOf = (id: string) => refused(world.calls.testDevice({ id, ...times(), uuid: world.anEvent().uuid }));
  assert.is(refusalOf('dev_nobody').refused, 'not_found');
  assert.match(refusalOf(silent).message, 'is inactive (Unregistered)');
  assert.match(refusalOf(android).message, 'No provider is configured for fcm');
  assert.is(world.countRows('event'), 0);
});

test('the owner of the test push is the workspace that the user joined first', () => {
  const world = aWorld();
  const id = world.addDevice();
  granted(world.calls.createWorkspace({ slug: 'umbrella', wallMs: NOW_MS }));
  granted(world.calls.addMember({ workspace: 'umbrella', email: EMAIL, role: 'member', wallMs: NOW_MS + 1 }));
  granted(world.calls.testDevice({ id, ...times(), uuid: world.anEvent().uuid }));
  assert.is(world.db.prepare('SELECT workspace_id FROM event').pluck().get(), world.workspaceId);
});

test.run();

const LANE = {
  route: 'apns_production',
  lane: 'standard',
  limit: 10,
  batchSize: 100,
  steadyMs: NOW_MS,
  wallMs: NOW_MS,
} as const;

function claimedTokens(world: ReturnType<typeof aWorld>): string[] {
  return world.calls.claimBatches(LANE).claims.flatMap(({ targets }) => targets.map(({ token }) => token));
}

function limitTo({ calls }: ReturnType<typeof aWorld>, monthlyEvents: number): void {
  granted(calls.setPlan({ name: 'small', monthlyEvents }));
  granted(calls.setWorkspacePlan({ slug: 'acme', plan: 'small' }));
}

/** Byte for byte. */
function recordIn(answer: unknown): string {
  return JSON.stringify((answer as { event: unknown }).event);
}

function times() {
  return { wallMs: NOW_MS, steadyMs: NOW_MS };
}
