import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/process/package.ts';
import { refuseSchema } from '../../src/store/schema/version.ts';
import { readMigrations } from '../../src/store/sqlite/migrations.ts';
import { temporaryFolder } from '../support/folder.ts';
import { problemOf } from '../support/problem.ts';

const test = suite("the package's preinst");
const NONE = 'pushctl: there is no database';

/** Runs it as dpkg does, of a package that knows schemas up to 25, where the installed pushctl says this. */
function preinst(plan: string, argument = 'upgrade', state = 'active', isFromCheckout = false) {
  const folder = temporaryFolder();
  const pushctl = join(folder, 'pushctl');
  const planned = plan === NONE ? `echo '${NONE}' >&2; exit 1` : `echo '${plan}'`;
  const script = `#!/bin/sh\n${planned}\n`;
  writeFileSync(pushctl, script, { mode: 0o755 });
  const text = readFileSync(packagePath('systemd/debian/preinst'), 'utf8').replaceAll('@schema@', '25');
  for (const parent of ['run', 'etc']) mkdirSync(join(folder, parent, 'systemd/system'), { recursive: true });
  if (isFromCheckout) writeFileSync(join(folder, 'etc/systemd/system/pushctl.service'), '');
  writeFileSync(join(folder, 'systemctl'), `#!/bin/sh\necho ${state}\n`, { mode: 0o755 });
  const replaced = text.replaceAll('/usr/bin/pushctl', pushctl).replaceAll(/\/(run|etc)\//g, `${folder}/$1/`);
  writeFileSync(join(folder, 'preinst'), replaced);
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
  const ended = spawnSync('sh', [join(folder, 'preinst'), argument, '0.1.0'], { encoding: 'utf8', env });
  return { ...ended, staysStopped: existsSync(join(folder, 'run/pushctl-stopped')) };
}

const planOf = (oldest: number) =>
  JSON.stringify({ plan: { schema: 30, oldest, target: 30, migrations: [], backup: null } });

test('A database that needs a newer schema rejects the package, and the message names the way back', () => {
  const { status, stderr } = preinst(planOf(26));
  assert.is(status, 1);
  assert.match(stderr, 'the database needs schema 26, and this version knows schemas up to 25; nothing was changed.');
  assert.match(stderr, '/usr/share/doc/pushctl/operations.md');
});

test('A shared database that another machine has upgraded rejects the package as well', () => {
  const upgraded = { version: 30, oldest: 30, digest: '' };
  const refuse = () => refuseSchema(upgraded, readMigrations(), 'db.example.com:5432/pushctl');
  const { answer, what: message } = problemOf(refuse);
  const { status, stderr } = preinst(JSON.stringify({ error: { code: 'failed', message, advice: null, answer } }));
  assert.is(status, 1);
  assert.match(stderr, 'the database needs schema 30, and this version knows schemas up to 25');
});

test('One that the package knows, none at all, and an upgrade that is taken back do not', () => {
  assert.equal(
    [preinst(planOf(25)), preinst(planOf(3)), preinst(NONE)].map(({ status, stderr }) => [status, stderr]),
    Array(3).fill([0, '']),
  );
  assert.is(preinst(planOf(26), 'abort-upgrade').status, 0);
});

test('An upgrade, or a package over a checkout, leaves a service stopped that was stopped by hand, and no other', () => {
  const stays = (argument: string, state: string, isFromCheckout = false) =>
    preinst(NONE, argument, state, isFromCheckout).staysStopped;
  assert.equal(
    [
      stays('upgrade', 'inactive'),
      stays('upgrade', 'active'),
      stays('upgrade', 'failed'),
      stays('install', 'inactive'),
      stays('install', 'inactive', true),
      stays('install', 'active', true),
    ],
    [true, false, false, false, true, false],
  );
  const postinst = readFileSync(packagePath('systemd/debian/postinst'), 'utf8');
  assert.match(postinst, /if \[ -e \/run\/pushctl-stopped \]; then\n +echo .*\n +else\n +deb-systemd-invoke/);
});

test('The section that it cites is in the package, below that heading', () => {
  const build = readFileSync(packagePath('systemd/debian/build'), 'utf8');
  assert.match(build, 'docs/*.md');
  const cited = /"([^"]+)" in \/usr\/share\/doc\/pushctl\/(\w+\.md)/.exec(
    readFileSync(packagePath('systemd/debian/preinst'), 'utf8'),
  );
  assert.match(readFileSync(packagePath('docs', cited?.[2] ?? ''), 'utf8'), `**${cited?.[1]}`);
});

test.run();
