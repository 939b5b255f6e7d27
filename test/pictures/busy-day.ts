import Database from 'better-sqlite3';
import { databasePath } from '../../src/store/data-folder.ts';
import { hourOf } from '../../src/values/timestamp.ts';
import { ADA } from '../support/cast.ts';
import { granted } from '../support/refusals.ts';
import { settled, type TestServer } from '../support/server.ts';

const CHANNELS = [
  ['deploys', 'Deploys'],
  ['backups', 'Backups'],
] as const;
const PEOPLE = [
  ['grace@example.com', 'Grace Hopper', 'admin'],
  ['linus@example.com', 'Linus Torvalds', 'member'],
  ['margaret@example.com', 'Margaret Hamilton', 'member'],
] as const;

/** Events of every twenty minutes or so, in turn. */
const USUAL = [
  { channel: 'deploys', level: 'success', title: 'shop 4.12.1 is live', description: 'main@9f31c2e, in 2 min 14 s' },
  {
    channel: 'alerts',
    level: 'info',
    title: 'Certificate renewed',
    description: 'shop.example.com, until 20 February',
  },
  { channel: 'backups', level: 'success', title: 'Nightly backup finished', description: '48.2 GB in 11 min' },
  { channel: 'deploys', level: 'info', title: 'Deploy of billing started', description: 'main@41be07a, by Grace' },
] as const;

/** The latest of the day, and how many minutes ago each came. */
const LATEST = [
  {
    minutesAgo: 42,
    channel: 'deploys',
    level: 'success',
    title: 'billing 2.8.0 is live',
    description: 'main@41be07a, in 3 min 2 s',
  },
  {
    minutesAgo: 23,
    channel: 'alerts',
    level: 'warning',
    title: 'Mail is piling up',
    description: '1,240 messages wait, the oldest for 6 minutes.',
    event_type: 'queue.high',
  },
  {
    minutesAgo: 11,
    channel: 'backups',
    level: 'error',
    title: 'Backup of db-2 failed',
    description: 'No space left on device: /srv/backup',
  },
  {
    minutesAgo: 3,
    channel: 'alerts',
    level: 'error',
    delivery_urgency: 'time_sensitive',
    title: 'Disk nearly full on db-1',
    description: '2 GB of 500 GB left. At the present rate it is full in 40 minutes.',
    event_type: 'disk.full',
  },
] as const;

/**
 * Fills the workspace `acme` with a day of work: people, phones, keys, a phone whose token Google refuses, and an alert
 * that nobody has acknowledged. Returns the id of the alert.
 */
export async function aBusyDay({ sandbox, team, env }: TestServer): Promise<string> {
  const workspace = 'acme';
  granted(await team.store.updateChannel({ workspace, slug: 'alerts', insist: { repeat: 300, until: 3_600 } }));
  for (const [slug, name] of CHANNELS) granted(await team.store.createChannel({ workspace, slug, name }));
  for (const [email, name, role] of PEOPLE) granted(await team.store.addMember({ workspace, email, name, role }));
  const subscribe = ['alerts', ...CHANNELS.map(([slug]) => slug)];
  for (const [index, email] of [ADA, ...PEOPLE.map(([member]) => member)].entries()) {
    const behaviour = { behaviour: 'slow', parameter: 40 + 25 * index } as const;
    const iPhone = { platform: 'ios', token: sandbox.token({ platform: 'ios', ...behaviour }) } as const;
    const pixel = { platform: 'android', token: sandbox.token({ platform: 'android', ...behaviour }) } as const;
    granted(await team.store.addDevice({ workspace, email, ...iPhone, name: 'iPhone 17', subscribe }));
    granted(await team.store.addDevice({ workspace, email, ...pixel, name: 'Pixel 10', subscribe }));
  }
  await team.addDevice(sandbox, { platform: 'android', behaviour: 'bad_token' }, 'backups');
  await team.issueKey({ name: 'GitLab', channels: ['deploys'], scopes: ['events:write'] });
  await team.issueKey({ name: 'Alertmanager', channels: ['alerts'], scopes: ['events:write'] });
  await team.issueKey({ name: 'Status page', scopes: ['events:read'] });
  let latest = '';
  const database = new Database(databasePath(String(env.PUSHCTL_DATA_DIR)));
  try {
    for (const { minutesAgo, ...body } of theDay()) {
      const { event } = (await team.post(body)).body;
      await settled(team, event.public_id);
      moveBack(database, minutesAgo);
      latest = event.public_id;
    }
  } finally {
    database.close();
  }
  return latest;
}

/** More by day than by night, the latest last. */
function* theDay() {
  let n = 0;
  for (let minutesAgo = 23 * 60; minutesAgo > 50; minutesAgo -= 13 + 10 * Math.sin((minutesAgo / 1440) * 2 * Math.PI)) {
    yield { ...USUAL[n % USUAL.length], minutesAgo: Math.round(minutesAgo) };
    n += 1;
  }
  yield* LATEST;
}

/** The event that has just come came so many minutes ago. */
function moveBack(database: Database.Database, minutesAgo: number): void {
  const nowMs = Date.now();
  const [hour, back] = [hourOf(nowMs), minutesAgo * 60_000];
  const then = hourOf(nowMs - back);
  const change = (sql: string, values: object) => database.prepare(sql).run(values);
  database.transaction(() => {
    change(
      `UPDATE event SET received_at = received_at - :back, expires_at = expires_at - :back,
        first_accepted_at = first_accepted_at - :back, last_accepted_at = last_accepted_at - :back
      WHERE id = (SELECT max(id) FROM event)`,
      { back },
    );
    change(
      `UPDATE alert SET opened_at = opened_at - :back, stops_at = stops_at - :back
      WHERE event_id = (SELECT max(id) FROM event)`,
      { back },
    );
    change('UPDATE delivery SET at = at - :back WHERE event_id = (SELECT max(id) FROM event)', { back });
    if (then === hour) return;
    change(
      `INSERT INTO tally SELECT :then, workspace_id, channel_id, route, measure, reason, count FROM tally WHERE hour = :hour
      ON CONFLICT DO UPDATE SET count = count + excluded.count`,
      { then, hour },
    );
    change('DELETE FROM tally WHERE hour = :hour', { hour });
  })();
}
