import { closeSync, existsSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../src/config/load.ts';
import { examine } from '../../src/host/doctor/doctor.ts';
import { gather } from '../../src/host/doctor/gather.ts';
import { systemClock } from '../../src/process/clock.ts';
import type { Finding } from '../../src/process/finding.ts';
import { packageVersion } from '../../src/process/package.ts';
import { databasePath } from '../../src/store/data-folder.ts';
import { InProcessCli as Cli } from '../support/cli.ts';
import { Resources } from '../support/resources.ts';
import { type Env, serveHere, startTestServer } from '../support/server.ts';
import { until, untilIs } from '../support/until.ts';

const test = suite('a damaged database');
/** So many that an index of them has more than one leaf. */
const EVENTS = 400;

test('Damage that the queue meets is logged once, and is red wherever anybody looks; posts are refused, not lost', async () => {
  await using opened = new Resources();
  const { env, key } = await withWork(opened);
  spoil(databasePath(String(env.PUSHCTL_DATA_DIR)), 'event');
  const log: Record<string, unknown>[] = [];
  const server = await serveHere(opened, env, { log: (line) => log.push(JSON.parse(line)) });
  const reported = () => log.filter(({ msg }) => String(msg).startsWith('the database is damaged'));
  await until('the damage is reported', () => reported().length > 0);
  assert.match(String(reported()[0]?.reason), /SQLITE_CORRUPT/);
  assert.is((await fetch(`${server.url}/readyz`)).status, 503);
  assert.is((await fetch(`${server.url}/healthz`)).status, 200);
  assert.is(await post(server.url, key), 503, 'a 202 would be lost with the restore');

  for (const [who, findings] of Object.entries(await asked(env, server.url))) {
    const [finding] = findings.filter(({ check, status }) => check === 'database' && status === 'fail');
    assert.match(finding?.message ?? '', 'is damaged', who);
    assert.match(finding?.advice ?? '', 'The database is damaged', who);
  }
  let metrics = '';
  // On a busy machine a look may take so long that the store is late, which is what is said then.
  await until('the damage is a metric', async () => {
    metrics = await (await fetch(String(server.metricsUrl))).text();
    return (
      /^pushctl_findings\{check="database",severity="fail"\} 1$/m.test(metrics) ||
      metrics.match(/^pushctl_findings.*/gm)
    );
  });
  assert.match(metrics, /^pushctl_database_damaged_calls_total [1-9]/m);
  assert.is(reported().length, 1);
});

test('After an end that was no stop, every page is looked at beside the work, and damage is found that no call has met', async () => {
  await using opened = new Resources();
  const { env } = await withWork(opened, 'paused');
  const folder = String(env.PUSHCTL_DATA_DIR);
  // Only a list of some levels reads it: the server looks for events to send or to delete from its start on.
  spoil(databasePath(folder), 'event_by_level');
  // Leaves the state of a killed server.
  writeFileSync(join(folder, 'owner.json'), '{"pid":1,"command":"pushctl serve"}');
  const log: Record<string, unknown>[] = [];
  const server = await serveHere(opened, env, { log: (line) => log.push(JSON.parse(line)) });
  const reported = () => log.find(({ call }) => call === 'check');
  await until('the damage is reported', () => reported() !== undefined);
  assert.match(String(reported()?.reason), /^(?!\*\*\*).+ \(and \d+ more\)$/, 'one line');
  assert.is((await fetch(`${server.url}/readyz`)).status, 503);
});

test('A backup says that it is the database which is damaged, keeps no copy, and the server looks for itself', async () => {
  await using opened = new Resources();
  const { env } = await withWork(opened, 'paused');
  const folder = String(env.PUSHCTL_DATA_DIR);
  // Nothing that the server does by itself reads it.
  spoil(databasePath(folder), 'plan');
  const server = await serveHere(opened, env);
  await untilIs('it is ready', async () => (await fetch(`${server.url}/readyz`)).status, 200);
  const file = join(folder, 'copy.db');
  const { exitCode, stderr } = await new Cli().run(['--data-dir', folder, 'backup', file]);
  assert.is(exitCode, 1);
  assert.match(stderr, 'the database is damaged, so no backup of it was kept');
  assert.not(existsSync(file));
  await untilIs('the server has found it', async () => (await fetch(`${server.url}/readyz`)).status, 503);
});

test('A database that is whole is said to be so after a kill, and a stop is followed by no look at it', async () => {
  await using opened = new Resources();
  const { env } = await withWork(opened);
  const log: string[] = [];
  const server = await serveHere(opened, env, { log: (line) => log.push(line) });
  await server.stop();
  writeFileSync(join(String(env.PUSHCTL_DATA_DIR), 'owner.json'), '{}');
  assert.not.match(log.join(''), 'every page');
  const next = await serveHere(opened, env, { log: (line) => log.push(line) });
  await until('it is whole', () => log.some((line) => line.includes('all pages of the database are intact')));
  await untilIs('it is ready', async () => (await fetch(`${next.url}/readyz`)).status, 200);
});

test.run();

/** A data folder with events whose pushes wait, and a key of its workspace. Its server has stopped. */
async function withWork(opened: Resources, route: 'open' | 'paused' = 'open'): Promise<{ env: Env; key: string }> {
  const { sandbox, env, server, team } = await startTestServer(opened, {
    env: { PUSHCTL_METRICS_LISTEN: '127.0.0.1:0' },
  });
  await team.addDevice(sandbox, { platform: 'android' });
  await team.store.pauseRoute({ route: 'fcm' });
  const posted = Array.from({ length: EVENTS }, () => team.post({ description: 'x'.repeat(900) }));
  for (const { status } of await Promise.all(posted)) assert.is(status, 202);
  if (route === 'open') {
    // The server has no chance to send them any more.
    await team.close();
    await server.stop();
    const db = new Database(databasePath(String(env.PUSHCTL_DATA_DIR)));
    db.exec('DELETE FROM route_pause');
    db.close();
  } else await server.stop();
  return { env, key: team.key };
}

/** Overwrites every leaf of the table or index with what is no page. */
function spoil(file: string, name: string): void {
  const db = new Database(file);
  db.pragma('journal_mode = DELETE');
  const size = Number(db.pragma('page_size', { simple: true }));
  const leaves = db.prepare(`SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf'`).pluck().all(name);
  db.pragma('journal_mode = WAL');
  db.close();
  assert.ok(leaves.length > 0);
  const opened = openSync(file, 'r+');
  for (const page of leaves) writeSync(opened, Buffer.alloc(size, 0xa5), 0, size, (Number(page) - 1) * size);
  closeSync(opened);
}

async function asked(env: Env, url: string): Promise<Record<string, readonly Finding[]>> {
  const config = loadConfig({ env: { ...env, PUSHCTL_LISTEN: new URL(url).host } });
  const examined = { config, file: null, version: packageVersion(), clock: systemClock() };
  return { doctor: await examine(examined), status: (await gather(examined, false)).findings };
}

async function post(url: string, key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ channel: 'alerts', title: 'Disk full' });
  return (await fetch(`${url}/api/v1/events`, { method: 'POST', headers, body })).status;
}
