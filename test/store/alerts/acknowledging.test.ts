import * as assert from 'uvu/assert';
import type { Actor } from '../../../src/store/calls.ts';
import { anInsistingWorld, INSISTING, MINUTE_MS, roundAt, sentAt, stateOf } from '../../support/alerts.ts';
import { assertEach } from '../../support/assert-each.ts';
import { BOB } from '../../support/cast.ts';
import { conformance } from '../../support/engines.ts';
import { granted, refused } from '../../support/refusals.ts';
import { NOW_MS } from '../../support/world.ts';

const { test, it, run } = conformance('alerts: acknowledging', anInsistingWorld);
const HOUR_MS = 60 * MINUTE_MS;

it('the first of 200 racing acknowledgements wins, and all others see who has it', async (world) => {
  const publicId = await world.post(INSISTING);
  const names = Array.from({ length: 200 }, (_, nth) => `operator ${nth}`);
  const answers = await Promise.all(
    names.map((name) => {
      const actor: Actor = { kind: 'operator', name, address: null };
      return world.calls.acknowledgeAlert({ publicId }, actor);
    }),
  );
  const done = answers.map((answer) => granted(answer));
  assert.is(done.filter(({ acknowledged }) => acknowledged === 1).length, 1);
  assert.is(new Set(done.map(({ alert }) => alert.acknowledged_by)).size, 1);
  const { entries } = granted(await world.calls.listAudit({ workspace: 'acme', action: 'alert', limit: 300 }));
  assert.is(entries.length, 1);
});

it('once it is acknowledged what waits is withdrawn, no reminder is made, and a notice says who has it', async (world) => {
  const publicId = await world.post(INSISTING);
  await roundAt(world, NOW_MS + MINUTE_MS);
  const atMs = NOW_MS + MINUTE_MS + 1;
  await world.join(BOB);
  granted(await world.calls.acknowledgeAlert({ publicId, as: BOB, wallMs: atMs }));
  const sent = await sentAt(world, atMs);
  assert.equal(
    sent.map(({ event }) => [event.description, event.alert?.state, event.quiet, event.collapseKey]),
    [['bob has it.', 'acknowledged', true, 'disk']],
  );
  assert.is((await roundAt(world, NOW_MS + 2 * MINUTE_MS)).reminders, 0);
  const { alert } = granted(await world.calls.showAlert({ publicId }));
  assert.equal([alert.acknowledged_by, alert.stops_at], ['bob', null], 'no address');
});

it('a further event of an acknowledged key goes out quietly, and changes no timer of a snooze', async (world) => {
  const publicId = await world.post(INSISTING);
  granted(await world.calls.acknowledgeAlert({ publicId, forS: 600 }));
  await sentAt(world, NOW_MS);
  const joined = await world.post({ ...INSISTING, wallMs: NOW_MS + MINUTE_MS });
  const sent = await sentAt(world, NOW_MS + MINUTE_MS);
  assert.equal(
    sent.map(({ event }) => [event.publicId, event.quiet, event.alert]),
    [[joined, true, { id: publicId, state: 'acknowledged', reminder: 0, by: 'pushctl' }]],
  );
  const { alert } = granted(await world.calls.showAlert({ publicId }));
  assert.is(alert.snoozed_until, '2026-11-21T09:40:00.123+00:00');
});

it('a snoozed alert opens again when its time is over, and rings at once', async (world) => {
  const publicId = await world.post(INSISTING);
  granted(await world.calls.acknowledgeAlert({ publicId }));
  granted(await world.calls.acknowledgeAlert({ publicId, forS: 600 }));
  await sentAt(world, NOW_MS);
  const atMs = NOW_MS + 10 * MINUTE_MS;
  assert.is((await roundAt(world, atMs - 1)).reminders, 0);
  assert.is((await roundAt(world, atMs)).reminders, 1);
  const { alert } = granted(await world.calls.showAlert({ publicId, wallMs: atMs }));
  assert.equal([alert.state, alert.acknowledged_by, alert.stops_at], ['open', null, '2026-11-21T10:30:00.123+00:00']);
  assert.is((await sentAt(world, atMs)).length, 1);
});

it('an acknowledged alert is resolved after eight hours without an event of its key', async (world) => {
  const publicId = await world.post(INSISTING);
  granted(await world.calls.acknowledgeAlert({ publicId }));
  await world.post({ ...INSISTING, wallMs: NOW_MS + 4 * HOUR_MS });
  await roundAt(world, NOW_MS + 8 * HOUR_MS);
  assert.is(await stateOf(world, publicId), 'acknowledged');
  await roundAt(world, NOW_MS + 12 * HOUR_MS);
  assert.is(await stateOf(world, publicId), 'resolved');
});

it('all: every open alert that was opened before it, and never one that came later', async (world) => {
  const ids: string[] = [];
  for (const key of ['one', 'two', 'three']) ids.push(await world.post({ ...INSISTING, collapseKey: key }));
  await sentAt(world, NOW_MS);
  const { acknowledged } = granted(await world.calls.acknowledgeAlert({ publicId: ids[1] ?? '', all: true }));
  assert.is(acknowledged, 2);
  const states = await Promise.all(ids.map((id) => stateOf(world, id)));
  assert.equal(states, ['acknowledged', 'acknowledged', 'open']);
  const sent = await sentAt(world, NOW_MS);
  assert.equal(
    sent.map(({ event }) => [event.alert?.id, event.description, event.alert?.open]),
    [
      [ids[1], 'pushctl has it.', undefined],
      [ids[0], 'pushctl has it.', undefined],
      [ids[1], 'pushctl has them.', 2],
    ],
    'each in its place, and both in that of their bundle',
  );
});

it("a snooze of another person's alert is in the audit log, and the other still has the alert", async (world) => {
  await world.join(BOB);
  const publicId = await world.post(INSISTING);
  const by: Actor = { kind: 'operator', name: 'root', address: null };
  granted(await world.calls.acknowledgeAlert({ publicId, as: BOB }, by));
  const second = granted(await world.calls.acknowledgeAlert({ publicId, forS: 600 }, by));
  assert.equal([second.acknowledged, second.snoozed], [0, true]);
  assert.equal([second.alert.acknowledged_by, second.alert.snoozed_by], ['bob', 'root']);
  const again = granted(await world.calls.acknowledgeAlert({ publicId }, by));
  assert.equal([again.acknowledged, again.snoozed], [0, false]);
  const { entries } = granted(await world.calls.listAudit({ workspace: 'acme', action: 'alert', limit: 10 }));
  assertEach(entries, ({ action }) => action, ['alert.snooze', 'alert.acknowledge']);
});

it('after a restore to an earlier time no alert reminds of itself', async (world) => {
  const open = await world.post(INSISTING);
  const snoozed = await world.post({ ...INSISTING, collapseKey: 'net' });
  const taken = await world.post({ ...INSISTING, collapseKey: 'cpu' });
  granted(await world.calls.acknowledgeAlert({ publicId: snoozed, forS: 600 }));
  granted(await world.calls.acknowledgeAlert({ publicId: taken }));
  assert.equal(await world.calls.expireAlerts({}), { expired: 2, more: false });
  const states = await Promise.all([open, snoozed, taken].map((id) => stateOf(world, id)));
  assert.equal(states, ['expired', 'expired', 'acknowledged']);
  assert.is((await roundAt(world, NOW_MS + 20 * MINUTE_MS)).reminders, 0);
});

it('an ended alert stays ended after any acknowledgement or resolution', async (world) => {
  const publicId = await world.post(INSISTING);
  assert.ok(granted(await world.calls.resolveAlert({ publicId })).resolved);
  assert.not(granted(await world.calls.resolveAlert({ publicId })).resolved);
  assert.is(granted(await world.calls.acknowledgeAlert({ publicId, forS: 600 })).acknowledged, 0);
  assert.is(await stateOf(world, publicId), 'resolved');
});

test('alerts are there for members of the workspace and for keys that reach the channel alone', async (engine) => {
  const world = await anInsistingWorld({ engine, channels: ['alerts', 'other'] });
  const publicId = await world.post(INSISTING);
  const { workspaceId } = await world.addWorkspace('elsewhere');
  const stranger = await world.join(BOB, { workspace: 'elsewhere' });
  const bound = await world.issueKey({ channels: ['other'] });
  const strangers = [
    { userId: stranger },
    { reach: { workspaceId, boundKeyId: null } },
    { reach: { workspaceId: world.workspaceId, boundKeyId: bound.id } },
  ];
  for (const asker of strangers) {
    assert.is(refused(await world.calls.showAlert({ publicId, ...asker })).refused, 'not_found');
    assert.is(refused(await world.calls.acknowledgeAlert({ publicId, ...asker })).refused, 'not_found');
    assert.is(refused(await world.calls.resolveAlert({ publicId, ...asker })).refused, 'not_found');
    assert.equal(granted(await world.calls.listAlerts({ ...asker, limit: 10 })).alerts, []);
  }
  const reach = { workspaceId: world.workspaceId, boundKeyId: null };
  const key = await world.issueKey({ name: 'on call', scopes: ['alerts:write'] });
  const actor: Actor = { kind: 'key', id: key.id, scope: 'alerts:write' };
  const { alert } = granted(await world.calls.acknowledgeAlert({ publicId, reach }, actor));
  assert.is(alert.acknowledged_by, 'on call');
});

run();
