import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryFolder } from '../support/folder.ts';
import { temporarySchema } from '../support/postgres.ts';
import { Resources } from '../support/resources.ts';
import type { Sandbox } from '../support/sandbox/start.ts';
import { aSandbox } from '../support/sandbox.ts';
import { aTeam, type Env, serverEnv } from '../support/server.ts';
import { until } from '../support/until.ts';
import { serverProcess } from './server-process.ts';
import { readingFrom } from './stopped-data.ts';

const KILLS = 15;
/** The number of scheduled events; each start finds some due, so more than one call releases. */
const EVENTS = 900;
const DUE_AT_ONCE = 60;
/** From when it listens to when all that is due has gone out, on a machine that does nothing else. */
const LONGEST_MS = { SQLite: 100, PostgreSQL: 1_000 };

/** `queued`: how many pushes of it are in the queue, or were. */
interface Stored {
  readonly title: string;
  readonly kind: string | null;
  readonly targeted: number;
  readonly queued: number;
}
const STORED = `
  SELECT title, kind, targeted, (SELECT coalesce(sum(targeted), 0) FROM fan_out WHERE fan_out.event_id = event.id)
    + (SELECT count(*) FROM delivery WHERE delivery.event_id = event.id) AS queued
  FROM event ORDER BY id`;
const SENT = 'SELECT title FROM event WHERE kind IS NULL';
const SOME_DUE = `
  UPDATE event SET send_at = 0 WHERE id IN (SELECT id FROM event WHERE kind = 'scheduled' ORDER BY id LIMIT ${DUE_AT_ONCE})`;

for (const [engine, settings] of [
  ['SQLite', async (): Promise<Env> => ({})],
  ['PostgreSQL', async () => ({ PUSHCTL_STORE_URL: await temporarySchema(), PUSHCTL_DATA_DIR: temporaryFolder() })],
] as const) {
  test(`Over ${engine} an acknowledged event is sent once at its time, even if the server dies at any moment`, async () => {
    await using opened = new Resources();
    const sandbox = opened.add(await aSandbox());
    const env = await serverEnv(sandbox, await settings());
    const read = readingFrom(env);
    const titles = await postMany(opened, env, sandbox);
    let released = 0;
    for (let kill = 1; kill <= KILLS; kill += 1) {
      await read(SOME_DUE);
      const server = serverProcess(opened, env);
      await server.url;
      if (kill < KILLS) await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_MS[engine]));
      else await until('some were sent', async () => (await read(SENT)).length > 0 || (await read(SENT)).length);
      await server.end('SIGKILL');
      const stored = await read<Stored>(STORED);
      assert.equal(stored.map(({ title }) => title).toSorted(), titles, 'each is there once');
      const waiting = stored.filter(({ kind }) => kind === 'scheduled');
      for (const { title, targeted, queued } of waiting) assert.equal([targeted, queued], [0, 0], title);
      const sent = stored.filter(({ kind }) => kind === null);
      for (const { title, targeted, queued } of sent) assert.equal([targeted, queued], [1, 1], title);
      assert.is(sent.length + waiting.length, EVENTS);
      assert.ok(sent.length >= released, 'what was sent once does not wait again');
      released = sent.length;
    }
    assert.ok(released > 0, 'none was sent');
  });
}

test.run();

/** All of them for an hour later; the server that took them is killed at once. */
async function postMany(opened: Resources, env: Env, sandbox: Sandbox): Promise<readonly string[]> {
  const server = serverProcess(opened, env);
  const team = await aTeam(env, await server.url);
  await team.addDevice(sandbox, { platform: 'ios' });
  const titles = Array.from({ length: EVENTS }, (_, nth) => `Event ${nth}`);
  const later = new Date(Date.now() + 3_600_000).toISOString();
  for (let n = 0; n < EVENTS; n += 50) {
    await Promise.all(titles.slice(n, n + 50).map((title) => team.post({ channel: 'alerts', title, send_at: later })));
  }
  await team.close();
  await server.end('SIGKILL');
  return titles.toSorted();
}
