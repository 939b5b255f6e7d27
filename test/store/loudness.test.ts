import * as assert from 'uvu/assert';
import { anInsistingWorld, INSISTING, insist, MINUTE_MS, roundAt, sentAt } from '../support/alerts.ts';
import { BOB } from '../support/cast.ts';
import { conformance } from '../support/engines.ts';
import { granted } from '../support/refusals.ts';
import { NOW_MS, type World } from '../support/world.ts';

const { it, run } = conformance('loudness', anInsistingWorld);

/** NOW_MS is 09:30 in UTC. */
const MORNING = { from: '09:00', to: '12:00', timezone: 'UTC' } as const;

async function quietOf(world: World, publicId: string) {
  return granted(await world.calls.showEvent({ publicId, limit: 10 })).event.quiet;
}

it('an event and each of its deliveries say why they make no sound', async (world) => {
  granted(await world.calls.updateChannel({ workspace: 'acme', slug: 'alerts', quiet: MORNING }));
  const standard = await world.post({});
  const opening = await world.post(INSISTING);
  const joining = await world.post(INSISTING);
  await world.join(BOB);
  granted(await world.calls.acknowledgeAlert({ publicId: opening, as: BOB }));
  const taken = await world.post(INSISTING);
  const over = await world.post({ level: 'success', collapseKey: 'disk' });
  const found = [];
  for (const publicId of [standard, opening, joining, taken, over]) found.push(await quietOf(world, publicId));
  assert.equal(found, [
    { reason: 'quiet_hours' },
    null,
    null,
    { reason: 'acknowledged', by: 'bob' },
    { reason: 'notice' },
  ]);
  await sentAt(world, NOW_MS);
  const { deliveries } = granted(await world.calls.showEvent({ publicId: standard, limit: 10 }));
  assert.equal(
    deliveries.map(({ quiet }) => quiet),
    [{ reason: 'quiet_hours' }],
  );
});

it('each of a hundred events at once follows its own channel, from the moment of a change', async (world) => {
  granted(await world.calls.createChannel({ workspace: 'acme', slug: 'builds' }));
  const posts = (wallMs: number) =>
    Promise.all(
      Array.from({ length: 100 }, (_, nth) => world.post({ channel: nth % 2 === 0 ? 'alerts' : 'builds', wallMs })),
    );
  const reasons = async (ids: readonly string[]) => {
    const found = await Promise.all(ids.map((id) => quietOf(world, id)));
    return [0, 1].map((channel) => [
      ...new Set(found.filter((_, nth) => nth % 2 === channel).map((quiet) => quiet?.reason ?? null)),
    ]);
  };
  assert.equal(await reasons(await posts(NOW_MS)), [[null], [null]]);
  granted(await world.calls.updateChannel({ workspace: 'acme', slug: 'builds', quiet: MORNING }));
  assert.equal(await reasons(await posts(NOW_MS)), [[null], ['quiet_hours']]);
  assert.equal(await reasons(await posts(NOW_MS + 3 * 3_600_000)), [[null], [null]]);
  granted(await world.calls.updateChannel({ workspace: 'acme', slug: 'builds', quiet: { ...MORNING, to: '13:00' } }));
  assert.equal(await reasons(await posts(NOW_MS + 3 * 3_600_000)), [[null], ['quiet_hours']]);
  granted(await world.calls.updateChannel({ workspace: 'acme', slug: 'builds', quiet: null }));
  assert.equal(await reasons(await posts(NOW_MS)), [[null], [null]]);
});

const RINGS = { at_most: 10, per: 60 } as const;

async function reasonsOf(world: World, ids: readonly string[]) {
  const found = [];
  for (const id of ids) found.push((await quietOf(world, id))?.reason ?? null);
  return found;
}

it('in a storm ten standard events ring in a minute, then ten more, and without a limit all', async (world) => {
  const posts = (wallMs: number, args = {}) =>
    Promise.all(Array.from({ length: 30 }, () => world.post({ ...args, wallMs })));
  const loud = async (ids: readonly string[]) =>
    (await reasonsOf(world, ids)).filter((reason) => reason === null).length;
  assert.is(await loud(await posts(NOW_MS)), 30);
  granted(await world.calls.updateChannel({ workspace: 'acme', slug: 'alerts', rings: RINGS }));
  assert.is(await loud(await posts(NOW_MS)), 10);
  const [late] = await posts(NOW_MS + 59_000);
  assert.equal(await quietOf(world, late ?? ''), { reason: 'storm' });
  assert.is(await loud(await posts(NOW_MS + 60_000)), 10);
  granted(await world.calls.updateChannel({ workspace: 'acme', slug: 'alerts', insist: null }));
  assert.is(await loud(await posts(NOW_MS + 60_000, { urgency: 'time_sensitive' })), 30);
  granted(await world.calls.updateChannel({ workspace: 'acme', slug: 'alerts', rings: null }));
  assert.is(await loud(await posts(NOW_MS + 60_000)), 30);
});

it('ten of 30 alerts at once ring, and the next reminder rings for all', async (world) => {
  granted(await world.calls.updateChannel({ workspace: 'acme', slug: 'alerts', rings: RINGS }));
  const ids = [];
  for (let nth = 0; nth < 30; nth += 1) ids.push(await world.post({ ...INSISTING, collapseKey: `disk-${nth}` }));
  const reasons = await reasonsOf(world, ids);
  assert.equal(reasons, [...Array(10).fill(null), ...Array(20).fill('storm')]);
  await sentAt(world, NOW_MS);
  assert.is((await roundAt(world, NOW_MS + MINUTE_MS)).reminders, 1);
  const sent = await sentAt(world, NOW_MS + MINUTE_MS);
  assert.equal(
    sent.map(({ event }) => [event.title, event.quiet ?? false]),
    [['30 open alerts', false]],
  );
});

it('events that do not ring take no place in the limit', async (world) => {
  granted(await world.calls.updateChannel({ workspace: 'acme', slug: 'alerts', rings: { at_most: 1, per: 60 } }));
  const publicId = await world.post({ ...INSISTING, wallMs: NOW_MS });
  granted(await world.calls.acknowledgeAlert({ publicId }));
  const laterMs = NOW_MS + MINUTE_MS;
  const taken = await world.post({ ...INSISTING, wallMs: laterMs });
  const over = await world.post({ level: 'success', collapseKey: 'disk', wallMs: laterMs });
  const first = await world.post({ wallMs: laterMs });
  const second = await world.post({ wallMs: laterMs });
  assert.equal(await reasonsOf(world, [publicId, taken, over, first, second]), [
    null,
    'acknowledged',
    'notice',
    null,
    'storm',
  ]);
});

it('a limit of rings out of its range is refused', async (world) => {
  for (const [field, rings] of [
    ['rings.at_most', { at_most: 0, per: 60 }],
    ['rings.at_most', { at_most: 1_001, per: 60 }],
    ['rings.per', { at_most: 10, per: 9 }],
    ['rings.per', { at_most: 10, per: 3_601 }],
  ] as const) {
    const answer = await world.calls.updateChannel({ workspace: 'acme', slug: 'alerts', rings });
    assert.is('detail' in answer && answer.detail?.field, field);
  }
  assert.is(granted(await world.calls.showChannel({ workspace: 'acme', slug: 'alerts' })).rings, null);
});

const WAITING = { repeat: 60, until: 300, ring_after: 120 } as const;

it('an alert that ends within `ring_after` makes no sound at all', async (world) => {
  await insist(world, WAITING);
  const opening = await world.post(INSISTING);
  const joining = await world.post({ ...INSISTING, wallMs: NOW_MS + MINUTE_MS });
  await world.post({ level: 'success', collapseKey: 'disk', wallMs: NOW_MS + MINUTE_MS });
  const until = '2026-11-21T09:32:00.123+00:00';
  assert.equal(await quietOf(world, opening), { reason: 'ring_after', until });
  assert.equal(await quietOf(world, joining), { reason: 'ring_after' });
  const sent = [...(await sentAt(world, NOW_MS + MINUTE_MS))];
  for (const atMs of [NOW_MS + MINUTE_MS, NOW_MS + 2 * MINUTE_MS, NOW_MS + 3 * MINUTE_MS]) {
    assert.is((await roundAt(world, atMs)).reminders, 0);
    sent.push(...(await sentAt(world, atMs)));
  }
  assert.ok(sent.length > 0 && sent.every(({ event }) => event.quiet));
});

it('an alert that is still open rings after `ring_after`, and its other times count from then', async (world) => {
  granted(await world.calls.createChannel({ workspace: 'acme', slug: 'leads' }));
  await insist(world, { ...WAITING, escalate: { channel: 'leads', after: 60 } });
  const publicId = await world.post(INSISTING);
  const ringAtMs = NOW_MS + 2 * MINUTE_MS;
  const { alert } = granted(await world.calls.showAlert({ publicId }));
  assert.equal(
    [alert.next_escalation?.at, alert.stops_at],
    ['2026-11-21T09:33:00.123+00:00', '2026-11-21T09:37:00.123+00:00'],
  );
  await sentAt(world, NOW_MS);
  assert.is((await roundAt(world, ringAtMs - 1)).reminders, 0);
  assert.is((await roundAt(world, ringAtMs)).reminders, 1);
  const [ring, ...more] = await sentAt(world, ringAtMs);
  assert.equal([ring?.event.quiet, ring?.event.alert?.reminder, more.length], [undefined, 1, 0]);
  const joining = await world.post({ ...INSISTING, wallMs: ringAtMs });
  assert.is(await quietOf(world, joining), null);
  assert.is((await roundAt(world, ringAtMs + MINUTE_MS - 1)).reminders, 0);
  assert.is((await roundAt(world, ringAtMs + MINUTE_MS)).reminders, 1);
});

it('an alert that opens beside another one rings after `ring_after`, even if the next reminder is later', async (world) => {
  await insist(world, { ...WAITING, repeat: 600, until: 3_000 });
  await world.post({ ...INSISTING, collapseKey: 'first' });
  const ringAtMs = NOW_MS + 2 * MINUTE_MS;
  assert.is((await roundAt(world, ringAtMs)).reminders, 1);
  await world.post({ ...INSISTING, collapseKey: 'second', wallMs: ringAtMs });
  assert.is((await roundAt(world, ringAtMs + 2 * MINUTE_MS - 1)).reminders, 0);
  assert.is((await roundAt(world, ringAtMs + 2 * MINUTE_MS)).reminders, 1);
});

run();
