import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../src/config/load.ts';
import { examine } from '../../src/host/doctor/doctor.ts';
import { systemClock } from '../../src/process/clock.ts';
import { packageVersion } from '../../src/process/package.ts';
import { databasePath } from '../../src/store/data-folder.ts';
import { restore } from '../../src/store/sqlite/files/restore.ts';
import { temporaryFolder } from '../support/folder.ts';
import { Resources } from '../support/resources.ts';
import { serveHere, startTestServer, type TestServer } from '../support/server.ts';
import { until, untilIs } from '../support/until.ts';

const gone = suite('a database that loses its place under a running server');

for (const [what, loseIt] of [
  ['deleted', (file: string) => rmSync(file)],
  ['moved away', (file: string) => renameSync(file, `${file}.elsewhere`)],
  ['without its write-ahead log', (file: string) => rmSync(`${file}-wal`)],
  [
    'replaced',
    (file: string) => {
      writeFileSync(`${file}.new`, '');
      renameSync(`${file}.new`, file);
    },
  ],
  ['gone with its folder', (file: string) => renameSync(join(file, '..'), join(file, '../../elsewhere'))],
] as const) {
  gone(`${what}: no more 202, not ready, alive, and the log says it once`, () =>
    withServer(async ({ server, team, file, log }) => {
      assert.is((await team.post()).status, 202);
      loseIt(file);
      await until('a post is refused', async () => (await team.post()).status === 503);
      for (let n = 0; n < 5; n += 1) assert.is((await team.post()).status, 503);
      assert.is((await fetch(`${server.url}/readyz`)).status, 503);
      assert.is((await fetch(`${server.url}/healthz`)).status, 200);
      const linesWith = (word: string) => log.filter((line) => line.includes(word));
      assert.is(linesWith('new events are rejected').length, 1);
      assert.is(linesWith('the database cannot be written').length, 1);
    }),
  );
}

gone('once the same file is back, it serves again, and what it had saved meanwhile goes', () =>
  withServer(async ({ server, team, file, log }) => {
    renameSync(file, `${file}.elsewhere`);
    await untilIs('a copy is saved', () => rescuedCopies(file).length, 1);
    assert.is((await team.post()).status, 503);
    renameSync(`${file}.elsewhere`, file);
    await until('a post is accepted', async () => (await team.post()).status === 202);
    await untilIs('the copy is gone', () => rescuedCopies(file).length, 0);
    await untilIs('the server is ready', async () => (await fetch(`${server.url}/readyz`)).status, 200);
    await until('that is reported', () => log.some((line) => line.includes('the database file is back')));
  }),
);

gone('accepted events are sent, and unsent events are in the copy that a stop leaves', () =>
  withServer(async ({ server, sandbox, team, env, file, opened }) => {
    await team.addDevice(sandbox, { platform: 'ios' });
    const wait = { kind: 'refuse', reason: 'TooManyRequests', status: 429, retryAfterS: 1 } as const;
    const takeBack = sandbox.behave({ match: { endpoint: 'apns_production' }, answer: wait });
    const { public_id: publicId } = (await team.post()).body.event;
    rmSync(file);
    await untilIs('a copy is saved', () => rescuedCopies(file).length, 1);
    takeBack();
    await until('the push has gone out', () => sandbox.pushes.some(({ payload }) => has(payload, publicId)));
    await server.stop();

    await rejects(serveHere(opened, env), 'restore --resend');
    const [copy = ''] = rescuedCopies(file);
    restore({ dataDir: String(env.PUSHCTL_DATA_DIR), file: copy, resend: true, wallMs: Date.now() });
    const next = await serveHere(opened, env);
    const { deliveries } = await read(next.url, team.key, publicId);
    assert.equal([deliveries.accepted, deliveries.pending], [1, 0], 'the copy of the stop has the outcome');
  }),
);

gone('if it was replaced, the stop leaves the other database and its log alone', () =>
  withServer(async ({ server, team, file }) => {
    rmSync(file);
    rmSync(`${file}-wal`);
    writeFileSync(file, 'another');
    writeFileSync(`${file}-wal`, 'its log');
    await until('a post is refused', async () => (await team.post()).status === 503);
    await server.stop();
    assert.ok(existsSync(file) && existsSync(`${file}-wal`));
  }),
);

gone('without its log beside it, it is not taken for a new one', () =>
  withServer(async ({ server, env, file, opened }) => {
    await server.stop();
    renameSync(file, `${file}.elsewhere`);
    writeFileSync(`${file}-wal`, 'the newest events');
    await rejects(serveHere(opened, env), 'write-ahead log');
    assert.not(existsSync(file));
  }),
);

gone('the doctor reports it, also if the whole folder is gone', () =>
  withServer(async ({ server, env, file }) => {
    const examined = async () => {
      const config = loadConfig({ env: { ...env, PUSHCTL_LISTEN: new URL(server.url).host } });
      const findings = await examine({ config, file: null, version: packageVersion(), clock: systemClock() });
      return findings.filter(({ status }) => status === 'fail').map(({ check, message }) => `${check} ${message}`);
    };
    rmSync(file);
    const first = (await examined()).join('\n');
    assert.match(first, /^server runs, but accepts no events: .*pushctl\.db has been deleted/m);
    assert.match(first, /^database .* is gone/m);
    const folder = String(env.PUSHCTL_DATA_DIR);
    renameSync(folder, `${folder}-elsewhere`);
    mkdirSync(folder, { mode: 0o700 });
    assert.match((await examined()).join('\n'), /^server a server answers on .* does not use/m);
  }),
);

gone.run();

interface Losing extends TestServer {
  readonly opened: Resources;
  readonly file: string;
  /** The log of the server, line by line. */
  readonly log: readonly string[];
}

async function withServer(test: (losing: Losing) => Promise<void>): Promise<void> {
  await using opened = new Resources();
  const log: string[] = [];
  const env = { PUSHCTL_DATA_DIR: join(temporaryFolder(), 'data') };
  const started = await startTestServer(opened, { log: (line) => void log.push(line), env });
  await test({ ...started, opened, log, file: databasePath(String(started.env.PUSHCTL_DATA_DIR)) });
}

function rescuedCopies(file: string): readonly string[] {
  const folder = join(file, '..');
  const names = readdirSync(folder).filter((name) => /\.rescued-\w+Z$/.test(name));
  return names.map((name) => join(folder, name));
}

function has(payload: unknown, publicId: string): boolean {
  return JSON.stringify(payload).includes(publicId);
}

async function read(url: string, key: string, publicId: string) {
  const answer = await fetch(`${url}/api/v1/events/${publicId}`, { headers: { authorization: `Bearer ${key}` } });
  return (await answer.json()) as { deliveries: Readonly<Record<string, number>> };
}

async function rejects(promise: Promise<unknown>, words: string): Promise<void> {
  const message = await promise.then(
    () => 'nothing',
    (error: Error) => error.message,
  );
  assert.match(message, words);
}
