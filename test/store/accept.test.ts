import * as assert from 'uvu/assert';
import { publicIdOf } from '../../src/contract/public-id.ts';
import { androidToken } from '../support/android-token.ts';
import { ADA } from '../support/cast.ts';
import { conformance } from '../support/engines.ts';
import { granted, refused } from '../support/refusals.ts';
import { tokenOf } from '../support/workspace.ts';
import { aWorld, NOW_MS, type World } from '../support/world.ts';

const { it, onSqlite, run } = conformance('accept', aWorld);

it('an accepted event is answered with the seven fields of the specification', async (world) => {
  await world.addDevice();
  const event = world.anEvent({ level: 'success', eventType: 'deploy.finished' });
  const answer = await world.calls.acceptEvent(event);
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

onSqlite('each configured route that has a subscribed device gets one fan-out, and no other route does', async () => {
  const world = await aWorld({ routes: ['apns_production', 'apns_sandbox'] });
  await world.addDevice({ token: tokenOf(1) });
  await world.addDevice({ token: tokenOf(2) });
  await world.addDevice({ platform: 'android', token: androidToken('fcm') });
  const { routes, event } = await world.accept({ urgency: 'time_sensitive' });
  assert.equal(routes, ['apns_production']);
  assert.is(event.target_device_count, 2);
  assert.equal(world.db.prepare('SELECT route, lane, cursor, last, targeted, recorded FROM fan_out').all(), [
    { route: 'apns_production', lane: 'urgent', cursor: 0, last: 3, targeted: 2, recorded: 0 },
  ]);
});

it('an event without subscribers is accepted and puts nothing in the queue', async (world) => {
  const { routes, event } = await world.accept();
  assert.equal(routes, []);
  assert.is(event.target_device_count, 0);
  assert.is(await world.countRows('fan_out'), 0);
});

onSqlite('an event is worth sending for the time to live on the steady clock, with any wall clock', async () => {
  const world = await aWorld({ ttlMs: 60_000 });
  await world.accept({ steadyMs: 5_000 });
  assert.equal(world.db.prepare('SELECT received_at, expires_at FROM event').get(), {
    received_at: NOW_MS,
    expires_at: 65_000,
  });
});

onSqlite('the store only keeps that an event had links', async () => {
  const world = await aWorld();
  await world.accept({ hadLinks: true });
  assert.is(world.db.prepare('SELECT had_links FROM event').pluck().get(), 1);
});

it('exactly one of two racing requests with one idempotency key is accepted, and both get the same record', async (world) => {
  const [first, second] = await world.together('acceptEvent', [
    world.anEvent({ idempotencyKey: 'once' }),
    world.anEvent({ idempotencyKey: 'once', title: 'Another title' }),
  ]);
  assert.equal([first?.kind, second?.kind].sort(), ['accepted', 'replayed']);
  assert.is(recordIn(first), recordIn(second));
  assert.is((await world.calls.readUsage({ workspaceId: world.workspaceId })).used, 1);
});

it('a replay shows the first record also when its channel is inactive and the allowance is spent', async (world) => {
  await world.addDevice();
  await limitTo(world, 1);
  const first = await world.accept({ idempotencyKey: 'once' });
  await world.addDevice({ token: tokenOf(2) });
  await world.calls.updateChannel({ workspace: 'acme', slug: 'alerts', status: 'inactive' });
  const again = await world.calls.acceptEvent(world.anEvent({ idempotencyKey: 'once', wallMs: NOW_MS + 1 }));
  assert.is(again.kind, 'replayed');
  assert.is(recordIn(again), recordIn(first));
});

it('a repeated request is the same as the first one if every field of it is', async (world) => {
  const posted = {
    idempotencyKey: 'once',
    title: 'Disk full',
    description: 'on db-1',
    level: 'error',
    urgency: 'time_sensitive',
    eventType: 'disk.full',
    collapseKey: 'db-1',
    expiresInS: 600,
    occurredAtMs: NOW_MS - 1,
  } as const;
  const others = { title: 'Disk', level: 'info', expiresInS: 60, occurredAtMs: null, hadLinks: true } as const;
  await world.accept(posted);
  const isSame = async (with_: object) => {
    const again = await world.calls.acceptEvent(world.anEvent({ ...posted, ...with_ }));
    return again.kind === 'replayed' && again.isSame;
  };
  assert.ok(await isSame({}));
  for (const [field, value] of Object.entries(others)) assert.not(await isSame({ [field]: value }), field);
});

it('one workspace does not know the idempotency keys of another', async (world) => {
  const first = await world.accept({ idempotencyKey: 'once' });
  const { workspaceId } = await world.addWorkspace('umbrella', { channels: ['alerts'] });
  const other = await world.accept({ idempotencyKey: 'once', workspaceId });
  assert.is.not(other.event.public_id, first.event.public_id);
});

it('a channel that is unknown, inactive, of another workspace or differs in case is not found, and nothing is stored', async (world) => {
  granted(await world.calls.createChannel({ workspace: 'acme', slug: 'quiet' }));
  granted(await world.calls.updateChannel({ workspace: 'acme', slug: 'quiet', status: 'inactive' }));
  granted(await world.calls.createWorkspace({ slug: 'umbrella' }));
  granted(await world.calls.createChannel({ workspace: 'umbrella', slug: 'theirs' }));
  for (const channel of ['nowhere', 'quiet', 'theirs', 'Alerts']) {
    assert.is((await world.calls.acceptEvent(world.anEvent({ channel, idempotencyKey: 'k' }))).kind, 'unknown_channel');
  }
  assert.is((await world.countRows('event')) + (await world.countRows('usage')) + (await world.countRows('tally')), 0);
});

it('exactly three of ten racing requests for the last three places are accepted', async (world) => {
  await limitTo(world, 5);
  await world.accept();
  await world.accept();
  const answers = await world.together(
    'acceptEvent',
    Array.from({ length: 10 }, () => world.anEvent()),
  );
  assert.is(answers.filter(({ kind }) => kind === 'accepted').length, 3);
  assert.equal(answers.at(-1), { kind: 'allowance_exhausted', resetsAtMs: Date.UTC(2026, 11, 1) });
});

it('a spent allowance is whole again from the first millisecond of the next month on', async (world) => {
  await limitTo(world, 1);
  const newYearMs = Date.UTC(2027, 0, 1);
  await world.accept({ wallMs: Date.UTC(2026, 11, 5) });
  const late = await world.calls.acceptEvent(world.anEvent({ wallMs: newYearMs - 1 }));
  assert.equal(late, { kind: 'allowance_exhausted', resetsAtMs: newYearMs });
  assert.is((await world.accept({ wallMs: newYearMs })).kind, 'accepted');
});

it('one text of a sender stays the title in lists and searches, and is claimed with the name of its channel', async (world) => {
  await world.addDevice();
  granted(await world.calls.updateChannel({ workspace: 'acme', slug: 'alerts', name: 'Our alerts' }));
  await world.accept({ title: 'Disk full', description: null, oneText: 1 });
  await world.accept({ title: 'Disk full', description: null });
  const claims = (await world.calls.claimBatches(LANE)).claims.flatMap(({ events }) => events);
  assert.equal(
    claims.map(({ event: { title, description, headline } }) => [title, description, headline]),
    [
      ['Disk full', null, 'Our alerts'],
      ['Disk full', null, undefined],
    ],
  );
  const found = granted(await world.calls.listEvents({ workspace: 'acme', q: 'disk', limit: 9 }));
  assert.is(found.events.length, 2);
});

it('a test push goes to its one device at once, and counts no usage and no event', async (world) => {
  const id = await world.addDevice();
  const { event } = granted(await world.calls.testDevice({ id, uuid: world.anEvent().uuid }));
  assert.is(event.target_device_count, 1);
  const [claim] = (await world.calls.claimBatches({ ...LANE, lane: 'urgent' })).claims;
  assert.is(claim?.events[0]?.event.publicId, event.public_id);
  assert.is(claim?.targets.length, 1);
  assert.is((await world.countRows('usage')) + (await world.countRows('tally')), 0);
});

onSqlite(
  'a test push is refused for a device that is unknown, inactive, or of a platform without a provider',
  async () => {
    const world = await aWorld({ routes: ['apns_production'] });
    const silent = await world.addDevice();
    const android = await world.addDevice({ platform: 'android', token: androidToken('fcm') });
    world.db
      .prepare(`UPDATE device SET status = 'inactive', inactive_reason = 'Unregistered' WHERE public_id = ?`)
      .run(silent);
    const refusalOf = async (id: string) => refused(await world.calls.testDevice({ id, uuid: world.anEvent().uuid }));
    assert.is((await refusalOf('dev_nobody')).refused, 'not_found');
    assert.match((await refusalOf(silent)).message, 'is inactive (Unregistered)');
    assert.match((await refusalOf(android)).message, 'No provider is configured for fcm');
    assert.is(await world.countRows('event'), 0);
  },
);

onSqlite('the owner of the test push is the workspace that the user joined first', async () => {
  const world = await aWorld();
  const id = await world.addDevice();
  granted(await world.calls.createWorkspace({ slug: 'umbrella' }));
  granted(await world.calls.addMember({ workspace: 'umbrella', email: ADA, role: 'member', wallMs: NOW_MS + 1 }));
  granted(await world.calls.testDevice({ id, uuid: world.anEvent().uuid }));
  assert.is(world.db.prepare('SELECT workspace_id FROM event').pluck().get(), world.workspaceId);
});

run();

const LANE = {
  route: 'apns_production',
  lane: 'standard',
  limit: 10,
  batchSize: 100,
} as const;

async function limitTo({ calls }: World, monthlyEvents: number): Promise<void> {
  granted(await calls.setPlan({ name: 'small', monthlyEvents }));
  granted(await calls.setWorkspacePlan({ slug: 'acme', plan: 'small' }));
}

/** Byte for byte. */
function recordIn(answer: unknown): string {
  return JSON.stringify((answer as { event: unknown }).event);
}
