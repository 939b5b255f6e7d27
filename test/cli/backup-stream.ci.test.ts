import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { entryUrl } from '../../src/process/entry-points.ts';
import { contentsOf } from '../../src/store/sqlite/files/backup.ts';
import { InProcessCli as Cli } from '../support/cli.ts';

const MAIN = fileURLToPath(entryUrl('cli/main'));
const test = suite('cli: a backup to standard output');

test('A backup to standard output is whole, and nothing else goes there or stays in the data folder.', async () => {
  const cli = await Cli.ofTeam();
  // A process that was killed while it wrote one.
  const leftBehind = join(cli.dataDir, 'pushctl.db.streamed-4194303.4194303.part');
  writeFileSync(leftBehind, 'half of it');
  const file = join(cli.folder, 'passed.db');
  const script = `"$0" "$1" --data-dir "$2" backup - > "$3"`;
  const { status, stderr } = spawnSync('sh', ['-c', script, process.execPath, MAIN, cli.dataDir, file], {
    encoding: 'utf8',
    env: { ...process.env, PUSHCTL_CONFIG: '/dev/null' },
  });
  assert.is(status, 0, stderr);
  assert.match(stderr, /^Wrote to standard output: .* 1 workspace, 0 devices, 0 events, checked\.$/m);
  assert.equal(contentsOf(file).workspaces, 1);
  assert.equal(
    readdirSync(cli.dataDir).filter((name) => name.includes('streamed')),
    [],
  );
  const { stdout } = await cli.run(['status', '--json']);
  assert.is(JSON.parse(stdout).last_backup.file, '-');
});

test('A reader that stops early has no whole backup, and the command says so.', async () => {
  const cli = await Cli.ofTeam();
  const script = `{ "$0" "$1" --data-dir "$2" backup -; echo "exit $?" >&2; } | head -c 1 > /dev/null`;
  const { stderr } = spawnSync('sh', ['-c', script, process.execPath, MAIN, cli.dataDir], {
    encoding: 'utf8',
    env: { ...process.env, PUSHCTL_CONFIG: '/dev/null' },
  });
  assert.match(stderr, /the backup was not read to its end.*\nexit 1\n$/);
});

test.run();
