import { join } from 'node:path';
import Database from 'better-sqlite3';
import { importAll } from '../bench/fixture.ts';
import { insertEvents } from '../bench/volume.ts';
import { Opened } from '../support/opened.ts';
import { aTeam, type Env, serveHere } from '../support/server.ts';
import { tokenOf } from '../support/workspace.ts';

const EVENTS = 100_000;
const DEVICES = 10_000;
const SPAN_MS = 30 * 86_400_000;

/** As the server counts them while it accepts and sends. */
const COUNT = `
  INSERT INTO tally (hour, workspace_id, channel_id, route, measure, reason, count)
  SELECT received_at / 3600000 * 3600000, workspace_id, channel_id, :route, :measure, '', count(*) FROM event
  GROUP BY 1, 2, 3`;

/** The workspace `acme` with a month of events, each accepted for one device, and many devices; of a server to be started. */
export async function fillWorkspace(env: Env): Promise<void> {
  await importDevices(env);
  const db = new Database(join(String(env.PUSHCTL_DATA_DIR), 'pushctl.db'));
  const idOf = (table: string) => db.prepare<[], number>(`SELECT min(id) FROM ${table}`).pluck().get() ?? 0;
  const times = { events: BigInt(EVENTS), spanMs: BigInt(SPAN_MS), nowMs: BigInt(Date.now()) };
  insertEvents(db, { ...times, workspaceId: idOf('workspace'), channelId: idOf('channel') });
  db.prepare(COUNT).run({ route: '', measure: 'events' });
  db.prepare(COUNT).run({ route: 'apns_production', measure: 'accepted' });
  db.close();
}

async function importDevices(env: Env): Promise<void> {
  await using opened = new Opened();
  const { store } = opened.add(await aTeam(env, (await serveHere(opened, env)).url));
  const devices = Array.from({ length: DEVICES }, (_, n) => ({ platform: 'ios' as const, token: tokenOf(n) }));
  await importAll(
    store,
    devices.map((device) => ({ ...device, subscribe: ['alerts'] })),
  );
}
