import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SHELLS } from '../../src/cli/commands/completion.ts';
import { packagePath } from '../../src/process/package.ts';
import { InProcessCli as Cli } from '../support/cli.ts';
import { aCompletedTeam } from '../support/completed-team.ts';
import { Resources } from '../support/resources.ts';
import { skipWhere } from '../support/skip.ts';
import { openScreen, tmuxObstacle } from '../support/tmux.ts';

const inBash = skipWhere(shellObstacle('bash'), test);

inBash('In bash, the Tab key completes from the database', async () => {
  const { cli } = await aCompletedTeam();
  const pressTab = `source <(pushctl completion bash)
    COMP_WORDS=(pushctl channel delete acme al) COMP_CWORD=4
    "$(complete -p pushctl | sed 's/.*-F \\([^ ]*\\) .*/\\1/')"
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', pressTab], { env: shellEnv(cli) });
  assert.is(stdout, 'alerts\n');
});

const inFish = skipWhere(shellObstacle('fish'), test);

inFish('In fish, the Tab key completes from the database, and says what each word is', async () => {
  const { cli } = await aCompletedTeam();
  const pressTab = "pushctl completion fish | source; complete --do-complete 'pushctl channel delete acme al'";
  const { stdout } = await promisify(execFile)('fish', ['--no-config', '-c', pressTab], { env: shellEnv(cli) });
  assert.is(stdout, 'alerts\talerts\n');
});

inFish('In fish, names of files are offered for options that take a file, and nowhere else', async () => {
  const { cli } = await aCompletedTeam();
  writeFileSync(join(cli.folder, 'backup.db'), '');
  const press = async (line: string) => {
    const pressTab = `cd ${cli.folder}; pushctl completion fish | source; complete --do-complete '${line}'`;
    return (await promisify(execFile)('fish', ['--no-config', '-c', pressTab], { env: shellEnv(cli) })).stdout;
  };
  assert.match(await press('pushctl restore ba'), /^backup\.db/);
  assert.match(await press('pushctl --config ba'), /^backup\.db/);
  for (const line of ['pushctl workspace create ba', 'pushctl channel delete acme ba', 'pushctl ba']) {
    assert.not.match(await press(line), 'backup.db', line);
  }
});

const inZsh = skipWhere(shellObstacle('zsh') ?? tmuxObstacle(), test);

for (const [way, load] of [
  [
    'from a folder of $fpath',
    'pushctl completion zsh > _pushctl; fpath=($HOME $fpath); autoload -Uz compinit; compinit -u',
  ],
  ['by its output', 'autoload -Uz compinit; compinit -u; source <(pushctl completion zsh)'],
] as const) {
  inZsh(`In zsh, loaded ${way}, the Tab key completes from the database, and files where one is expected`, async () => {
    await using opened = new Resources();
    const { cli } = await aCompletedTeam();
    writeFileSync(join(cli.folder, 'backup.db'), '');
    writeFileSync(join(cli.folder, '.zshrc'), `cd; ${load}; PS1='ready> '`);
    const { PATH = '', ...env } = shellEnv(cli) as Record<string, string>;
    const screen = openScreen(['env', `PATH=${PATH}`, 'zsh', '--no-global-rcs', '--interactive'], { env });
    opened.onEnd(() => screen.close());
    await screen.waitFor(/^ready>/m);
    screen.type('pushctl channel delete acme al', 'Tab');
    await screen.waitFor(/delete acme alerts/);
    screen.type('C-u', 'pushctl channel dele', 'Tab');
    await screen.waitFor(/channel delete/);
    screen.type('acme', 'Space', 'Tab');
    const both = await screen.waitFor(/^builds/m);
    assert.match(both, /^alerts/m);
    screen.type('C-u', 'pushctl restore ba', 'Tab');
    await screen.waitFor(/restore backup\.db/);
  });
}

for (const shell of SHELLS) {
  skipWhere(shellObstacle(shell), test)(`The script for ${shell} is one that ${shell} can read`, async () => {
    const cli = new Cli();
    const { stdout } = await cli.run(['completion', shell]);
    const file = join(cli.folder, 'script');
    writeFileSync(file, stdout);
    // A shell complains of a locale that this machine does not have.
    const env = { ...process.env, LC_ALL: 'C' };
    const { status, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8', env });
    assert.equal([status, stderr], [0, '']);
  });
}

test.run();

function shellObstacle(shell: string): string | null {
  return spawnSync(shell, ['--version']).error ? `needs ${shell}` : null;
}

/** With a `pushctl` on the PATH, and the data folder of this test. */
function shellEnv(cli: Cli): NodeJS.ProcessEnv {
  const command = join(cli.folder, 'pushctl');
  const main = packagePath('dist', 'src', 'cli', 'main.js');
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
  chmodSync(command, 0o755);
  return { PATH: `${cli.folder}:${process.env.PATH}`, HOME: cli.folder, PUSHCTL_DATA_DIR: cli.dataDir };
}
