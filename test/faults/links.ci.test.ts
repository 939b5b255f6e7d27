import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { backUp } from '../../src/store/sqlite/files/backup.ts';
import { FAULTY_ENDPOINTS } from '../support/faults.ts';
import { temporaryFolder } from '../support/folder.ts';
import { Resources } from '../support/resources.ts';
import { aSandbox } from '../support/sandbox.ts';
import { aTeam, serveHere, serverEnv, settled, type Team } from '../support/server.ts';
import { until, untilIs } from '../support/until.ts';

/** In every link and in the data of this test; random enough that it stands nowhere else. */
const SECRET = 'q7x2link9m4';
const links = suite('links');

links(
  'no file and no log ever has a link or data of pushes: queued, deferred, sent, paused, refused or cut off by a restart',
  async () => {
    await using opened = new Resources();
    const sandbox = opened.add(await aSandbox());
    const env = await serverEnv(sandbox, { PUSHCTL_LOG_LEVEL: 'debug', PUSHCTL_DELIVERY_STOP_TIMEOUT: '100ms' });
    const lines: string[] = [];
    const log = (line: string) => lines.push(line);
    const start = () => serveHere(opened, env, { log, pool: { limits: { deadlineMs: 500 } } });
    const first = await start();
    const team = opened.add(await aTeam(env, first.url));
    for (const behaviour of ['accept', 'unavailable', 'bad_token', 'silent', 'garbage'] as const) {
      await team.addDevice(sandbox, { platform: 'ios', behaviour });
      await team.addDevice(sandbox, { platform: 'android', behaviour });
      await team.addDevice(sandbox, { platform: 'web', service: 'webpush_apple', behaviour });
    }

    const sent = await postWithLinks(team, 'sent');
    for (const endpoint of ['apns_production', 'fcm', 'webpush_apple']) {
      const { payload } = await sandbox.waitForPush((push) => push.endpoint === endpoint);
      const text = JSON.stringify(payload);
      assert.ok(text.includes(`https://example.com/${SECRET}`) && text.includes(`in-${SECRET}`), endpoint);
    }
    await untilIs('deferred pushes', async () => (await team.read(sent)).deliveries.accepted, 3);
    nowhere(env, lines);

    for (const endpoint of FAULTY_ENDPOINTS) await sandbox.setOutage(endpoint, 'refused');
    const paused = await postWithLinks(team, 'paused');
    await until('a pause', () => lines.some((line) => line.includes('route paused')));
    await refused(team);
    nowhere(env, lines);
    const backup = join(temporaryFolder(), 'backup.db');
    await backUp({ dataDir: String(env.PUSHCTL_DATA_DIR), file: backup });
    assert.not(readFileSync(backup).includes(SECRET), 'a link stands in the backup');

    await first.stop();
    nowhere(env, lines);
    for (const endpoint of FAULTY_ENDPOINTS) await sandbox.setOutage(endpoint, 'none');
    for (const endpoint of FAULTY_ENDPOINTS) sandbox.behave({ match: { endpoint }, answer: { kind: 'accept' } });
    const second = await start();
    const later = opened.add(await aTeam(env, second.url));
    const { deliveries } = await settled({ ...later, read: readerOf(second.url, team.key) }, paused);
    // The three whose token is bad may have been found dead meanwhile.
    assert.ok(Number(deliveries.accepted) >= 12, JSON.stringify(deliveries));
    const stats = await later.store.stats({ sinceMs: 0 });
    assert.ok('totals' in stats && stats.totals.links_lost >= 12, 'what the restart lost is counted');
    await second.stop();
    nowhere(env, lines);
  },
);

links.run();

async function postWithLinks(team: Team, title: string): Promise<string> {
  const unique = `${SECRET}-${title}`;
  const { status, body } = await team.post({
    title,
    url: `https://example.com/${unique}`,
    image_url: `https://example.com/${unique}.png`,
    data: { [`in-${SECRET}`]: unique },
  });
  assert.is(status, 202);
  return body.event.public_id;
}

/** Bodies that are refused must not be written down either. */
async function refused(team: Team): Promise<void> {
  assert.is((await team.post({ url: `ftp://example.com/${SECRET}` })).status, 422);
  assert.is((await team.post({ image_url: `http://example.com/${SECRET}`, icon: 'x' })).status, 422);
  assert.is((await team.post({ data: { [SECRET]: SECRET }, icon: 'x' })).status, 422);
  assert.is((await team.post({ channel: 'none', url: `https://example.com/${SECRET}` })).status, 404);
}

function nowhere(env: Readonly<Record<string, string>>, lines: readonly string[]): void {
  const dataDir = String(env.PUSHCTL_DATA_DIR);
  for (const entry of readdirSync(dataDir, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    assert.not(readFileSync(path).includes(SECRET), `a link stands in ${path}`);
  }
  assert.not(
    lines.some((line) => line.includes(SECRET)),
    'a link stands in the log',
  );
}

function readerOf(url: string, key: string): Team['read'] {
  return async (publicId) => {
    const answer = await fetch(`${url}/api/v1/events/${publicId}`, { headers: { authorization: `Bearer ${key}` } });
    return (await answer.json()) as Awaited<ReturnType<Team['read']>>;
  };
}
