/** Rules that PostgreSQL's functions repeat: each branch gives the same over both engines. */

import * as assert from 'uvu/assert';
import { PLAN_OF_CHANNEL } from '../../../src/store/handlers/on-call/sound.ts';
import { toTimestamp } from '../../../src/values/timestamp.ts';
import { INSISTING, roundAt } from '../../support/alerts.ts';
import { ADA, BOB, CARL } from '../../support/cast.ts';
import { databaseOf } from '../../support/crowd.ts';
import { conformance } from '../../support/engines.ts';
import { anOnCallWorld, deviceOf, heardAt, insistByRota, ROTA } from '../../support/on-call-channel.ts';
import { idOf } from '../../support/people.ts';
import { granted } from '../../support/refusals.ts';
import { tokenOf } from '../../support/workspace.ts';
import { HOUR_MS, NOW_MS, type World } from '../../support/world.ts';

const { test, it, run } = conformance('on call: rules in both languages', anOnCallWorld);

const DAY_MS = 24 * HOUR_MS;
const ALERTS = { workspace: 'acme', channel: 'alerts' } as const;
const HEARD = { name: 'bob', reachable: true };
const UNHEARD = { name: 'bob', reachable: false };

/** Posts an event, by default one that opens an alert. Returns who is on call for it. */
async function onCallFor(world: World, event: Parameters<World['post']>[0] = {}) {
  const publicId = await world.post({ ...INSISTING, collapseKey: null, ...event });
  return granted(await world.calls.showEvent({ publicId, limit: 1 })).event.on_call;
}

it('the person on call hears an event, or not', async (world) => {
  const bob = await deviceOf(world, 'bob');
  const subscribed = async (terms: object) =>
    void granted(
      await world.calls.subscribe({ ...bob, ...ALERTS, minLevel: 'info', mutedUntil: toTimestamp(NOW_MS), ...terms }),
    );
  assert.equal(await onCallFor(world), HEARD);
  await subscribed({ mutedUntil: toTimestamp(NOW_MS + 1_000) });
  assert.equal(await onCallFor(world, { wallMs: NOW_MS + 999 }), UNHEARD, 'muted');
  assert.equal(await onCallFor(world, { wallMs: NOW_MS + 1_000 }), HEARD, 'muted until now');
  await subscribed({ minLevel: 'warning' });
  assert.equal(await onCallFor(world, { level: 'info' }), UNHEARD, 'below the level');
  assert.equal(await onCallFor(world, { level: 'warning' }), HEARD, 'at the level');
  await subscribed({});
  granted(await world.calls.pauseRoute({ route: 'apns_production' }));
  assert.equal(await onCallFor(world), UNHEARD, 'a paused route');
  granted(await world.calls.resumeRoute({ route: 'apns_production' }));
  assert.equal(await onCallFor(world), HEARD, 'a route that sends again');
  await heardAt(world, NOW_MS + 1_000, {
    state: 'unregistered',
    reason: 'Unregistered',
    token: tokenOf(2),
    atMs: null,
  });
  assert.equal(await onCallFor(world), UNHEARD, 'an inactive device');
});

test('the person on call hears nothing on a route that this installation does not serve', async (engine) => {
  const world = await anOnCallWorld({ engine, routes: ['fcm'] });
  assert.equal(await onCallFor(world), UNHEARD);
});

test('the plan of a rota has the overrides of members that count from now on', async (engine) => {
  const world = await anOnCallWorld({ engine });
  const { calls } = world;
  const override = async (member: string, fromMs: number, wallMs = NOW_MS) =>
    granted(await calls.addOverride({ ...ROTA, member, fromMs, untilMs: fromMs + HOUR_MS, wallMs }));
  await override(ADA, NOW_MS);
  await world.join('dan@example.com');
  await override('dan@example.com', NOW_MS + DAY_MS);
  await override(CARL, NOW_MS + DAY_MS);
  await override(ADA, NOW_MS + DAY_MS);
  granted(await calls.removeMember({ workspace: 'acme', email: 'dan@example.com' }));
  const afterMs = NOW_MS + 3 * HOUR_MS;
  granted(
    await calls.updateRota({ ...ROTA, handover: { every: 'week', weekday: 'fri', at: '10:30' }, wallMs: afterMs }),
  );
  const asked = engine.name === 'sqlite' ? PLAN_OF_CHANNEL : 'on_call_plan(rota_id)';
  const planOf = async (slug: string) =>
    JSON.parse(
      (await databaseOf(world, engine.name).value<string>(`SELECT ${asked} FROM channel WHERE slug = '${slug}'`)) ??
        'null',
    );
  const { rota, overrides } = await planOf('alerts');
  const members = [await idOf(world, BOB), await idOf(world, CARL)];
  const today = Math.floor(NOW_MS / DAY_MS);
  assert.equal(rota, {
    ...{ timezone: 'UTC', members, startsOn: today, sinceMs: afterMs, anchor: rota.anchor, first: 0 },
    handover: { every: 'week', count: 1, weekday: 4, minute: 630 },
  });
  const places = overrides.map(({ person, fromMs, untilMs }: Record<string, number>) => [person, fromMs, untilMs]);
  const hour = [NOW_MS + DAY_MS, NOW_MS + DAY_MS + HOUR_MS];
  assert.equal(places, [
    [await idOf(world, CARL), ...hour],
    [await idOf(world, ADA), ...hour],
  ]);
  granted(await calls.createChannel({ workspace: 'acme', slug: 'calm' }));
  assert.is(await planOf('calm'), null);
});

test('an event finds for whom it rings, and when its alert rings for everyone', async (engine) => {
  const world = await anOnCallWorld({ engine });
  const database = databaseOf(world, engine.name);
  const bob = await deviceOf(world, 'bob');
  const subscribe = async () => void granted(await world.calls.subscribe({ ...bob, ...ALERTS }));
  const unsubscribe = async () => void granted(await world.calls.unsubscribe({ ...bob, ...ALERTS }));
  let atMs = NOW_MS;
  /** Posts a second later. Returns what was stored: seconds count from the event. */
  async function stored(event: Parameters<World['post']>[0] = {}) {
    atMs += 1_000;
    await world.post({ ...INSISTING, wallMs: atMs, ...event });
    const value = <T>(sql: string) => database.value<T>(sql);
    const ofEvent = 'FROM event WHERE id = (SELECT max(id) FROM event)';
    const seconds = (ms: unknown) => (ms === null || ms === undefined ? null : (Number(ms) - atMs) / 1_000);
    const { onCall = null, isUnreachable = false } = JSON.parse(
      (await value<string>(`SELECT alert ${ofEvent}`)) ?? '{}',
    );
    return [
      (await value(`SELECT on_call ${ofEvent}`)) === null ? 'everyone' : 'one person',
      ...[onCall, isUnreachable],
      seconds(await value(`SELECT widen_at FROM alert WHERE event_id = (SELECT alert_id ${ofEvent})`)),
      seconds(await value('SELECT next_at FROM insisting')),
    ];
  }
  await insistByRota(world, { repeat: 600, until: 7_200 });
  assert.equal(await stored(), ['one person', 'bob', false, 300, 300], 'opened');
  assert.equal(await stored(), ['one person', 'bob', false, 299, 299], 'joined');
  await unsubscribe();
  assert.equal(await stored(), ['everyone', 'bob', true, 298, 298], 'joined, but not reachable');
  assert.equal(await stored({ collapseKey: 'second' }), ['everyone', 'bob', true, 0, 297], 'opened, but not reachable');
  await subscribe();
  await roundAt(world, atMs + 300_000);
  assert.equal(await stored(), ['everyone', null, false, 296, 896], 'wide since a round');
  assert.equal(
    await stored({ collapseKey: 'third' }),
    ['one person', 'bob', false, 300, 300],
    'opened beside wide ones',
  );
  await insistByRota(world, { repeat: 600, until: 7_200, ring_after: 60 });
  assert.equal(await stored({ collapseKey: 'fourth' }), ['everyone', null, false, 360, 60], 'waits for its first ring');
  assert.equal(
    await stored({ level: 'success', collapseKey: 'fourth' }),
    ['everyone', null, false, 359, 59],
    'resolved',
  );
});

run();
