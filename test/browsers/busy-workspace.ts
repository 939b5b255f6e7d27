import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type ArgsOf, type CallName, isRefusal } from '../../src/store/calls.ts';
import type { CallRequest } from '../../src/store/reply.ts';
import { type OwnedStore, ownStore } from '../../src/store/sqlite/engine.ts';
import { SETTINGS } from '../bench/fixture.ts';
import { insertEvents } from '../bench/volume.ts';
import { ADA } from '../support/cast.ts';
import type { Env } from '../support/server.ts';
import { tokenOf } from '../support/workspace.ts';

/** The things that a manager of many has to keep in view. */
export const BUSY = { members: 500, devices: 2_000, channels: 40, events: 100_000, audit: 3_000 } as const;
/** Counts of the newest event, which was for all devices. */
export const NEWEST = { failed: 25, unregistered: 60, expired: 5 } as const;

const SPAN_MS = 30 * 86_400_000;
const AT_ONCE = 250;

/** Each channel has its share, and the newest event goes to all devices. */
const SPREAD = 'UPDATE event SET channel_id = :firstChannel + id % :channels';
/** Counts the same way as the server while it accepts and sends. */
const COUNT = `
  INSERT INTO tally (hour, workspace_id, channel_id, route, measure, reason, count)
  SELECT received_at / 3600000 * 3600000, workspace_id, channel_id, :route, :measure, '', count(*) FROM event
  GROUP BY 1, 2, 3`;
const DELIVER_NEWEST = `
  INSERT INTO delivery (event_id, device_id, workspace_id, route, lane, state, attempts, reason, at)
  SELECT :eventId, id, :workspaceId, route, 'standard',
    CASE WHEN n <= :failed THEN 'failed' WHEN n <= :failed + :unregistered THEN 'unregistered'
      WHEN n <= :failed + :unregistered + :expired THEN 'expired' ELSE 'accepted' END,
    1, CASE WHEN n <= :failed THEN 'BadTopic' WHEN n <= :failed + :unregistered THEN 'Unregistered' END, :nowMs
  FROM (SELECT device.*, row_number() OVER (ORDER BY id DESC) AS n FROM device)`;
const COUNT_NEWEST = `
  UPDATE event SET targeted = :devices, accepted = :devices - :failed - :unregistered - :expired, failed = :failed,
    unregistered = :unregistered, expired = :expired, first_accepted_at = :nowMs, last_accepted_at = :nowMs
  WHERE id = :eventId`;
const LOG = `
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :entries)
  INSERT INTO audit (at, actor_kind, actor, address, action, workspace, object)
  SELECT :nowMs - (:entries - i) * 60000, 'user', :actor, '192.0.2.17',
    CASE i % 3 WHEN 0 THEN 'member.add' WHEN 1 THEN 'channel.create' ELSE 'key.revoke' END, 'acme',
    CASE i % 3 WHEN 0 THEN 'member-' || i || '@example.com as member' WHEN 1 THEN 'service-' || i
      ELSE '7m3q0f9t2xkd "ci-' || i || '"' END
  FROM n`;

/** Fills the data folder of a server that is still to be started with the workspace `acme` of a whole company. */
export async function fillWorkspace(env: Env): Promise<void> {
  const dataDir = String(env.PUSHCTL_DATA_DIR);
  const store = ownStore({ dataDir, settings: { ...SETTINGS } });
  const slugs = Array.from({ length: BUSY.channels - 1 }, (_, n) => `service-${n + 1}`);
  // In groups, as each is committed by itself.
  await carryOut(store, [call('createWorkspace', { slug: 'acme' })]);
  await carryOut(store, [
    call('createChannel', { workspace: 'acme', slug: 'alerts', name: 'Alerts' }),
    ...slugs.map((slug) => call('createChannel', { workspace: 'acme', slug, name: nameOf(slug) })),
    ...Array.from({ length: BUSY.members }, (_, n) => {
      const role = n === 0 ? 'owner' : n % 50 === 0 ? 'admin' : 'member';
      return call('addMember', { workspace: 'acme', email: emailOf(n), name: n === 0 ? 'Ada' : `Member ${n}`, role });
    }),
  ]);
  await carryOut(
    store,
    Array.from({ length: BUSY.devices }, (_, n) => {
      const own = { workspace: 'acme', email: emailOf(n % BUSY.members), name: `Phone ${n}` };
      const subscribe = ['alerts', ...slugs.filter((_, at) => (n + at) % 8 === 0)];
      const address =
        n % 2 === 0
          ? ({ platform: 'ios', token: tokenOf(n) } as const)
          : ({ platform: 'android', token: `android-${tokenOf(n)}` } as const);
      return call('addDevice', { ...own, ...address, subscribe });
    }),
  );
  await store.close();
  insertHistory(join(dataDir, 'pushctl.db'));
}

function insertHistory(file: string): void {
  const db = new Database(file);
  const idOf = (what: string) => db.prepare<[], number>(`SELECT ${what}`).pluck().get() ?? 0;
  const nowMs = BigInt(Date.now());
  const workspaceId = idOf('min(id) FROM workspace');
  const firstChannel = idOf('min(id) FROM channel');
  insertEvents(db, {
    events: BigInt(BUSY.events),
    spanMs: BigInt(SPAN_MS),
    nowMs,
    workspaceId,
    channelId: firstChannel,
  });
  db.prepare(SPREAD).run({ firstChannel, channels: BigInt(BUSY.channels) });
  const newest = { ...NEWEST, eventId: idOf('max(id) FROM event'), workspaceId, devices: BUSY.devices, nowMs };
  db.prepare(DELIVER_NEWEST).run(newest);
  db.prepare(COUNT_NEWEST).run(newest);
  db.prepare(COUNT).run({ route: '', measure: 'events' });
  db.prepare(COUNT).run({ route: 'apns_production', measure: 'accepted' });
  db.prepare(LOG).run({ entries: BigInt(BUSY.audit), actor: ADA, nowMs });
  db.exec("UPDATE device SET status = 'inactive', inactive_reason = 'Unregistered' WHERE id % 40 = 0");
  db.exec("UPDATE subscription SET active = 0 WHERE device_id IN (SELECT id FROM device WHERE status = 'inactive')");
  db.close();
}

function call<N extends CallName>(name: N, args: ArgsOf<N>): CallRequest {
  return { name, args };
}

async function carryOut(store: OwnedStore, calls: readonly CallRequest[]): Promise<void> {
  for (let from = 0; from < calls.length; from += AT_ONCE) {
    for (const reply of await store.run(calls.slice(from, from + AT_ONCE))) {
      if (reply.kind !== 'answer' || isRefusal(reply.answer)) throw new Error(JSON.stringify(reply));
    }
  }
}

function emailOf(n: number): string {
  return n === 0 ? ADA : `member-${n}@example.com`;
}

function nameOf(slug: string): string {
  return slug.replace('service-', 'Service ');
}
