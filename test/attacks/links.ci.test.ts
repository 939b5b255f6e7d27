import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { actAsOwnerOf } from '../../src/files/act-as-owner.ts';
import { checkDataFolder } from '../../src/host/doctor/files.ts';
import { OperatorProblem } from '../../src/process/problem.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { migrate, readMigrations, schemaVersion } from '../../src/store/sqlite/migrations.ts';
import { Cli, type CliResult } from '../support/cli.ts';
import { temporaryFolder } from '../support/folder.ts';
import { skipWhere } from '../support/skip.ts';

const SERVICE = 65_534;
const PRECIOUS = 'precious '.repeat(1_000);
const links = suite('links in the data folder');
const asRoot = skipWhere(process.geteuid?.() === 0 ? null : 'only root can be led astray', links);

/** A data folder that the service's user owns, and a file of root's that this user would like to have changed. */
function scene() {
  const cli = new Cli();
  chmodSync(cli.folder, 0o755);
  mkdirSync(cli.dataDir, { mode: 0o700 });
  chownSync(cli.dataDir, SERVICE, SERVICE);
  const precious = join(temporaryFolder(), 'precious');
  writeFileSync(precious, PRECIOUS, { mode: 0o600 });
  return {
    cli,
    precious,
    lay: (name: string, target = precious) => symlinkSync(target, join(cli.dataDir, name)),
    untouched() {
      const { uid, mode } = statSync(precious);
      assert.equal([readFileSync(precious, 'utf8'), uid, mode & 0o777], [PRECIOUS, 0, 0o600]);
    },
  };
}

function refusedIn({ exitCode, stderr }: CliResult, what: string): void {
  assert.is(exitCode, 1, `${what}: ${stderr}`);
  assert.match(stderr, /^pushctl: (?!this is a bug)/, what);
}

for (const [name, args] of [
  ['pushctl.db', ['workspace', 'list']],
  ['owner.lock', ['workspace', 'list']],
  ['pushctl.db', ['migrate']],
  ['pushctl.db', ['migrate', '--dry-run']],
  ['pushctl.db', ['backup', '/tmp/never-made.db']],
  ['pushctl.db', ['serve']],
  ['sandbox', ['sandbox', '--port', '0']],
] as const) {
  asRoot(`root follows no link called ${name}: ${args.join(' ')}`, async () => {
    const { cli, lay, untouched } = scene();
    lay(name);
    refusedIn(await cli.run(args), args.join(' '));
    untouched();
    assert.not.ok(existsSync('/tmp/never-made.db'));
  });
}

asRoot('root restores nothing by a link that another user has laid, and puts no copy of it there', async () => {
  const { cli, lay, untouched } = scene();
  lay('older.db');
  const refused = await cli.run(['restore', join(cli.dataDir, 'older.db')]);
  refusedIn(refused, 'restore');
  assert.match(refused.stderr, 'older.db cannot be read: EACCES');
  untouched();
});

asRoot('no advice of the doctor gives away the target of a link, nor names a file that another user has named', () => {
  const { cli, precious, lay } = scene();
  lay('x;reboot');
  lchownSync(join(cli.dataDir, 'x;reboot'), SERVICE, SERVICE);
  const finding = () => checkDataFolder(cli.dataDir)[0];
  assert.is(finding()?.status, 'ok');
  writeFileSync(join(cli.dataDir, '$(reboot)'), '');
  assert.is(finding()?.advice, `chown -hR --reference=${cli.dataDir} ${cli.dataDir}`);
  execFileSync('/bin/sh', ['-c', String(finding()?.advice)]);
  assert.is(finding()?.status, 'ok');
  assert.is(statSync(precious).uid, 0);
});

asRoot('root writes owner.json as the owner of the folder, even if a link lies in its place', async () => {
  const { cli, lay, untouched } = scene();
  lay('owner.json');
  await cli.json(['workspace', 'create', 'acme']);
  untouched();
  for (const file of readdirSync(cli.dataDir)) assert.is(statSync(join(cli.dataDir, file)).uid, SERVICE, file);
});

asRoot(
  'the keys of a sandbox overwrite no file that a link points at, nor one in a folder that it points at',
  async () => {
    const { cli, precious, untouched } = scene();
    const sandbox = join(cli.dataDir, 'sandbox');
    mkdirSync(sandbox);
    chownSync(sandbox, SERVICE, SERVICE);
    for (const file of ['apns.p8', 'service-account.json', 'ca.pem', 'ca-key.pem', 'sandbox.json'])
      symlinkSync(precious, join(sandbox, file));
    refusedIn(await cli.run(['sandbox', '--port', '0']), 'links in the folder');
    untouched();
    rmSync(sandbox, { recursive: true });
    const rootsOwn = temporaryFolder();
    symlinkSync(rootsOwn, sandbox);
    refusedIn(await cli.run(['sandbox', '--port', '0']), 'a link to a folder');
    assert.equal(readdirSync(rootsOwn), []);
  },
);

asRoot(
  'a backup is read as the owner of the data folder, and restored as that one from a file that only root may read',
  async () => {
    const { cli } = scene();
    await cli.json(['workspace', 'create', 'acme']);
    const file = join(temporaryFolder(), 'kept.db');
    await cli.json(['backup', file]);
    assert.is(statSync(file).uid, 0);
    await cli.json(['workspace', 'create', 'later']);
    await cli.json(['restore', file]);
    const { workspaces } = await cli.json<{ workspaces: { slug: string }[] }>(['workspace', 'list']);
    assert.equal(
      workspaces.map(({ slug }) => slug),
      ['acme'],
    );
    for (const name of readdirSync(cli.dataDir)) assert.is(statSync(join(cli.dataDir, name)).uid, SERVICE, name);
  },
);

asRoot('the audit log names root, as whom the command was run', async () => {
  const { cli } = scene();
  await cli.json(['workspace', 'create', 'acme']);
  const { entries } = await cli.json<{ entries: { actor: { name: string } }[] }>(['audit']);
  assert.is(entries[0]?.actor.name, 'root');
});

asRoot(
  'root acts as the owner of the first folder or link on the way, without any group of its own, and comes back',
  () => {
    const folder = temporaryFolder();
    const [theirs, inside, link, detour] = ['theirs', 'theirs/inside', 'link', 'detour'].map((name) =>
      join(folder, name),
    );
    mkdirSync(String(theirs));
    chownSync(String(theirs), SERVICE, SERVICE);
    mkdirSync(String(inside));
    symlinkSync(folder, String(link));
    symlinkSync(String(theirs), String(detour));
    const whoAmI = () => execFileSync('id', ['-u'], { encoding: 'utf8' }).trim();
    const groups = process.getgroups?.();
    for (const [path, uid] of [
      [folder, 0],
      [theirs, SERVICE],
      [inside, SERVICE],
      [join(String(inside), 'missing'), SERVICE],
      [link, 0],
      [join(String(link), 'theirs'), SERVICE],
      [join(String(detour), 'inside'), SERVICE],
    ] as const) {
      using _ = actAsOwnerOf(String(path));
      assert.is(process.geteuid?.(), uid, String(path));
      if (uid !== 0) assert.equal([process.getegid?.(), process.getgroups?.()], [SERVICE, [SERVICE]]);
    }
    assert.equal([process.geteuid?.(), process.getegid?.(), process.getgroups?.()], [0, 0, groups]);
    assert.is(whoAmI(), '0');
  },
);

links('the database of another program is refused before a byte of it, or of its folder, is changed', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'pushctl.db');
  const theirs = new Database(file);
  theirs.exec('CREATE TABLE theirs (id INTEGER)');
  theirs.close();
  const before = readFileSync(file);
  assert.throws(
    () => openDatabase(file),
    (error: unknown) => error instanceof OperatorProblem && error.message.includes('database of another program'),
  );
  assert.ok(readFileSync(file).equals(before));
  assert.equal(readdirSync(folder), ['pushctl.db']);
});

links('a new database that was never checkpointed is still ours', () => {
  const [file, killed] = [join(temporaryFolder(), 'pushctl.db'), join(temporaryFolder(), 'pushctl.db')];
  const db = openDatabase(file);
  migrate(db);
  for (const part of ['', '-wal']) copyFileSync(`${file}${part}`, `${killed}${part}`);
  db.close();
  assert.is(statSync(killed).size, 4096, 'all of it stands in the log');
  const again = openDatabase(killed);
  assert.is(schemaVersion(again), readMigrations().length);
  again.close();
});

links.run();
