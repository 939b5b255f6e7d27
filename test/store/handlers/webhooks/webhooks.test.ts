import * as assert from 'uvu/assert';
import { DEFAULT_KINDS, type WebhookKind, webhookBody } from '../../../../src/contract/webhooks.ts';
import type { WebhookMessage, WebhookOutcome } from '../../../../src/store/calls.ts';
import { anInsistingWorld, INSISTING, MINUTE_MS, roundAt, sentAt } from '../../../support/alerts.ts';
import { assertEach } from '../../../support/assert-each.ts';
import { conformance, SQLITE } from '../../../support/engines.ts';
import { aPatient, flap, HOUR_MS } from '../../../support/heartbeats.ts';
import { claim, settle as settlePushes } from '../../../support/queue.ts';
import { granted, refused } from '../../../support/refusals.ts';
import { aWorkspace } from '../../../support/workspace.ts';
import { aWorld, NOW_MS, type World } from '../../../support/world.ts';

const { test, it, onSqlite, run } = conformance('webhooks', anInsistingWorld);
const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const DAY_MS = 24 * HOUR_MS;

it('an alert is reported in its transaction, one message after the other, with its state at that time', async (world) => {
  const { id } = await hook(world);
  const publicId = await world.post({ ...INSISTING, title: 'Disk full' });
  granted(await world.calls.acknowledgeAlert({ publicId }));
  granted(await world.calls.resolveAlert({ publicId }));
  granted(await world.calls.reopenAlert({ publicId }));
  granted(await world.calls.acknowledgeAlert({ publicId, forS: 300 }));
  granted(await world.calls.reopenAlert({ publicId, wallMs: NOW_MS + MINUTE_MS }));
  const heard: string[] = [];
  for (let n = 0; n < 5; n += 1) {
    const [message, ...others] = await take(world, NOW_MS + n);
    if (message === undefined) throw new Error('something waits');
    assert.equal(others, [], 'one at a time for an endpoint');
    assert.equal(await take(world, NOW_MS + n), [], 'and none while one is out');
    assert.match(message.id, /^msg_[0-9a-f]{32}$/);
    assert.equal([message.webhookId, message.secrets], [id, [SECRET]]);
    heard.push(describe(message));
    await settle(world, message, { kind: 'taken' }, NOW_MS + n);
  }
  assert.equal(heard, [
    `alert.opened ${publicId} open Disk full by null`,
    `alert.acknowledged ${publicId} acknowledged Disk full by null`,
    `alert.resolved ${publicId} resolved Disk full by pushctl`,
    `alert.reopened ${publicId} acknowledged Disk full by null`,
    `alert.reopened ${publicId} open Disk full by null`,
  ]);
  assert.equal(await take(world, NOW_MS + HOUR_MS), []);
  assert.equal((await shown(world, id)).last_taken_at, at(NOW_MS + 4));
});

it('an alert that no one takes is reported as expired, and a snoozed one as opened again', async (world) => {
  await hook(world, ['alert.opened', 'alert.expired']);
  const first = await world.post({ ...INSISTING, collapseKey: 'one' });
  const snoozed = await world.post({ ...INSISTING, collapseKey: 'two' });
  granted(await world.calls.acknowledgeAlert({ publicId: snoozed, forS: 300 }));
  for (let ms = MINUTE_MS; ms <= HOUR_MS; ms += MINUTE_MS) await roundAt(world, NOW_MS + ms);
  const messages = await drain(world, NOW_MS + HOUR_MS);
  assert.equal(messages.map(({ kind, data }) => `${kind} ${(JSON.parse(data) as { state: string }).state}`).sort(), [
    'alert.expired expired',
    'alert.expired expired',
    'alert.opened open',
    'alert.opened open',
    'alert.opened open',
  ]);
  assert.ok(messages.every(({ data }) => !data.includes('url')));
  assert.ok(bodies(messages).some(({ data }) => data.id === first));
});

test('the alerts of a channel that is deactivated, insists no more or is deleted are reported as resolved', async (engine) => {
  const channel = { workspace: 'acme', slug: 'alerts' } as const;
  const ends: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
    deactivated: ({ calls }) => calls.updateChannel({ ...channel, status: 'inactive' }).then(granted),
    'insists no more': ({ calls }) => calls.updateChannel({ ...channel, insist: null }).then(granted),
    deleted: ({ calls }) => calls.deleteChannel(channel).then(granted),
  };
  for (const [how, end] of Object.entries(ends)) {
    const world = await anInsistingWorld({ engine });
    await hook(world);
    const open = await world.post({ ...INSISTING, title: 'Disk full' });
    const taken = await world.post({ ...INSISTING, title: 'Slow', collapseKey: 'net' });
    granted(await world.calls.acknowledgeAlert({ publicId: taken }));
    await drain(world, NOW_MS);
    await end(world);
    assert.equal(
      (await drain(world, NOW_MS)).map(describe),
      [`alert.resolved ${open} resolved Disk full by channel`, `alert.resolved ${taken} resolved Slow by channel`],
      how,
    );
  }
});

test('a heartbeat is reported when it goes down and when it is back', async (engine) => {
  const patient = await aPatient({ engine });
  await hook(patient);
  const uuid = await patient.expect('backup', { every: 3_600, grace: 60 });
  await patient.pass(2 * HOUR_MS);
  await patient.ping(uuid, { output: 'a text of the job' });
  const messages = bodies(await drain(patient, patient.now().steadyMs, patient.now().wallMs));
  assertEach(messages, ({ type, data }) => [type, data.slug, data.channel, data.state, data.workspace], [
    ['heartbeat.down', 'backup', 'alerts', 'down', 'acme'],
    ['heartbeat.up', 'backup', 'alerts', 'up', 'acme'],
  ]);
  assert.not.match(JSON.stringify(messages), uuid);
  assert.not.match(JSON.stringify(messages), 'a text of the job');
});

test('a heartbeat that was paused while it was down is reported when it is back', async (engine) => {
  const patient = await aPatient({ engine });
  await hook(patient);
  const uuid = await patient.expect('backup');
  const named = { workspace: 'acme', slug: 'backup' };
  for (const resumed of [false, true]) {
    await patient.ping(uuid, { kind: 'fail' });
    granted(await patient.calls.pauseHeartbeat({ ...named, ...patient.now() }));
    if (resumed) granted(await patient.calls.resumeHeartbeat({ ...named, ...patient.now() }));
    await patient.ping(uuid);
    const heard = await drain(patient, patient.now().steadyMs);
    assertEach(heard, ({ kind }) => kind, ['heartbeat.down', 'heartbeat.up'], resumed ? 'and resumed' : 'and pinged');
  }
});

test('webhooks get no more messages of a heartbeat that flaps than its channel gets events', async (engine) => {
  const patient = await aPatient({ engine });
  await hook(patient);
  await flap(patient, await patient.expect('backup'));
  const kinds = async () => {
    const heard = await drain(patient, patient.now().steadyMs);
    return heard.map(({ kind }) => kind.replace('heartbeat.', '')).join(' ');
  };
  assert.is(await kinds(), 'down up down up down up down');
  await patient.pass(HOUR_MS);
  assert.is(await kinds(), 'up');
});

test('a webhook that asks for events gets one when no push of it is pending, and again if it is sent again', async (engine) => {
  const world = await aWorld({ engine, devices: { ios: 250 } });
  const { id } = await hook(world, ['event.settled']);
  const { id: unasked } = await hook(world);
  const publicId = await world.post({ eventType: 'disk.full', level: 'warning' });
  const batches = await claim(world);
  assert.ok(batches.length > 1);
  const [first, ...others] = batches;
  if (first === undefined) throw new Error('something was claimed');
  await settlePushes(world, first, { state: 'failed', reason: 'BadTopic' });
  for (const batch of others) {
    assert.is((await shown(world, id)).waiting, 0, 'while some are pending');
    await settlePushes(world, batch);
  }
  const heard = bodies(await drain(world, NOW_MS));
  const failed = first.targets.length;
  const counts = { accepted: 250 - failed, failed, unregistered: 0, expired: 0, withdrawn: 0 };
  const received_at = at(NOW_MS);
  const event = {
    workspace: 'acme',
    channel: 'alerts',
    level: 'warning',
    event_type: 'disk.full',
    received_at,
    quiet: null,
  };
  assert.equal(heard, [
    { type: 'event.settled', timestamp: heard[0]?.timestamp, data: { ...event, id: publicId, deliveries: counts } },
  ]);
  granted(await world.calls.resendEvent({ publicId }));
  await sentAt(world, NOW_MS);
  const again = { ...counts, accepted: 250, failed: 0 };
  assertEach(bodies(await drain(world, NOW_MS)), ({ data }) => [data.id, data.deliveries], [[publicId, again]]);
  assert.is((await shown(world, unasked)).waiting, 0);
});

it('webhooks also get a cancellation, but no reminders and no events for no device', async (world) => {
  await hook(world, ['event.settled']);
  granted(await world.calls.createChannel({ workspace: 'acme', slug: 'unread' }));
  await world.post({ channel: 'unread' });
  const publicId = await world.post(INSISTING);
  await sentAt(world, NOW_MS);
  await roundAt(world, NOW_MS + 10 * MINUTE_MS);
  await sentAt(world, NOW_MS + 10 * MINUTE_MS);
  const cancelled = await world.post({ urgency: 'standard' });
  granted(await world.calls.cancelEvent({ publicId: cancelled }));
  assertEach(bodies(await drain(world, NOW_MS + HOUR_MS)), ({ type, data }) => [type, data.id], [
    ['event.settled', publicId],
    ['event.settled', cancelled],
  ]);
});

test('a message comes again by the schedule under its own id, and is given up in the end', async (engine) => {
  const world = await aWorld({ engine });
  const { id } = await hook(world);
  granted(await world.calls.testWebhook({ workspace: 'acme', id }));
  const waits: number[] = [];
  const ids = new Set<string>();
  let nowMs = NOW_MS;
  for (let sinceMs = nowMs; ; ) {
    const [message] = await take(world, nowMs, NOW_MS);
    if (message === undefined) {
      if ((await shown(world, id)).waiting === 0) break;
      nowMs += 1_000 * (nowMs - sinceMs < 10 * MINUTE_MS ? 1 : 600);
      continue;
    }
    waits.push(Math.round((nowMs - sinceMs) / MINUTE_MS));
    ids.add(message.id);
    await settle(world, message, { kind: 'failed', reason: 'http_500' }, nowMs, NOW_MS);
    sinceMs = nowMs;
  }
  assert.equal(waits.slice(0, 3), [0, 0, 5]);
  assert.is(waits.length, 8);
  assert.ok(waits.at(-1) === 600 || waits.at(-1) === 610, String(waits));
  assert.is(ids.size, 1);
  assert.equal([(await shown(world, id)).dropped, (await shown(world, id)).last_failure], [1, 'http_500']);
});

it('none overtakes an earlier message of its alert, while those of others go on', async (world) => {
  await hook(world);
  const firstAlert = await world.post({ ...INSISTING, collapseKey: 'one' });
  const secondAlert = await world.post({ ...INSISTING, collapseKey: 'two' });
  granted(await world.calls.resolveAlert({ publicId: firstAlert }));
  const [first] = await take(world, NOW_MS);
  if (first === undefined) throw new Error('something waits');
  await settle(world, first, { kind: 'failed', reason: 'timeout' }, NOW_MS);
  const next = await drain(world, NOW_MS + 2_000);
  assertEach(bodies(next), ({ data }) => data.id, [secondAlert]);
  const later = await drain(world, NOW_MS + 6_000);
  assertEach(bodies(later), ({ type, data }) => `${type} ${data.id}`, [
    `alert.opened ${firstAlert}`,
    `alert.resolved ${firstAlert}`,
  ]);
  assert.is(later[0]?.id, first.id);
});

test('messages taken by a lost server are sent by another after its lease, and its own answer is too late', async (engine) => {
  const world = await aWorld({ engine });
  const { id } = await hook(world);
  granted(await world.calls.testWebhook({ workspace: 'acme', id }));
  const [lost] = await take(world, NOW_MS);
  assert.equal(await take(world, NOW_MS + 59_000), []);
  const [found] = await take(world, NOW_MS + 61_000);
  if (lost === undefined || found === undefined) throw new Error('it waits');
  assert.is(found.id, lost.id);
  await settle(world, lost, { kind: 'gone' }, NOW_MS + 62_000);
  assert.is((await shown(world, id)).status, 'active');
  await settle(world, found, { kind: 'taken' }, NOW_MS + 62_000);
  assert.is((await shown(world, id)).waiting, 0);
});

test('messages taken by a server that has ended are sent at once by the next one', async (engine) => {
  const world = await aWorld({ engine });
  const { id } = await hook(world);
  granted(await world.calls.testWebhook({ workspace: 'acme', id }));
  assert.is((await take(world, NOW_MS)).length, 1);
  const next = await world.restart();
  await next.calls.expireOverdue({ steadyMs: NOW_MS + 1 });
  assert.is((await take(next, NOW_MS + 1)).length, 1);
});

onSqlite('after a setback between two runs, no message waits longer than after a failure', async () => {
  const world = await aWorld({ engine: SQLITE });
  const { id } = await hook(world);
  granted(await world.calls.testWebhook({ workspace: 'acme', id }));
  const [message] = await take(world, NOW_MS + HOUR_MS);
  if (message === undefined) throw new Error('it waits');
  await settle(world, message, { kind: 'failed', reason: 'http_500' }, NOW_MS + HOUR_MS);
  const next = await world.restart();
  await next.calls.expireOverdue({ steadyMs: NOW_MS });
  assert.equal(await take(next, NOW_MS + 4_000), []);
  assert.is((await take(next, NOW_MS + 6_000)).length, 1);
});

test('an endpoint that answers 410 or takes nothing for three days is disabled, and waiting messages are gone', async (engine) => {
  const world = await aWorld({ engine });
  const ended = async (outcome: WebhookOutcome, everyMs: number) => {
    const { id } = await hook(world);
    granted(await world.calls.testWebhook({ workspace: 'acme', id }));
    let hour = 0;
    for (let disabled = null; disabled === null; hour += everyMs / HOUR_MS) {
      assert.is((await shown(world, id)).status, 'active');
      const nowMs = NOW_MS + hour * HOUR_MS;
      granted(await world.calls.testWebhook({ workspace: 'acme', id, wallMs: nowMs }));
      ({ disabled } = await tried(world, outcome, nowMs));
    }
    const { status, disabled_reason: reason, waiting } = await shown(world, id);
    assert.equal([status, waiting], ['disabled', 0]);
    assert.match(refused(await world.calls.testWebhook({ workspace: 'acme', id })).message, 'is disabled');
    const {
      disabled_reason,
      failing_since,
      status: again,
    } = granted(await world.calls.updateWebhook({ workspace: 'acme', id, status: 'active' }));
    assert.equal([again, disabled_reason, failing_since], ['active', null, null]);
    granted(await world.calls.deleteWebhook({ workspace: 'acme', id }));
    return `${reason} after ${hour} h`;
  };
  assert.is(await ended({ kind: 'gone' }, HOUR_MS), 'gone after 1 h');
  assert.is(await ended({ kind: 'failed', reason: 'ECONNREFUSED' }, 10 * HOUR_MS), 'failing after 90 h');
});

test('a clock that is set, and days in which nothing was tried, disable no endpoint and discard no message', async (engine) => {
  const world = await aWorld({ engine });
  const { id } = await hook(world);
  const failed: WebhookOutcome = { kind: 'failed', reason: 'ECONNREFUSED' };
  for (let n = 0; n < 2; n += 1) granted(await world.calls.testWebhook({ workspace: 'acme', id }));
  await tried(world, failed, NOW_MS);
  await tried(world, failed, NOW_MS + HOUR_MS, NOW_MS + 4 * DAY_MS);
  const { status, waiting, dropped, failing_since } = await shown(world, id);
  assert.equal([status, waiting, dropped, failing_since], ['active', 2, 0, at(NOW_MS)]);
  granted(await world.calls.testWebhook({ workspace: 'acme', id, wallMs: NOW_MS + 9 * DAY_MS }));
  await tried(world, failed, NOW_MS + 9 * DAY_MS);
  assert.is((await shown(world, id)).status, 'active', 'no server ran');
});

test('a failure long after a message was given up disables no endpoint; failures of a message a day do', async (engine) => {
  const world = await aWorld({ engine });
  const { id } = await hook(world);
  const post = (hour: number) =>
    world.calls.testWebhook({ workspace: 'acme', id, wallMs: NOW_MS + hour * HOUR_MS }).then(granted);
  /** Returns the hour of the last try. */
  const failThrough = async (first: number, last: number): Promise<number> => {
    let triedAt = Number.NaN;
    for (let hour = first; hour <= last; hour += 1) {
      const [message] = await take(world, NOW_MS + hour * HOUR_MS);
      if (message === undefined) continue;
      triedAt = hour;
      await settle(world, message, { kind: 'failed', reason: 'http_500' }, NOW_MS + hour * HOUR_MS);
    }
    return triedAt;
  };

  await post(0);
  assert.is(await failThrough(0, 40), 30);
  const idle = await shown(world, id);
  assert.equal([idle.waiting, idle.dropped, idle.status, idle.failing_since], [0, 1, 'active', null]);
  assert.equal((await world.calls.readStatus({})).webhooks.troubled, []);

  await post(720);
  assert.is(await failThrough(720, 720), 720);
  const failing = await shown(world, id);
  assert.equal([failing.status, failing.failing_since], ['active', at(NOW_MS + 720 * HOUR_MS)]);
  for (let day = 1; day <= 3; day += 1) {
    await post(720 + 24 * day);
    assert.is((await shown(world, id)).status, 'active');
    await failThrough(720 + 24 * day - 23, 720 + 24 * day);
  }
  await failThrough(792, 810);
  assert.equal([(await shown(world, id)).status, (await shown(world, id)).disabled_reason], ['disabled', 'failing']);
});

test('two secrets sign while one is rotated', async (engine) => {
  const world = await aWorld({ engine });
  const { id } = await hook(world);
  const secret = `whsec_${Buffer.alloc(24, 8).toString('base64')}`;
  granted(await world.calls.rotateWebhook({ workspace: 'acme', id, secret, graceMs: HOUR_MS, wallMs: NOW_MS }));
  const secretsAt = async (wallMs: number) => {
    granted(await world.calls.testWebhook({ workspace: 'acme', id, wallMs }));
    const [message] = await take(world, wallMs);
    if (message === undefined) throw new Error('it waits');
    await settle(world, message, { kind: 'taken' }, wallMs);
    return message.secrets;
  };
  assert.equal(await secretsAt(NOW_MS + HOUR_MS - 1), [secret, SECRET]);
  assert.equal(await secretsAt(NOW_MS + HOUR_MS), [secret]);
});

it('endpoints are served in turns, and those of a suspended workspace wait', async (world) => {
  const other = await aWorkspace(world.calls, { workspace: 'other', owner: null });
  assert.ok(other.workspaceId > 0);
  const mine: string[] = [];
  for (let n = 0; n < 3; n += 1) mine.push((await hook(world)).id);
  const { id: others } = await hook(world, undefined, 'other');
  for (const id of mine)
    for (let n = 0; n < 3; n += 1) granted(await world.calls.testWebhook({ workspace: 'acme', id }));
  granted(await world.calls.testWebhook({ workspace: 'other', id: others }));
  const first = await take(world, NOW_MS, NOW_MS, 2);
  for (const message of first) await settle(world, message, { kind: 'taken' }, NOW_MS);
  const second = await take(world, NOW_MS + 1, NOW_MS, 2);
  assert.is(new Set([...first, ...second].map(({ webhookId }) => webhookId)).size, 4, 'each had its turn');
  for (const message of second) await settle(world, message, { kind: 'taken' }, NOW_MS + 1);
  granted(await world.calls.setWorkspaceStatus({ slug: 'acme', status: 'suspended' }));
  assert.equal(await take(world, NOW_MS + 2), []);
  granted(await world.calls.setWorkspaceStatus({ slug: 'acme', status: 'active' }));
  assert.is((await take(world, NOW_MS + 3)).length, 3);
});

test('a workspace has five at most, of kinds that there are, at addresses by https', async (engine) => {
  const world = await aWorld({ engine });
  const asked = { workspace: 'acme', secret: SECRET };
  for (const url of ['http://example.com/', 'https://ada:pass@example.com/', 'https://example.com/#x', 'nonsense']) {
    assert.is(refused(await world.calls.createWebhook({ ...asked, url })).detail?.field, 'url', url);
  }
  const kinds = ['alert.forgotten'] as never;
  assert.is(
    refused(await world.calls.createWebhook({ ...asked, url: 'https://example.com/', kinds })).detail?.field,
    'kinds',
  );
  for (let n = 0; n < 5; n += 1) await hook(world);
  const full = refused(await world.calls.createWebhook({ ...asked, url: 'https://example.com/' }));
  assert.match(full.message, 'already has 5 webhooks');
});

it('nothing is written and nothing is looked for if there is no webhook', async (world) => {
  await world.post(INSISTING);
  assert.equal(await world.calls.nextWebhookMessage({}), { inMs: null });
  const { id } = await hook(world);
  assert.equal(await world.calls.nextWebhookMessage({}), { inMs: 1_000 });
  assert.is((await shown(world, id)).waiting, 0);
  granted(await world.calls.deleteWebhook({ workspace: 'acme', id }));
  assert.equal(await world.calls.nextWebhookMessage({}), { inMs: null });
});

test('a webhook that gets another address has not failed there yet', async (engine) => {
  const world = await aWorld({ engine });
  const { id } = await hook(world);
  granted(await world.calls.testWebhook({ workspace: 'acme', id }));
  const [message] = await take(world, NOW_MS);
  if (message === undefined) throw new Error('something waits');
  await settle(world, message, { kind: 'failed', reason: '503' }, NOW_MS);
  const failingSince = async (url: string) =>
    granted(await world.calls.updateWebhook({ workspace: 'acme', id, url })).failing_since;
  assert.is(await failingSince('https://hooks.example.com/in'), at(NOW_MS), 'the same address');
  assert.is(await failingSince('https://hooks.example.com/other'), null);
});

onSqlite('the oldest messages beyond 10,000 go, after they were counted in some calls', async () => {
  const world = await aWorld();
  const { db } = world;
  const { id } = await hook(world);
  db.exec(`
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10030)
    INSERT INTO webhook_message (webhook_id, workspace_id, message, kind, subject, data, at)
    SELECT '${id}', 1, 'm' || i, 'alert.opened', 'alert ' || i, '{}', ${NOW_MS} FROM n`);
  const left = () => db.prepare('SELECT count(*) AS count, min(message) AS oldest FROM webhook_message').get();
  for (let looks = 1; looks < 10; looks += 1) await take(world, NOW_MS + looks * 2 * MINUTE_MS, NOW_MS);
  assert.equal(left(), { count: 10_030, oldest: 'm1' });
  for (let looks = 10; looks < 30; looks += 1) await take(world, NOW_MS + looks * 2 * MINUTE_MS, NOW_MS);
  assert.equal(
    [db.prepare('SELECT count(*) FROM webhook_message').pluck().get(), (await shown(world, id)).dropped],
    [10_000, 30],
  );
});

it('waiting messages go with their webhook, their workspace, and the end of a restore', async (world) => {
  const { id } = await hook(world);
  const publicId = await world.post(INSISTING);
  assert.ok(publicId);
  assert.is((await shown(world, id)).waiting, 1);
  await world.calls.expireAlerts({});
  assert.is((await shown(world, id)).waiting, 0, 'neither the one that waited nor one of the end');
  granted(await world.calls.testWebhook({ workspace: 'acme', id }));
  granted(await world.calls.updateWebhook({ workspace: 'acme', id, status: 'disabled' }));
  assert.is((await shown(world, id)).waiting, 0);
});

run();

function hook(world: Pick<World, 'calls'>, kinds: readonly WebhookKind[] = DEFAULT_KINDS, workspace = 'acme') {
  return world.calls
    .createWebhook({ workspace, url: 'https://hooks.example.com/in', kinds, secret: SECRET, wallMs: NOW_MS })
    .then(granted);
}

function take(world: Pick<World, 'calls'>, steadyMs: number, wallMs = steadyMs, limit = 10) {
  return world.calls.takeWebhookMessages({ limit, steadyMs, wallMs });
}

function settle(
  world: Pick<World, 'calls'>,
  { webhookId, messageId, lease }: WebhookMessage,
  outcome: WebhookOutcome,
  steadyMs: number,
  wallMs = steadyMs,
) {
  return world.calls.settleWebhookMessage({ webhookId, messageId, lease, outcome, steadyMs, wallMs });
}

/** The next message is sent, with this outcome. */
async function tried(world: Pick<World, 'calls'>, outcome: WebhookOutcome, steadyMs: number, wallMs = steadyMs) {
  const [message] = await take(world, steadyMs, wallMs);
  if (message === undefined) throw new Error('something waits');
  return settle(world, message, outcome, steadyMs, wallMs);
}

/** All that goes out at that time, taken. */
async function drain(world: Pick<World, 'calls'>, steadyMs: number, wallMs = steadyMs) {
  const all: WebhookMessage[] = [];
  for (;;) {
    const [message] = await take(world, steadyMs, wallMs);
    if (message === undefined) return all;
    all.push(message);
    await settle(world, message, { kind: 'taken' }, steadyMs, wallMs);
  }
}

interface Body {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

function bodies(messages: readonly WebhookMessage[]): readonly Body[] {
  return messages.map((message) => JSON.parse(webhookBody(message)) as Body);
}

function describe(message: WebhookMessage): string {
  const { type, data } = JSON.parse(webhookBody(message)) as Body;
  return `${type} ${data.id} ${data.state} ${data.title} by ${data.ended_by}`;
}

async function shown(world: Pick<World, 'calls'>, id: string) {
  return granted(await world.calls.showWebhook({ workspace: 'acme', id }));
}

function at(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '+00:00');
}
