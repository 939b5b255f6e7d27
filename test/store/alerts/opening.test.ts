import * as assert from 'uvu/assert';
import { anInsistingWorld, INSISTING, insist, MINUTE_MS, sentAt, stateOf } from '../../support/alerts.ts';
import { assertEach } from '../../support/assert-each.ts';
import { conformance } from '../../support/engines.ts';
import { granted } from '../../support/refusals.ts';
import { aWorld, NOW_MS } from '../../support/world.ts';

const { test, it, run } = conformance('alerts: opening', anInsistingWorld);

it('an urgent event of an insistent channel opens an alert, and its push names the alert', async (world) => {
  const id = await world.post(INSISTING);
  const { alert } = granted(await world.calls.showAlert({ publicId: id }));
  assert.equal(alert, {
    id,
    workspace: 'acme',
    channel: 'alerts',
    channel_name: 'alerts',
    state: 'open',
    title: alert.title,
    level: 'error',
    newest_event: id,
    opened_at: '2026-11-21T09:30:00.123+00:00',
    stops_at: '2026-11-21T10:20:00.123+00:00',
    reminders: 0,
    reminded_at: null,
    escalated_to: [],
    escalated_to_names: [],
    next_escalation: null,
    acknowledged_by: null,
    acknowledged_at: null,
    snoozed_until: null,
    snoozed_by: null,
    ended_at: null,
    ended_by: null,
    reopened_by: null,
    reopened_at: null,
    assigned_to: null,
    assigned_by: null,
    assigned_at: null,
    assigned_until: null,
    person_ids: {},
  });
  const [sent] = await sentAt(world, NOW_MS);
  assert.equal(sent?.event.alert, { id, state: 'open', reminder: 0 });
});

test('neither an event that is not urgent, nor a success, nor one of another channel opens an alert', async (engine) => {
  const world = await anInsistingWorld({ engine, channels: ['alerts', 'quiet'] });
  for (const event of [{ urgency: 'standard' }, { level: 'success' }, { channel: 'quiet' }] as const) {
    const id = await world.post({ ...INSISTING, ...event });
    const refusal = await world.calls.showAlert({ publicId: id });
    assert.is('code' in refusal && refusal.code, 'no_alert');
  }
  assert.is(await world.countRows('alert'), 0);
});

it('an event joins the alert of its key that lives, and one without a key opens its own', async (world) => {
  const first = await world.post(INSISTING);
  const second = await world.post({ ...INSISTING, title: 'Disk still full' });
  const other = await world.post({ ...INSISTING, collapseKey: null });
  const { alert } = granted(await world.calls.showAlert({ publicId: second }));
  assert.equal([alert.id, alert.newest_event, alert.title], [first, second, 'Disk still full']);
  assert.is(granted(await world.calls.showAlert({ publicId: other })).alert.id, other);
  const { alerts } = granted(await world.calls.listAlerts({ workspace: 'acme', limit: 10 }));
  assertEach(alerts, ({ id }) => id, [other, first]);
  const ofKey = async (collapseKey: string) => {
    const page = granted(
      await world.calls.listAlerts({ workspace: 'acme', channel: 'alerts', collapseKey, limit: 10 }),
    );
    return page.alerts.map(({ id }) => id);
  };
  assert.equal([await ofKey('disk'), await ofKey('dis')], [[first], []]);
});

it('one of 200 racing posts with one key opens an alert, and all others join it', async (world) => {
  const posts = Array.from({ length: 200 }, () => world.calls.acceptEvent(world.anEvent(INSISTING)));
  await Promise.all(posts);
  assert.is(await world.countRows('alert'), 1);
});

it('a success with the key resolves the alert, and what waits of it is not sent', async (world) => {
  const id = await world.post(INSISTING);
  const success = await world.post({ collapseKey: 'disk', level: 'success' });
  const { alert } = granted(await world.calls.showAlert({ publicId: id }));
  assert.equal([alert.state, alert.ended_by], ['resolved', 'sender']);
  const sent = await sentAt(world, NOW_MS);
  assertEach(sent, ({ event }) => [event.publicId, event.alert?.state], [[success, 'resolved']]);
  const next = await world.post(INSISTING);
  assert.is(granted(await world.calls.showAlert({ publicId: next })).alert.id, next);
});

it('a success with another key, or none, resolves nothing', async (world) => {
  const id = await world.post(INSISTING);
  await world.post({ level: 'success', collapseKey: 'network' });
  await world.post({ level: 'success' });
  assert.is(await stateOf(world, id), 'open');
});

it('an event that repeats a request, or is only checked, opens nothing', async (world) => {
  const { uuid: _, ...checked } = world.anEvent(INSISTING);
  await world.calls.checkEvent(checked);
  assert.is(await world.countRows('alert'), 0);
  await world.post({ ...INSISTING, collapseKey: null, idempotencyKey: 'once' });
  await world.calls.acceptEvent(world.anEvent({ ...INSISTING, collapseKey: null, idempotencyKey: 'once' }));
  assert.is(await world.countRows('alert'), 1);
});

it('an event that comes when the alert of its key should have ended opens a new one, looked at or not', async (world) => {
  const old = await world.post(INSISTING);
  const atMs = NOW_MS + 51 * MINUTE_MS;
  const id = await world.post({ ...INSISTING, wallMs: atMs });
  assert.is(granted(await world.calls.showAlert({ publicId: id })).alert.id, id);
  assert.is(await stateOf(world, old), 'expired');
});

test('a policy is refused that is out of its bounds, or names a channel that is not there', async (engine) => {
  const world = await aWorld({ engine });
  const set = async (policy: object) => {
    const answer = await world.calls.updateChannel({
      workspace: 'acme',
      slug: 'alerts',
      insist: { repeat: 120, until: 3_600, ...policy },
    });
    return 'detail' in answer ? answer.detail?.field : null;
  };
  assert.is(await set({}), null);
  assert.is(await set({ repeat: 59 }), 'insist.repeat');
  assert.is(await set({ repeat: 60 }), 'insist.repeat', 'more than 50 reminders');
  assert.is(await set({ until: 299 }), 'insist.until');
  assert.is(await set({ escalate: { after: 59, channel: 'alerts' } }), 'insist.escalate.after');
  assert.is(await set({ escalate: { after: 60, channel: 'alerts' } }), 'insist.escalate.channel');
  assert.is(await set({ escalate: { after: 60, channel: 'nowhere' } }), 'insist.escalate.channel');
});

test('a channel shows its policy, and resolves its alerts when it loses it or is deactivated', async (engine) => {
  const world = await anInsistingWorld({ engine, channels: ['alerts', 'leads'] });
  await insist(world, { escalate: { after: 600, channel: 'leads' } });
  const shown = granted(await world.calls.showChannel({ workspace: 'acme', slug: 'alerts' }));
  assert.equal(shown.insist, { repeat: 60, until: 3_000, ring_after: 0, escalate: { after: 600, channel: 'leads' } });
  const change = { workspace: 'acme', slug: 'alerts' } as const;
  for (const end of [{ insist: null }, { status: 'inactive' }] as const) {
    const id = await world.post(INSISTING);
    granted(await world.calls.updateChannel({ ...change, ...end }));
    const { alert } = granted(await world.calls.showAlert({ publicId: id }));
    assert.equal([alert.state, alert.ended_by], ['resolved', 'channel']);
    granted(await world.calls.updateChannel({ ...change, status: 'active' }));
    await insist(world);
  }
});

run();
