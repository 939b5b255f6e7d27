import { join } from 'node:path';
import Database from 'better-sqlite3';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { migrate } from '../../../src/store/sqlite/migrations.ts';
import { ADA } from '../../support/cast.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { granted } from '../../support/refusals.ts';
import { callsOf } from '../../support/store.ts';
import { aDevice, anEvent, aWorkspace } from '../../support/workspace.ts';
import { NOW_MS } from '../../support/world.ts';

test('no statement of a call that runs for each request or batch reads a whole table', async () => {
  const { db, calls, during } = watchedStore();
  const acme = await aWorkspace(calls);
  await acme.addDevice();
  const keyId = 'k'.repeat(12);
  granted(
    await calls.issueKey({
      workspace: 'acme',
      id: keyId,
      secretHash: 'ab'.repeat(32),
      scopes: ['events:write'],
    }),
  );
  granted(await calls.createPairingCode({ email: ADA, codeHash: 'cd'.repeat(32), lifeMs: 1 }));
  const event = anEvent(1, { idempotencyKey: 'once' });
  const lane = { route: 'apns_production', lane: 'standard', limit: 5, batchSize: 100 } as const;
  const verdicts = [{ index: 0, linksLost: false, verdict: { state: 'accepted' }, fitted: false }] as const;

  await calls.expireOverdue({});

  const executed = await during(async () => {
    await calls.findKey({ id: keyId });
    await calls.touchKey({ id: keyId });
    await calls.describeConnection({ keyId });
    const accepted = await calls.acceptEvent(event);
    await calls.acceptEvent(event);
    const publicId = accepted.kind === 'accepted' ? accepted.event.public_id : '';
    await calls.readEvent({ workspaceId: 1, boundKeyId: null, publicId });
    await calls.readUsage({ workspaceId: 1 });
    const [claim] = (await calls.claimBatches(lane)).claims;
    await calls.settleBatch({ claimId: claim?.claimId ?? '', verdicts });
    await calls.queueAge({});
    await calls.listEvents({ workspace: 'acme', limit: 20 });
    await calls.listEvents({ workspace: 'acme', channel: 'alerts', level: 'info', before: publicId, limit: 20 });
    const reach = { workspaceId: 1, boundKeyId: null };
    await calls.listReachedEvents({ ...reach, limit: 20 });
    await calls.listReachedEvents({ ...reach, channel: 'alerts', level: 'info', before: publicId, limit: 20 });
    await calls.listReachedEvents({ ...reach, boundKeyId: keyId, level: 'info', limit: 20 });
    await calls.listReachedEvents({ ...reach, after: publicId, sinceMs: 1, untilMs: NOW_MS, level: 'info', limit: 20 });
    await calls.listEvents({ workspace: 'acme', untilMs: NOW_MS, eventType: 'a.b', limit: 20 });
    await calls.listReachedChannels({ ...reach, boundKeyId: keyId });
    await calls.checkEvent(event);
    await calls.showEvent({ publicId, limit: 20 });

    const [userId, tokenHash] = [1, 'ef'.repeat(32)];
    await calls.findUser({ email: ADA });
    await calls.redeemPairingCode({ codeHash: 'cd'.repeat(32), tokenHash });
    await calls.findSession({ tokenHash });
    await calls.touchSession({ tokenHash, wallMs: NOW_MS + 1 });
    const device = granted(await calls.registerDevice({ userId, ...aDevice() })).device;
    await calls.listOwnDevices({ userId, limit: 20, after: device.id });
    await calls.updateDevice({ userId, id: device.id, token: 'cd'.repeat(32) });
    const ear = { userId, deviceId: device.id, workspace: 'acme', channel: 'alerts' };
    await calls.subscribe(ear);
    await calls.listChannelsFor({ userId, workspace: 'acme' });
    await calls.listInbox({ userId, limit: 20 });
    await calls.listInbox({ userId, workspace: 'acme', limit: 20, before: publicId });
    await calls.readInboxEvent({ userId, publicId });
    await calls.markInboxRead({ userId, workspace: 'acme', upTo: publicId, channel: 'alerts', level: 'info' });
    await calls.markEventsUnread({ userId, events: [publicId] });
    await calls.listInbox({ userId, limit: 20 });
    await calls.listInbox({ userId, unread: true, limit: 20 });
    await calls.listInbox({ userId, unread: true, after: publicId, level: 'info', limit: 20 });
    await calls.markEventsRead({ userId, events: [publicId] });
    await calls.markInboxRead({ userId, workspace: 'acme', upTo: publicId });
    await calls.unsubscribe(ear);
    await calls.listDevices({ workspace: 'acme', limit: 20, after: device.id });
    await calls.showChannel({ workspace: 'acme', slug: 'alerts' });
    await calls.listSubscribers({ workspace: 'acme', slug: 'alerts', limit: 20 });
    await calls.exportDevices({ workspace: 'acme', limit: 20 });
    await calls.subscribeDevice({ id: device.id, channels: ['alerts'] });
    await calls.moveDevice({ id: device.id, email: ADA });
    await calls.cancelEvent({ publicId });
    await calls.listKeys({ workspace: 'acme' });
    await calls.listMembers({ workspace: 'acme' });
    await calls.setMemberRole({ workspace: 'acme', email: ADA, role: 'owner' });
    await calls.listAudit({ workspace: 'acme', limit: 20 });
    await calls.listAudit({ limit: 20, before: '9', action: 'key' });
    await calls.closeSession({ tokenHash });
  });

  assert.ok(executed.length > 25, `only ${executed.length} statements were seen`);
  const scans = executed.flatMap((sql) => {
    const plan = planOf(db, sql);
    // The rows of a subquery are no table, nor is a list among the parameters or of constants.
    const chosen = plan.flatMap((step) => /^(?:CO-ROUTINE|MATERIALIZE) (\w+)/.exec(step)?.[1] ?? []);
    return plan
      .filter((step) => /^SCAN (?!\(subquery|\w+ VIRTUAL TABLE|CONSTANT ROW)/.test(step))
      .filter((step) => !chosen.includes(step.replace('SCAN ', '')))
      .map((step) => `${step}: ${sql}`);
  });
  assert.equal(scans, []);
  const ofOneLevel = [...executed].filter(
    (sql) => !sql.startsWith('EXPLAIN') && /\bFROM event\s+WHERE channel_id\b.*\blevel = /s.test(sql),
  );
  assert.ok(ofOneLevel.length > 0);
  for (const sql of ofOneLevel) assert.match(planOf(db, sql).join(), /event_by_level/);
});

test('the last backup is found by an index of its own, as `status` asks for it again and again', async () => {
  const { db, calls, during } = watchedStore();
  const executed = await during(async () => void (await calls.readStatus({})));
  const [asked = '', ...more] = executed.filter((sql) => sql.includes("'backup.make'"));
  assert.equal(more, []);
  assert.match(planOf(db, asked).join(), /audit_of_backups/);
});

test.run();

/** A store that says which statements it executes while a function runs. */
function watchedStore() {
  let seen: string[] = [];
  const verbose = (sql: unknown) => seen.push(String(sql));
  const db = new Database(join(temporaryFolder(), 'pushctl.db'), { verbose });
  migrate(db);
  const calls = callsOf(db);
  const during = async (act: () => Promise<void>): Promise<readonly string[]> => {
    seen = [];
    await act();
    return seen;
  };
  return { db, calls, during };
}

function planOf(db: Database.Database, sql: string): string[] {
  return db
    .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map(({ detail }) => detail);
}
