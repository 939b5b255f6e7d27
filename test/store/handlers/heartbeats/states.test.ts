import { v4 } from 'uuid';
import * as assert from 'uvu/assert';
import { typed } from '../../../../src/contract/event-body.ts';
import { collapseIdOf } from '../../../../src/providers/payload.ts';
import type { ClaimedEvent } from '../../../../src/store/calls.ts';
import { INSISTING, insist, roundAt, sentAt, stateOf } from '../../../support/alerts.ts';
import { assertEach } from '../../../support/assert-each.ts';
import { conformance } from '../../../support/engines.ts';
import { aPatient, HOUR_MS, MINUTE_MS, type Patient } from '../../../support/heartbeats.ts';
import { granted } from '../../../support/refusals.ts';
import { tokenOf } from '../../../support/workspace.ts';

const { test, it, run } = conformance('heartbeats', aPatient);
const MINUTELY = { every: 60, grace: 60 };

it('a heartbeat pinged in time is up, then late, and down after its grace; down is reported once', async (patient) => {
  const uuid = await patient.expect('backup', MINUTELY);
  assert.is((await patient.beat('backup')).state, 'up');
  await patient.pass(50_000);
  await patient.ping(uuid);
  await patient.pass(MINUTE_MS);
  const late = await patient.beat('backup');
  assert.equal([late.state, await patient.posted()], ['late', []]);
  await patient.pass(MINUTE_MS);
  assert.is((await patient.beat('backup')).state, 'down');
  await patient.pass(5 * MINUTE_MS);
  await patient.ping(uuid, { kind: 'fail' });
  assert.equal(await patient.posted(), [
    {
      title: 'backup is down',
      description: 'No ping came: one is expected every 1 min, or up to 1 min later.',
      type: 'heartbeat.down',
    },
  ]);
});

it('with `failures` it goes down by so many failures in a row, and by a missed ping at once', async (patient) => {
  const uuid = await patient.expect('backup', { ...MINUTELY, failures: 3 });
  const states = async (kinds: readonly ('fail' | 'success')[]) => {
    const found: string[] = [];
    for (const kind of kinds) {
      await patient.ping(uuid, { kind });
      found.push((await patient.beat('backup')).state);
    }
    return found;
  };
  assert.equal(await states(['fail', 'fail', 'success', 'fail', 'fail']), ['up', 'up', 'up', 'up', 'up']);
  assert.equal(await patient.posted(), []);
  assert.equal(await states(['fail', 'fail', 'success', 'fail']), ['down', 'down', 'up', 'up']);
  const [down, back, ...more] = await patient.posted();
  assert.equal(
    [down?.description, back?.type, more],
    ['It reported a failure. That makes 3 failures in a row.', 'heartbeat.up', []],
  );
  await patient.pass(2 * MINUTE_MS);
  assert.is((await patient.beat('backup')).state, 'down', 'missed');
  for (const failures of [0, 11, 1.5]) {
    const answer = await patient.calls.updateHeartbeat({ workspace: 'acme', slug: 'backup', failures });
    assert.is('detail' in answer && answer.detail?.field, 'failures');
  }
});

it('the ping that brings it back is reported with how long it was down', async (patient) => {
  const uuid = await patient.expect('backup', MINUTELY);
  await patient.ping(uuid, { kind: 'fail' });
  await patient.pass(5 * MINUTE_MS);
  await patient.ping(uuid);
  await patient.ping(uuid);
  const [, back, ...more] = await patient.posted();
  assert.equal(back, { title: 'backup is up again', description: 'It is back after 5 min.', type: 'heartbeat.up' });
  assert.equal(more, []);
  assert.is((await patient.beat('backup')).down_since, null);
});

it('its events are urgent errors and successes with one collapse key, sent to the channel’s devices', async (patient) => {
  const uuid = await patient.expect('backup', MINUTELY);
  await patient.ping(uuid, { kind: 'fail', exitStatus: 3, output: 'no space left' });
  await patient.ping(uuid);
  const { events } = granted(await patient.calls.listEvents({ workspace: 'acme', limit: 10 }));
  const terms = events.map((event) => [event.level, event.delivery_urgency, event.collapse_key]);
  assert.equal(terms, [
    ['success', 'standard', 'heartbeat/backup'],
    ['error', 'time_sensitive', 'heartbeat/backup'],
  ]);
  assert.is(events[1]?.description, 'It failed with exit status 3.\n\nOutput:\nno space left');
  assert.is(events[1]?.target_device_count, 1);
  const lanes = ['urgent', 'standard'] as const;
  for (const lane of lanes) {
    const { claims } = await patient.calls.claimBatches({ route: 'apns_production', lane, limit: 10, batchSize: 10 });
    assert.is(claims.length, 1, lane);
  }
});

it('a new one is never late, and waits for its first ping', async (patient) => {
  await patient.expect('backup', { ...MINUTELY, isNew: true });
  await patient.pass(10 * MINUTE_MS);
  assert.equal([(await patient.beat('backup')).state, await patient.posted()], ['new', []]);
});

it('a run that starts and does not end within its grace is down, also the first', async (patient) => {
  const uuid = await patient.expect('backup', { every: 3_600, grace: 300, isNew: true });
  await patient.ping(uuid, { kind: 'start' });
  await patient.pass(4 * MINUTE_MS);
  assert.is((await patient.beat('backup')).state, 'new');
  await patient.pass(MINUTE_MS);
  assert.is((await patient.beat('backup')).state, 'down');
  const [event] = await patient.posted();
  assert.is(event?.description, 'A run has started and not reported its end within 5 min.');
});

it('a run’s duration is that from its start to the end with the same id', async (patient) => {
  const uuid = await patient.expect('backup');
  const [runId, other] = [v4(), v4()];
  await patient.ping(uuid, { kind: 'start', rid: runId });
  await patient.pass(20_000);
  await patient.ping(uuid, { rid: other });
  assert.is((await patient.beat('backup')).last_duration_ms, null);
  await patient.ping(uuid, { rid: runId });
  assert.is((await patient.beat('backup')).last_duration_ms, 20_000);
  await patient.ping(uuid, { kind: 'start' });
  await patient.pass(10_000);
  await patient.ping(uuid);
  assert.is((await patient.beat('backup')).last_duration_ms, 10_000);
});

it('a log says nothing of its state, and is kept for the next failure', async (patient) => {
  const uuid = await patient.expect('backup', { ...MINUTELY, isNew: true });
  await patient.ping(uuid, { kind: 'log', output: 'half done' });
  assert.is((await patient.beat('backup')).state, 'new');
  await patient.ping(uuid, { kind: 'fail' });
  assert.match((await patient.posted())[0]?.description ?? '', /failure\.\n\nOutput:\nhalf done$/);
});

it('nothing is expected of one that is paused, until it is pinged or resumed', async (patient) => {
  const { calls } = patient;
  const uuid = await patient.expect('backup', MINUTELY);
  const named = { workspace: 'acme', slug: 'backup' };
  granted(await calls.pauseHeartbeat({ ...named, ...patient.now() }));
  await patient.pass(HOUR_MS);
  assert.is((await patient.beat('backup')).state, 'paused');
  granted(await calls.resumeHeartbeat({ ...named, ...patient.now() }));
  assert.is((await patient.beat('backup')).state, 'new');
  granted(await calls.pauseHeartbeat({ ...named, ...patient.now() }));
  await patient.ping(uuid);
  assert.is((await patient.beat('backup')).state, 'up');
  assert.equal(await patient.posted(), []);
});

it('one that was paused while it was down is reported as back with its next success', async (patient) => {
  const uuid = await patient.expect('backup', MINUTELY);
  await patient.ping(uuid, { kind: 'fail' });
  granted(await patient.calls.pauseHeartbeat({ workspace: 'acme', slug: 'backup', ...patient.now() }));
  await patient.ping(uuid);
  assertEach(await patient.posted(), ({ type }) => type, ['heartbeat.down', 'heartbeat.up']);
});

it('in an inactive channel states go on, and nothing is posted', async (patient) => {
  const uuid = await patient.expect('backup', MINUTELY);
  granted(await patient.calls.updateChannel({ workspace: 'acme', slug: 'alerts', status: 'inactive' }));
  await patient.pass(3 * MINUTE_MS);
  assert.equal([(await patient.beat('backup')).state, await patient.posted()], ['down', []]);
  await patient.ping(uuid);
  assert.equal([(await patient.beat('backup')).state, await patient.posted()], ['up', []]);
});

it('its events count in no usage, and no allowance swallows them', async (patient) => {
  const { calls, workspaceId } = patient;
  granted(await calls.setPlan({ name: 'one', monthlyEvents: 1 }));
  granted(await calls.setWorkspacePlan({ slug: 'acme', plan: 'one' }));
  await patient.post();
  const uuid = await patient.expect('backup', MINUTELY);
  await patient.ping(uuid, { kind: 'fail' });
  await patient.ping(uuid);
  assert.is((await patient.posted()).length, 3);
  const { used } = await calls.readUsage({ workspaceId });
  assert.is(used, 1);
});

it('in a channel that insists it opens an alert, and the ping that brings it back resolves that', async (patient) => {
  await insist(patient);
  const { calls } = patient;
  const uuid = await patient.expect('backup', MINUTELY);
  await patient.pass(3 * MINUTE_MS);
  const states = async (state: 'live' | 'ended') => {
    const { alerts } = granted(await calls.listAlerts({ workspace: 'acme', state, limit: 10 }));
    return alerts.map((alert) => [alert.title, alert.state]);
  };
  assert.equal(await states('live'), [['backup is down', 'open']]);
  await patient.ping(uuid);
  assert.equal([await states('live'), await states('ended')], [[], [['backup is down', 'resolved']]]);
});

test('one that is down and gets another channel, or is deleted, leaves no alert behind', async (engine) => {
  const leave = {
    moved: ({ calls, now }: Patient) =>
      calls.updateHeartbeat({ workspace: 'acme', slug: 'backup', channel: 'other', ...now() }).then(granted),
    deleted: ({ calls, now }: Patient) =>
      calls.deleteHeartbeat({ workspace: 'acme', slug: 'backup', ...now() }).then(granted),
  };
  for (const [how, left] of Object.entries(leave)) {
    const patient = await aPatient({ engine, channels: ['alerts', 'leads', 'other'] });
    await insist(patient, { escalate: { after: 60, channel: 'leads' } });
    await patient.addDevice({ token: tokenOf(2), subscribe: ['leads'] });
    const uuid = await patient.expect('backup', MINUTELY);
    await patient.post({ ...INSISTING, collapseKey: 'heartbeat/other' });
    await patient.ping(uuid, { kind: 'fail' });
    await patient.pass(MINUTE_MS);
    await roundAt(patient, patient.now().steadyMs);
    await sentAt(patient, patient.now().steadyMs);
    await left(patient);
    const { steadyMs } = patient.now();
    await roundAt(patient, steadyMs);
    const sent = await sentAt(patient, steadyMs);
    assert.equal(
      sent.map(({ event }) => [event.channel, event.title, event.description, event.alert?.state, event.quiet]).sort(),
      ['alerts', 'leads'].map((channel) => [channel, 'backup is down', 'It is over.', 'resolved', true]),
      how,
    );
    const { alerts } = granted(await patient.calls.listAlerts({ workspace: 'acme', state: 'ended', limit: 10 }));
    assertEach(alerts, ({ title, ended_by }) => [title, ended_by], [['backup is down', 'sender']], how);
  }
});

test('one that is up changes its channel, and leaves an alert of its key as it is', async (engine) => {
  const patient = await aPatient({ engine, channels: ['alerts', 'other'] });
  await insist(patient);
  await patient.expect('backup');
  const publicId = await patient.post({ ...INSISTING, collapseKey: 'heartbeat/backup' });
  const change = { workspace: 'acme', slug: 'backup', channel: 'other' };
  granted(await patient.calls.updateHeartbeat({ ...change, ...patient.now() }));
  assert.is(await stateOf(patient, publicId), 'open');
});

test('a sender’s event with the collapse key of a heartbeat neither resolves its alert nor takes its place', async (engine) => {
  const patient = await aPatient({ engine });
  await insist(patient);
  const uuid = await patient.expect('backup', MINUTELY);
  await patient.ping(uuid, { kind: 'fail' });
  const [down] = await sentAt(patient, patient.now().steadyMs);
  for (const collapse_key of ['heartbeat/backup', '\u0001heartbeat/backup']) {
    const { links: _, ...success } = typed({ channel: 'alerts', title: 'Fine', level: 'success', collapse_key });
    const publicId = await patient.post({ ...success, ...patient.now() });
    const [sent] = await sentAt(patient, patient.now().steadyMs);
    assert.is(sent?.event.publicId, publicId);
    assert.is.not(placeOf(sent), placeOf(down));
    const { events } = granted(await patient.calls.listEvents({ workspace: 'acme', limit: 1 }));
    assert.is(events[0]?.collapse_key, collapse_key);
  }
  const { alerts } = granted(await patient.calls.listAlerts({ workspace: 'acme', limit: 10 }));
  assertEach(alerts, ({ title, state }) => [title, state], [['backup is down', 'open']]);
});

it('many go down in one round, each once', async (patient) => {
  for (let n = 0; n < 100; n += 1) await patient.expect(`job-${n}`, MINUTELY);
  await patient.pass(3 * MINUTE_MS);
  const posted = await patient.posted();
  assert.is(new Set(posted.map(({ title }) => title)).size, 100);
  assert.is(posted.length, 100);
});

run();

/** Returns the tag by which the event's push replaces another on a device. */
function placeOf(claimed: ClaimedEvent | undefined): string {
  assert.ok(claimed);
  return collapseIdOf({ ...claimed.event, links: {} });
}
