import { randomBytes } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { newWebhookSecret } from '../../src/contract/webhooks.ts';
import type { Clock } from '../../src/process/clock.ts';
import { LANES, ROUTES } from '../../src/push.ts';
import type { Actor, StoreClient, Verdict } from '../../src/store/calls.ts';
import { databasePath } from '../../src/store/data-folder.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import type { Db } from '../../src/store/sqlite/transaction.ts';
import { openLocalStore } from '../../src/store/transports/socket-or-in-process.ts';
import { ADA } from './cast.ts';
import { temporaryFolder } from './folder.ts';
import { granted } from './refusals.ts';
import { NOW_MS, someSettings } from './store.ts';
import { aWorkspace, type Calls, tokenOf, userIdOf } from './workspace.ts';
import { linesOf } from './world.ts';

const OPERATOR: Actor = { kind: 'operator', name: 'root', address: null };

/** Both clocks stand still. */
export function standing(atMs: number): Clock {
  return { wallMs: () => atMs, steadyMs: () => atMs };
}

/** A data folder in which each table has rows, and something of every kind waits in the queue. */
export async function aFilledFolder(): Promise<string> {
  const dataDir = temporaryFolder();
  filled ??= filledFolder();
  copyFileSync(databasePath(await filled), databasePath(dataDir));
  return dataDir;
}

/** Filled once for a file of tests: it takes many commits. */
let filled: Promise<string> | undefined;

async function filledFolder(): Promise<string> {
  const dataDir = temporaryFolder();
  await inFolder(dataDir, NOW_MS, fill);
  look(dataDir, (db) => db.exec(RARE));
  return dataDir;
}

/** Rows that calls leave behind only by an error, or if they are many. */
const RARE = `
  DELETE FROM channel WHERE slug = 'old';
  INSERT INTO dead_letter (event_id, route, lane, workspace_id, at, reason)
    SELECT event_id, route, lane, workspace_id, 1, 'TypeError' FROM fan_out ORDER BY event_id DESC LIMIT 1;
  UPDATE fan_out SET lane = 'dead_letter' WHERE (event_id, route) IN (SELECT event_id, route FROM dead_letter);
  INSERT INTO resend (event_id, stage, cursor, resent, at) SELECT max(event_id), 'fcm', 4, 2, 1 FROM fan_out;
  INSERT INTO session (token_hash, user_id, user_agent, created_at, last_seen_at, expires_at, confirmed_at)
    SELECT randomblob(32), id, 'Firefox', 1, 2, 3, NULL FROM person;
  INSERT INTO passkey (id, user_id, credential, public_key, counter, rp_id, name, created_at, last_used_at)
    SELECT randomblob(32), id, randomblob(16), randomblob(77), 3, 'push.example.com', 'Phone', 1, NULL FROM person;
  INSERT INTO voucher (user_id, passkey, workspace_id, role, vouched_by)
    SELECT user_id, id, NULL, 'owner', user_id FROM passkey;
  INSERT INTO read_mark (user_id, workspace_id, channel_id, level, up_to)
    SELECT user_id, workspace_id, 1, 'info', 2 FROM member;
  INSERT INTO read_apart (user_id, workspace_id, channel_id, level, event_id, is_read)
    SELECT user_id, workspace_id, 1, 'info', 1, 0 FROM member;
  INSERT INTO escalation (event_id, place, channel_id) SELECT event_id, 1, channel_id FROM alert;
  INSERT INTO age_mark (id, wall_at, seen_at) VALUES (1, 1, 2);
  INSERT INTO queue_clock (id, skipped_ms) VALUES (1, 3);
  INSERT INTO watched_channel (channel_id, workspace_id, set_at) SELECT id, workspace_id, 1 FROM channel LIMIT 1;
  INSERT INTO alert_mark (workspace_id, channel_id, channel, from_alert, to_alert, last_event, state, kind, at, set_at, cursor)
    SELECT workspace_id, channel_id, 'alerts', 0, 0, 1, 'resolved', 'channel', 1, 1, 1 FROM alert LIMIT 1;
  INSERT INTO identity (issuer, subject, user_id, linked_at) SELECT 'https://id.example.com', 'sub-' || id, id, 1 FROM person;
  INSERT INTO reporter (device_id, token_hash, shown_at, shown_event, missed, missed_from, silent_at)
    SELECT id, zeroblob(32), 5, 1, 3, 2, 6 FROM device LIMIT 1;
  INSERT INTO receipt (event_id, device_id, shown_at, opened_at) SELECT event_id, device_id, 7, 8 FROM delivery LIMIT 1;
  INSERT INTO heartbeat_event (workspace_id, subject, at) VALUES (1, 'heartbeat/backup', 5);
  INSERT INTO ended_group (channel_id, name, alerts, noted_at) VALUES (1, 'a group', '{}', 5);
  INSERT INTO spent_challenge (hash, expires_at) VALUES (randomblob(32), 5);
  INSERT INTO delivery (event_id, device_id, workspace_id, route, lane, state, attempts, at)
    SELECT event_id, device_id, workspace_id, route, lane, 'accepted', 1, 1
    FROM fan_out JOIN subscription USING (channel_id, route) WHERE event_id = 3 AND route = 'fcm';
  UPDATE fan_out SET cursor = last, recorded = targeted WHERE event_id = 3 AND route = 'fcm';
  UPDATE event SET accepted = (SELECT targeted FROM fan_out WHERE event_id = 3 AND route = 'fcm') WHERE id = 3;
  UPDATE event SET title = 'bell' || char(0) WHERE id = 1`;

async function fill(calls: StoreClient): Promise<void> {
  const world = await aWorkspace(calls, { channels: ['alerts', 'builds', 'old'], devices: { ios: 40, android: 5 } });
  const { workspaceId } = world;
  // So that the subscriptions of one channel lie between those of another.
  for (const [n, id] of world.devices.entries()) {
    const channel = ['builds', 'old'][n % 2] ?? '';
    granted(await calls.subscribeDevice({ id, channels: [channel] }));
  }
  granted(await calls.setPlan({ name: 'small', monthlyEvents: 100 }));
  const other = await world.addWorkspace('umbrella', { channels: ['alerts'], owner: 'bob@example.com' });
  granted(await calls.setWorkspacePlan({ slug: 'umbrella', plan: 'small' }));
  await world.issueKey({ channels: ['alerts'] });
  const job = { workspace: 'acme', channel: 'alerts' };
  const { uuid } = granted(await calls.createHeartbeat({ ...job, slug: 'backup' }));
  granted(await calls.createHeartbeat({ ...job, slug: 'report', cron: '0 3 * * *', timezone: 'Europe/Berlin' }));
  await calls.pingHeartbeat({ uuid, kind: 'start', rid: null, output: null, exitStatus: null });
  await calls.pingHeartbeat({ uuid, kind: 'success', rid: null, output: '12 files', exitStatus: null });
  granted(await calls.createPairingCode({ email: ADA, codeHash: 'ab'.repeat(32), lifeMs: 60_000 }));
  await calls.vapidKeys({});
  await calls.shareToken({ name: 'apns x', offered: { token: 'x.y.z', signedAtMs: 1, instead: null } });
  await calls.pauseRoute({ route: 'fcm' });
  const lines = [60, 61].map((n) => ({ platform: 'ios', token: tokenOf(n), subscribe: ['alerts'] }) as const);
  granted(await calls.stageImport({ importId: 'half', workspace: 'acme', email: ADA, lines: linesOf(lines) }));

  await world.accept();
  await settleSome(calls, 100, { state: 'accepted' });
  await world.accept({ idempotencyKey: 'begun' });
  await settleSome(calls, 10, { state: 'pending', reason: 'TooManyRequests', retryInMs: 60_000, spent: true });
  await settleSome(calls, 10, { state: 'failed', reason: 'BadTopic' });
  await world.accept({ channel: 'builds', idempotencyKey: 'new' });
  await other.accept({ idempotencyKey: 'new' });
  const { event } = await world.accept();
  granted(await calls.cancelEvent({ publicId: event.public_id }));
  granted(await calls.removeDevice({ id: world.devices[0] ?? '' }));
  granted(await calls.unsubscribeDevice({ id: world.devices[1] ?? '', channels: ['alerts'] }));
  await world.accept({ channel: 'old' });
  granted(await calls.updateChannel({ workspace: 'acme', slug: 'alerts', insist: { repeat: 120, until: 3_600 } }));
  const hook = { workspace: 'acme', url: 'https://hooks.example.com/in', secret: newWebhookSecret(randomBytes) };
  granted(await calls.createWebhook(hook));
  await world.accept({ workspaceId, urgency: 'time_sensitive' });
  await world.accept({ channel: 'builds' });
  await world.accept({ channel: 'builds', sendAtMs: NOW_MS + 60_000, idempotencyKey: 'later' });
  granted(await calls.createMaintenance({ workspace: 'acme', slug: 'old', for: 3_600, only: 'db-*' }));
  const turns = { workspace: 'acme', slug: 'payments', members: [ADA] };
  granted(await calls.createRota({ ...turns, startsOn: '2026-01-05' }));
  granted(await calls.addOverride({ ...turns, member: ADA, untilMs: NOW_MS + 60_000 }));
  granted(await calls.makeCalendar({ userId: await userIdOf(calls, ADA), secretHash: 'cd'.repeat(32) }));
}

async function settleSome(calls: StoreClient, limit: number, verdict: Verdict): Promise<void> {
  const asked = { route: 'apns_production', lane: 'standard', limit, batchSize: 5 } as const;
  for (const { claimId, targets } of (await calls.claimBatches(asked)).claims) {
    const verdicts = targets.map((_, index) => ({ index, verdict, fitted: false, linksLost: false }));
    await calls.settleBatch({ claimId, verdicts });
  }
}

/** Opens the store of a data folder at a time of the test's own. */
export async function inFolder<T>(dataDir: string, atMs: number, work: (calls: StoreClient) => Promise<T>): Promise<T> {
  const store = openLocalStore({ dataDir, settings: someSettings() }, () => OPERATOR, standing(atMs));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Looks into the database of a data folder, or changes it by hand. */
export function look<T>(dataDir: string, work: (db: Db) => T): T {
  const db = openDatabase(databasePath(dataDir));
  try {
    return work(db);
  } finally {
    db.close();
  }
}

/**
 * Sends what there is, up to `most` pushes of each lane, and answers them as `<event> <device>`. `isSettled` false: all
 * of that is still out.
 */
export async function sendAll(calls: Calls, { most = 1_000, isSettled = true } = {}): Promise<readonly string[]> {
  while ((await calls.expireOverdue({})).more);
  const sent: string[] = [];
  for (const route of ROUTES) {
    for (const lane of LANES) {
      for (;;) {
        const { claims } = await calls.claimBatches({ route, lane, limit: most, batchSize: 7 });
        for (const { claimId, events, targets } of claims) {
          sent.push(...targets.map(({ event, deviceId }) => `${events[event]?.eventId} ${deviceId}`));
          const verdicts = targets.map((_, index) => {
            return { index, verdict: { state: 'accepted' } as const, fitted: false, linksLost: false };
          });
          if (isSettled) await calls.settleBatch({ claimId, verdicts });
        }
        if (claims.length === 0 || most < 1_000) break;
      }
    }
  }
  return sent.sort();
}

/** Returns the expected answer of `sendAll`, by the rows of SQLite. */
export function waitingIn(dataDir: string): readonly string[] {
  return look(dataDir, (db) =>
    db
      .prepare<[], string>(`
        SELECT fan_out.event_id || ' ' || device_id FROM fan_out
        JOIN subscription ON subscription.channel_id = fan_out.channel_id AND subscription.route = fan_out.route
        JOIN channel ON channel.id = fan_out.channel_id JOIN event ON event.id = fan_out.event_id
        WHERE subscription.active = 1 AND number > cursor AND number <= last AND cancelled_at IS NULL
          AND NOT EXISTS (
            SELECT 1 FROM delivery
            WHERE delivery.event_id = fan_out.event_id AND delivery.device_id = subscription.device_id
          )
        UNION ALL
        SELECT event_id || ' ' || device_id FROM delivery JOIN device ON device.id = device_id
          JOIN event ON event.id = event_id
        WHERE state = 'pending' AND cancelled_at IS NULL AND EXISTS (
          SELECT 1 FROM subscription
          WHERE subscription.device_id = delivery.device_id AND subscription.channel_id = event.channel_id
        )`)
      .pluck()
      .all()
      .sort(),
  );
}
