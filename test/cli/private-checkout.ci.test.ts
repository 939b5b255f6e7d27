import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/process/package.ts';
import { Cli } from '../support/cli.ts';
import { temporaryFolder } from '../support/folder.ts';
import { Resources } from '../support/resources.ts';
import { skipWhere } from '../support/skip.ts';

const SERVICE = 65_534;
const MOUNTED = 'mount --bind "$1" "$2" && place=$2 && shift 2 && exec "$0" "$place/dist/program/cli/main.js" "$@"';

/** This program in a folder that only root can enter, as root's home is, and a data folder of another user. */
class PrivateCli extends Cli {
  private readonly place = join(temporaryFolder(), 'pushctl');

  constructor() {
    super();
    mkdirSync(this.place);
    chmodSync(this.folder, 0o755);
    mkdirSync(this.dataDir, { mode: 0o700 });
    chownSync(this.dataDir, SERVICE, SERVICE);
  }

  static obstacle(): string | null {
    if (process.geteuid?.() !== 0) return 'only root acts as another user';
    const mount = spawnSync('unshare', ['--mount', 'true']);
    return mount.status === 0 ? null : 'nothing can be mounted here';
  }

  protected override command(): readonly string[] {
    return ['unshare', '--mount', 'sh', '-c', MOUNTED, process.execPath, packagePath(), this.place];
  }
}

const checkouts = suite('a checkout that only root can enter');
const whereMounted = skipWhere(PrivateCli.obstacle(), checkouts);

whereMounted('root works from it on the data of a user who cannot read the program', async () => {
  const cli = new PrivateCli();
  const [lines, copy] = [join(cli.dataDir, 'devices.ndjson'), join(cli.dataDir, 'copy.db')];
  await cli.json(['workspace', 'create', 'acme']);
  await cli.json(['channel', 'create', 'acme', 'alerts']);
  await cli.json(['member', 'add', 'acme', 'ada@example.com', '--role', 'owner']);
  const device = JSON.stringify({ platform: 'ios', token: 'ab'.repeat(32), subscribe: ['alerts'] });
  assert.equal(await cli.json(['device', 'import', 'acme', 'ada@example.com', '-'], { input: device }), {
    imported: 1,
    updated: 0,
  });
  await cli.json(['device', 'export', 'acme', lines]);
  await cli.json(['backup', copy]);
  await cli.json(['migrate']);
  await cli.json(['restore', copy]);
  for (const name of readdirSync(cli.dataDir)) assert.is(statSync(join(cli.dataDir, name)).uid, SERVICE, name);
});

whereMounted('root starts a sandbox from it whose keys another user owns', async () => {
  await using opened = new Resources();
  const cli = new PrivateCli();
  const sandbox = cli.start(opened, ['sandbox', '--port', '0']);
  await sandbox.waitFor(/Ctrl-C ends the sandbox/);
  const folder = join(cli.dataDir, 'sandbox');
  for (const name of readdirSync(folder)) assert.is(statSync(join(folder, name)).uid, SERVICE, name);
  assert.is(await sandbox.stop(), 0);
});

checkouts.run();
