import { randomBytes } from 'node:crypto';
import Database from 'better-sqlite3';
import { createApiKey } from '../../src/contract/api-key.ts';
import { newWebhookSecret } from '../../src/contract/webhooks.ts';
import { databasePath } from '../../src/store/data-folder.ts';
import { BUSY, fillWorkspace } from '../browsers/busy-workspace.ts';
import { ADA, BOB } from '../support/cast.ts';
import { granted } from '../support/refusals.ts';
import type { Resources } from '../support/resources.ts';
import type { Sandbox } from '../support/sandbox/start.ts';
import { aSandbox } from '../support/sandbox.ts';
import { aTeam, type Env, serveHere, serverEnv, settled, type Team } from '../support/server.ts';

export const FILLS = ['full', 'empty'] as const;
export type Fill = (typeof FILLS)[number];

/** A workspace, its owner, and what is on the pages of single things. */
export interface Place {
  readonly email: string;
  readonly workspace: string;
  readonly event: string;
  readonly alert: string;
  readonly newest: string;
  readonly member: string;
  readonly device: string;
  readonly channel: string;
}

export interface Scene {
  readonly url: string;
  readonly sandbox: Sandbox;
  readonly team: Team;
  readonly places: Readonly<Record<Fill, Place>>;
}

const ACME = 'acme';
const ON_CALL = 'on-call';
const LONG = {
  name: 'Maximiliane von Brandenburg-Hohenzollern-Sigmaringen',
  email: 'maximiliane.von-brandenburg-hohenzollern@verwaltung.example.com',
  channel: 'database-production-frankfurt-am-main-eu-central-1',
} as const;
const GRACE = { name: 'Grace Hopper', email: 'grace@example.com' } as const;
const ALERT = { channel: ON_CALL, level: 'error', delivery_urgency: 'time_sensitive' } as const;
/** The last of them is opened on a page of its own. */
const ALERTS = [
  { title: 'Replica lags by 40 s', collapse_key: 'lag', level: 'warning', after: 'resolve' },
  { title: 'Queue of invoices grows', collapse_key: 'invoices', level: 'warning', after: 'snooze' },
  { title: 'Checkout answers with errors', collapse_key: 'checkout', after: 'take' },
  { title: 'القرص ممتلئ على db-1', collapse_key: 'disk', description: 'بقي 2 غيغابايت من 500.', after: 'stay' },
  {
    title: 'Disk nearly full on db-frankfurt-2, and /var/lib/postgresql grows by two per cent an hour',
    description:
      'See https://grafana.example.com/d/9f31c2e/postgresql-frankfurt?orgId=1&from=now-6h&to=now and run\npg_repack --table events_2026_11.',
    collapse_key: 'disk-2',
    event_type: 'disk.full',
    after: 'stay',
  },
] as const;
const EVENTS = [
  ...Array.from({ length: 7 }, () => ({ title: 'Deploy of billing failed', collapse_key: 'billing', level: 'error' })),
  { title: 'x'.repeat(60), description: 'https://example.com/'.padEnd(200, 'a'), level: 'info' },
  { title: 'Nightly backup finished', description: '48.2 GB in 11 min', level: 'success', event_type: 'backup.done' },
] as const;
const HEARTBEATS = [
  { slug: 'backup', name: 'Nightly backup of the production database in Frankfurt', cron: '0 3 * * 1-5', end: '' },
  { slug: 'sync', name: 'Sync of invoices', every: 300, end: '/fail' },
  { slug: 'certificates', name: 'Certificates', every: 86_400, end: null },
  { slug: 'reports', name: 'Reports', every: 3_600, end: 'pause' },
] as const;

/** A server with a workspace of a whole company, and with one in which nothing is yet. */
export async function aScene(opened: Resources): Promise<Scene> {
  const sandbox = opened.add(await aSandbox());
  const env = await serverEnv(sandbox);
  await fillWorkspace(env);
  const { url } = await serveHere(opened, env);
  const team = opened.add(await aTeam(env, url));
  const full = await furnish(team, sandbox, env, url);
  granted(await team.store.createWorkspace({ slug: 'umbrella', name: 'Umbrella' }));
  granted(await team.store.addMember({ workspace: 'umbrella', email: BOB, name: 'Bob', role: 'owner' }));
  const gone = `evt_${'0'.repeat(26)}`;
  const empty = { email: BOB, workspace: 'umbrella', event: gone, alert: gone, newest: gone };
  return {
    url,
    sandbox,
    team,
    places: { full, empty: { ...empty, member: BOB, device: `dev_${'0'.repeat(26)}`, channel: 'nowhere' } },
  };
}

async function furnish(team: Team, sandbox: Sandbox, env: Env, url: string): Promise<Place> {
  const { store } = team;
  granted(await store.createWorkspace({ slug: 'globex', name: 'Globex' }));
  granted(await store.addMember({ workspace: 'globex', email: ADA, role: 'owner' }));
  const insist = { repeat: 60, until: 3_000, escalate: { after: 600, channel: 'alerts' } };
  granted(await store.createChannel({ workspace: ACME, slug: ON_CALL, name: 'On call' }));
  granted(await store.updateChannel({ workspace: ACME, slug: ON_CALL, insist }));
  const maintained = { workspace: ACME, slug: ON_CALL } as const;
  const note = 'Upgrade of the database cluster in Frankfurt am Main to version 17, with a failover of each node';
  granted(
    await store.createMaintenance({ ...maintained, for: 14_400, only: 'database-cluster/frankfurt-am-main/*', note }),
  );
  const weekly = { cron: '0 3 * * 0', timezone: 'America/Argentina/Buenos_Aires', for: 3_600 };
  granted(await store.createMaintenance({ ...maintained, ...weekly }));
  const quiet = { from: '22:00', to: '07:00', timezone: 'Europe/Berlin', days: ['mon', 'fri'] as const };
  granted(
    await store.createChannel({ workspace: ACME, slug: LONG.channel, name: 'Database production, Frankfurt am Main' }),
  );
  granted(await store.updateChannel({ workspace: ACME, slug: LONG.channel, quiet }));
  await replaceMembers(team);
  const device = await addDevices(team, sandbox);
  await addKeys(team);
  await addHeartbeats(team, url);
  await addWebhooks(team);
  await addRotas(team);
  for (const event of EVENTS) await team.post({ channel: LONG.channel, ...event });
  await team.post({
    channel: ON_CALL,
    title: 'Maintenance begins',
    send_at: new Date(Date.now() + 36e5).toISOString(),
  });
  const alert = await addAlerts(team);
  pretendReminders(env);
  pretendSilence(env);
  pretendReports(env);
  const { events } = granted(await store.listEvents({ workspace: ACME, limit: 50, q: 'disk nearly' }));
  const newest = events.find(({ target_device_count: targets }) => targets > 100)?.public_id ?? alert;
  const { events: failed } = granted(await store.listEvents({ workspace: ACME, limit: 50, q: 'billing' }));
  const event = failed[0]?.public_id ?? alert;
  return { email: ADA, workspace: ACME, event, alert, newest, member: LONG.email, device, channel: ON_CALL };
}

/** In the place of others, as a workspace has no more. */
async function replaceMembers({ store }: Team): Promise<void> {
  for (const [n, { email, name }] of [LONG, GRACE].entries()) {
    granted(await store.removeMember({ workspace: ACME, email: `member-${BUSY.members - 1 - n}@example.com` }));
    granted(await store.addMember({ workspace: ACME, email, name, role: 'admin' }));
  }
}

async function addDevices(team: Team, sandbox: Sandbox): Promise<string> {
  const subscribe = [ON_CALL, LONG.channel, 'alerts'];
  const add = async (email: string, name: string, behaviour: 'slow' | 'bad_token') => {
    const token = sandbox.token({ platform: 'android', behaviour, ...(behaviour === 'slow' && { parameter: 40 }) });
    const device = { workspace: ACME, email, platform: 'android', token, name, subscribe } as const;
    return granted(await team.store.addDevice(device)).device.id;
  };
  await add(LONG.email, 'Work phone', 'slow');
  await add(ADA, 'Old tablet', 'bad_token');
  return add(ADA, 'Pixel 10 of Ada in the server room on the fourth floor', 'slow');
}

async function addKeys(team: Team): Promise<void> {
  await team.issueKey({ name: 'Alertmanager', channels: [ON_CALL], scopes: ['events:write'] });
  await team.issueKey({ name: 'Status page', scopes: ['events:read'] });
  await team.issueKey({
    name: 'A pipeline with a name that is as long as names of pipelines are',
    channels: [ON_CALL, LONG.channel, 'alerts', 'service-1'],
  });
  const { id } = await team.issueKey({ name: 'GitLab', channels: [LONG.channel] });
  const { id: newId, secretHash } = createApiKey(randomBytes);
  granted(await team.store.rotateKey({ id, newId, secretHash, graceMs: 864e5 }));
  const old = await team.issueKey({ name: 'Jenkins' });
  granted(await team.store.revokeKey({ id: old.id }));
}

/** One in another time zone, one of one person, and one that begins in a month. */
async function addRotas({ store }: Team): Promise<void> {
  const day = (ms: number) => new Date(Date.now() + ms).toISOString().slice(0, 10);
  const weekly = { every: 'week', weekday: 'mon', at: '09:00' } as const;
  const payments = { workspace: ACME, slug: 'payments' };
  const name = 'Payments, invoices and the bookkeeping of the whole company';
  const timezone = 'America/Argentina/Buenos_Aires';
  const longest = LONG.email;
  granted(
    await store.createRota({
      ...payments,
      name,
      timezone,
      handover: weekly,
      startsOn: day(-6e8),
      members: [longest, ADA, GRACE.email],
    }),
  );
  const fromMs = Date.now() + 36e5;
  granted(await store.addOverride({ ...payments, member: ADA, fromMs, untilMs: fromMs + 864e5 }));
  granted(await store.createRota({ workspace: ACME, slug: 'network', members: [ADA] }));
  granted(await store.createRota({ workspace: ACME, slug: 'later', startsOn: day(26e8), members: [GRACE.email, ADA] }));
}

async function addWebhooks({ store }: Team): Promise<void> {
  for (const url of ['https://chat.example.com/hooks/on-call', `https://status.example.com/${'long/'.repeat(20)}`]) {
    const secret = newWebhookSecret(randomBytes);
    const { id } = granted(await store.createWebhook({ workspace: ACME, url, secret }));
    if (url.includes('long')) granted(await store.updateWebhook({ workspace: ACME, id, status: 'disabled' }));
  }
}

async function addHeartbeats({ store }: Team, url: string): Promise<void> {
  for (const { end, ...heartbeat } of HEARTBEATS) {
    const { uuid, slug } = granted(
      await store.createHeartbeat({ workspace: ACME, channel: LONG.channel, ...heartbeat }),
    );
    if (end === 'pause') granted(await store.pauseHeartbeat({ workspace: ACME, slug }));
    else if (end !== null) await fetch(`${url}/ping/${uuid}${end}`, { method: 'POST', body: 'rsync: no space left' });
  }
}

async function addAlerts(team: Team): Promise<string> {
  let publicId = '';
  for (const { after, ...event } of ALERTS) {
    publicId = (await team.post({ ...ALERT, ...event })).body.event.public_id;
    await settled(team, publicId);
    if (after === 'resolve') granted(await team.store.resolveAlert({ publicId, as: GRACE.email }));
    if (after === 'take') granted(await team.store.acknowledgeAlert({ publicId, as: GRACE.email }));
    if (after === 'snooze') granted(await team.store.acknowledgeAlert({ publicId, as: LONG.email, forS: 7_200 }));
  }
  return publicId;
}

/** More devices than the overview lists look as if they had stopped showing. */
function pretendSilence(env: Env): void {
  const database = new Database(databasePath(String(env.PUSHCTL_DATA_DIR)));
  database.exec(`
    INSERT OR REPLACE INTO reporter (device_id, token_hash, shown_at, missed, silent_at)
    SELECT id, randomblob(32), registered_at, 3, registered_at FROM device WHERE status = 'active' ORDER BY id DESC LIMIT 7`);
  database.close();
}

/** Pushes of alerts look as if devices had shown them, and some people had opened them. */
function pretendReports(env: Env): void {
  const database = new Database(databasePath(String(env.PUSHCTL_DATA_DIR)));
  database.exec(`
    INSERT INTO receipt (event_id, device_id, shown_at, opened_at)
    SELECT event_id, device_id, at + 900, CASE WHEN device_id % 2 = 1 THEN at + 41000 END FROM delivery
    WHERE state = 'accepted' AND event_id IN (SELECT id FROM event WHERE alert_id IS NOT NULL)
    ON CONFLICT DO NOTHING;
    UPDATE event SET shown = counted.shown, opened = counted.opened
    FROM (SELECT event_id, count(shown_at) AS shown, count(opened_at) AS opened FROM receipt GROUP BY event_id) AS counted
    WHERE counted.event_id = event.id`);
  database.close();
}

/** The alerts look as if they had been open for eight minutes. */
function pretendReminders(env: Env): void {
  const database = new Database(databasePath(String(env.PUSHCTL_DATA_DIR)));
  database.exec('UPDATE alert SET opened_at = opened_at - 480000, reminders = 7, reminded_at = opened_at - 60000');
  database.close();
}
