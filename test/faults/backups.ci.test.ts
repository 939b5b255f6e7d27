import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startBackup } from '../../src/server/backups/process.ts';
import { databasePath } from '../../src/store/data-folder.ts';
import { contentsOf } from '../../src/store/sqlite/files/backup.ts';
import { migrate } from '../../src/store/sqlite/migrations.ts';
import { type Cli, InProcessCli, type RunningCli } from '../support/cli.ts';
import { withSmallDisk } from '../support/disk.ts';
import { temporaryFolder } from '../support/folder.ts';
import { Resources } from '../support/resources.ts';
import { until, untilIs } from '../support/until.ts';

const test = suite('faults of backups');
const NAME = /^pushctl-\d{4}-\d\d-\d\dT\d{6}Z\.db$/;
const BALLAST_BYTES = 24 * 1024 * 1024;

test('A server makes a backup at its start, tests it in a drill and reports it', async () => {
  await using opened = new Resources();
  const { cli, folder, names } = await anInstallation();
  const { url } = await serve(opened, cli, { PUSHCTL_METRICS_LISTEN: '127.0.0.1:0' });
  await untilIs('a backup', () => names().length, 1);
  const file = join(folder, names()[0] ?? '');
  assert.is(statSync(file).mode & 0o777, 0o600);
  assert.is(contentsOf(file).workspaces, 1);
  assert.match((await cli.run(['restore', '--drill', file])).stdout, 'can be restored: 1 workspace');
  await until('status knows', async () => {
    const { stdout } = await cli.run(['status']);
    return stdout.includes(file) && /^last backup .*; the next 20\d\d-/m.test(stdout);
  });
  assert.is((await fetch(`${url}/readyz`)).status, 200);
});

test('Without the table there is none', async () => {
  await using opened = new Resources();
  const { cli, names } = await anInstallation({ isOn: false });
  await serve(opened, cli);
  assert.match((await cli.run(['status'])).stdout, /^last backup +none is known of$/m);
  assert.equal(names(), []);
});

test('A kill of the process that makes it leaves nothing, and the next try is good', async () => {
  const { cli, folder, names } = await anInstallation({ isLarge: true });
  const file = join(folder, 'pushctl-2026-11-21T030000Z.db');
  const killed = async () => {
    const backup = startBackup(cli.dataDir, file);
    await until('it is being written', () => sizesIn(folder).some((bytes) => bytes > 0));
    const whole = names();
    backup.kill();
    return { whole, outcome: await backup.done };
  };
  let { whole, outcome } = await killed();
  // On a busy machine it may be done before the kill.
  for (let tries = 1; 'made' in outcome; tries += 1) {
    assert.ok(tries < 10, 'ten backups were done before their kill');
    rmSync(file);
    ({ whole, outcome } = await killed());
  }
  assert.equal(whole, []);
  assert.match('failed' in outcome ? outcome.failed.reason : '', 'its process was killed by SIGKILL');
  assert.equal(readdirSync(folder), []);
  assert.ok('made' in (await startBackup(cli.dataDir, file).done));
  assert.equal(readdirSync(folder), ['pushctl-2026-11-21T030000Z.db']);
});

test('A stop and a kill of the server in the middle leave no half file with a good name; the next start makes one', async () => {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    await using opened = new Resources();
    const { cli, folder, names } = await anInstallation({ isLarge: true });
    const { server } = await serve(opened, cli);
    await until('it is being written', () => sizesIn(folder).length > 0);
    await server.stop(signal);
    for (const name of names()) assert.is(contentsOf(join(folder, name)).workspaces, 1, signal);
    if (signal === 'SIGTERM') assert.ok(readdirSync(folder).every((name) => NAME.test(name)));
    const before = names().length;
    await serve(opened, cli);
    await until('a whole one', () => names().length > before || before === 1);
    for (const name of names()) assert.is(contentsOf(join(folder, name)).workspaces, 1, signal);
  }
});

test('A disk with too little room: none is begun, the old ones stay, and the server goes on', async () => {
  await withSmallDisk(BALLAST_BYTES / 1024 + 4_096, async (disk) => {
    await using opened = new Resources();
    const { cli, folder, names } = await anInstallation({ isLarge: true, folder: disk });
    const old = 'pushctl-2026-11-01T030000Z.db';
    writeFileSync(join(folder, old), 'old', { mode: 0o600 });
    const { url } = await serve(opened, cli);
    const status = () => cli.run(['status']).then(({ stdout }) => stdout);
    await until('it is reported', async () => /^FAIL +backup: failed at/m.test(await status()));
    assert.match(await status(), 'has too little space');
    assert.equal(readdirSync(folder), [old]);
    assert.equal(names(), [old]);
    assert.is((await fetch(`${url}/readyz`)).status, 200);
  });
});

test('A disk that becomes full in the middle leaves nothing half', async () => {
  const { cli, folder } = await anInstallation({ isLarge: true });
  const file = join(folder, 'pushctl-2026-11-21T030000Z.db');
  const limit = `trap '' XFSZ; ulimit -f ${BALLAST_BYTES / 2 / 1_024}; exec "$0" "$@"`;
  const { status, stderr } = spawnSync('bash', ['-c', limit, ...cli.words(['backup', file])], { encoding: 'utf8' });
  assert.is(status, 1, stderr);
  assert.equal(readdirSync(folder), []);
});

test('A disk that becomes full at the very end of a restore leaves no database that is half', async () => {
  const cli = new OwnCli();
  const file = join(temporaryFolder(), 'backup.db');
  makeBrimful(file);
  const limit = `trap '' XFSZ; ulimit -f ${statSync(file).size / 1_024}; exec "$0" "$@"`;
  const { status, stderr } = spawnSync('bash', ['-c', limit, ...cli.words(['restore', file])], { encoding: 'utf8' });
  assert.is(status, 1);
  assert.match(stderr, 'Nothing was changed.');
  assert.not(existsSync(databasePath(cli.dataDir)));
});

test('A folder that is missing, or closed, or no folder is reported, and named by config check', async () => {
  for (const make of [
    () => {},
    (folder: string) => mkdirSync(folder, { mode: 0o000 }),
    (folder: string) => writeFileSync(folder, 'a file'),
  ]) {
    await using opened = new Resources();
    const folder = join(temporaryFolder(), 'backups');
    make(folder);
    const { cli } = await anInstallation({ folder });
    const isClosedToRoot = make.length === 1 && process.getuid?.() === 0 && statSync(folder).isDirectory();
    if (isClosedToRoot) continue;
    const { exitCode, stdout } = await cli.run(['config', 'check']);
    assert.is(exitCode, 1);
    assert.match(stdout, /^FAIL +backup\.folder: /m);
    await serve(opened, cli);
    const status = async () => (await cli.run(['status'])).stdout;
    await until('it is reported', async () => /^FAIL +backup\.folder: .*; affected: backup$/m.test(await status()));
  }
});

test('A folder without faults passes config check without leaving anything in it', async () => {
  const { cli, folder } = await anInstallation();
  assert.match((await cli.run(['config', 'check'])).stdout, /^ok +backup\.folder: .* is writable/m);
  assert.equal(readdirSync(folder), []);
});

test('A damaged database gives no backup, and the old ones stay', async () => {
  await using opened = new Resources();
  const { cli, folder, names } = await anInstallation({ isLarge: true });
  const old = 'pushctl-2026-11-01T030000Z.db';
  assert.is((await cli.run(['backup', join(folder, old)])).exitCode, 0);
  spoil(databasePath(cli.dataDir));
  await serve(opened, cli, { PUSHCTL_BACKUP_KEEP: '1' });
  const status = async () => (await cli.run(['status'])).stdout;
  await until('it is reported', async () => /the database is damaged/.test(await status()));
  assert.equal(readdirSync(folder), [old]);
  assert.is(contentsOf(join(folder, old)).workspaces, 1);
  assert.equal(names(), [old]);
});

test('Two servers with one folder: the second makes none there, and says why', async () => {
  await using opened = new Resources();
  const first = await anInstallation();
  const second = await anInstallation({ folder: first.folder });
  await serve(opened, first.cli);
  await untilIs('the first one', () => first.names().length, 1);
  await serve(opened, second.cli);
  const status = async () => (await second.cli.run(['status'])).stdout;
  await until('it is reported', async () =>
    (await status()).replaceAll(/\s+/g, ' ').includes('is a backup of another database'),
  );
  assert.equal(first.names().length, 1);
  assert.not.match((await first.cli.run(['status'])).stdout, 'another database');
});

test.run();

interface Wanted {
  readonly folder?: string;
  readonly isOn?: boolean;
  readonly isLarge?: boolean;
}

/** A data folder with a workspace, and backups of it by itself. */
async function anInstallation({ folder = temporaryFolder(), isOn = true, isLarge = false }: Wanted = {}) {
  const cli = new OwnCli(['listen = "127.0.0.1:0"', ...(isOn ? ['[backup]', `folder = "${folder}"`] : [])].join('\n'));
  await cli.populate((store) => store.createWorkspace({ slug: 'acme' }));
  if (isLarge) {
    const db = new Database(databasePath(cli.dataDir));
    const add = db.prepare(
      "INSERT INTO audit (at, actor_kind, actor, action, object) VALUES (unixepoch() * 1000, 'operator', 'x', 'x', ?)",
    );
    db.transaction(() => {
      for (let bytes = 0; bytes < BALLAST_BYTES; bytes += 64 * 1024) add.run('x'.repeat(64 * 1024));
    })();
    db.close();
  }
  return { cli, folder, names: () => readdirSync(folder).filter((name) => NAME.test(name)) };
}

/** A backup in which the entry that a restore makes in the audit log has no room without another page. */
function makeBrimful(file: string): void {
  const filled = (path: string) => {
    const db = new Database(path);
    migrate(db);
    const add = db.prepare(
      "INSERT INTO audit (at, actor_kind, actor, action, object) VALUES (1, 'operator', 'restore', 'a.restore', ?)",
    );
    return { db, add: () => add.run(file), pages: () => Number(db.pragma('page_count', { simple: true })) };
  };
  const trial = filled(':memory:');
  trial.add();
  let entries = 0;
  for (const pages = trial.pages(); trial.pages() === pages; entries += 1) trial.add();
  trial.db.close();
  const backup = filled(file);
  for (let nth = 0; nth < entries; nth += 1) backup.add();
  backup.db.close();
}

class OwnCli extends InProcessCli {
  /** The command line of a process of its own. */
  words(args: readonly string[]): readonly string[] {
    return [...this.command(), '--config', join(this.folder, 'pushctl.toml'), '--data-dir', this.dataDir, ...args];
  }
}

async function serve(opened: Resources, cli: Cli, env?: Readonly<Record<string, string>>) {
  const server: RunningCli = cli.start(opened, ['serve'], env);
  const [, url = ''] = await server.waitFor(/"url":"([^"]+)".*listening/);
  return { server, url };
}

function sizesIn(folder: string): readonly number[] {
  return readdirSync(folder).map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
}

/** Overwrites pages of the ballast, which no server reads by itself. */
function spoil(file: string): void {
  const db = new Database(file);
  db.pragma('journal_mode = DELETE');
  const size = Number(db.pragma('page_size', { simple: true }));
  const pages = db.prepare("SELECT pageno FROM dbstat WHERE name = 'audit' AND pagetype = 'leaf'").pluck().all();
  db.pragma('journal_mode = WAL');
  db.close();
  assert.ok(pages.length > 2);
  const opened = openSync(file, 'r+');
  writeSync(opened, Buffer.alloc(size, 0x5a), 0, size, (Number(pages[1]) - 1) * size);
  closeSync(opened);
}
