import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SHELLS } from '../../src/cli/completion/scripts.ts';
import { packagePath } from '../../src/package.ts';
import { androidToken } from '../support/android-token.ts';
import { ADA } from '../support/cast.ts';
import { InProcessCli as Cli } from '../support/cli.ts';
import { skipWhere } from '../support/skip.ts';
import { aWorkspace } from '../support/workspace.ts';

test('Commands, verbs, options and fixed words are completed', async () => {
  const cli = new Cli();
  assert.equal(await completed(cli, ['chan']), ['channel']);
  assert.equal(await completed(cli, ['channel', 'de']), ['deactivate', 'delete']);
  assert.equal(await completed(cli, ['--json', 'key', 'issue', 'acme', '--sc']), ['--scope']);
  assert.equal(await completed(cli, ['completion', '']), ['bash', 'zsh', 'fish']);
  assert.equal(await completed(cli, ['__']), []);
});

test('Workspaces, channels and the ids of keys come from the database', async () => {
  const { cli, keyId } = await aTeam();
  assert.equal(await completed(cli, ['workspace', 'show', '']), ['acme', 'beta']);
  assert.equal(await completed(cli, ['key', 'list', 'a']), ['acme']);
  assert.equal(await completed(cli, ['stats', '--workspace', 'b']), ['beta']);
  assert.equal(await completed(cli, ['channel', 'delete', 'acme', '']), ['alerts', 'builds']);
  assert.equal(await completed(cli, ['send', '']), ['alerts', 'builds', 'other']);
  assert.equal(await completed(cli, ['device', 'add', 'beta', ADA, '--subscribe', '']), ['other']);
  assert.equal(await completed(cli, ['key', 'issue', 'beta', '--channel', '']), ['other']);
  assert.equal(await completed(cli, ['tail', '--workspace', 'beta', '--channel', '']), ['other']);
  assert.equal(await completed(cli, ['key', 'revoke', '']), [keyId]);
});

test('Members, devices and the latest events come from the database as well', async () => {
  const { cli } = await aTeam();
  for (const workspace of ['acme', 'beta']) await cli.json(['member', 'add', workspace, `ann@${workspace}.example`]);
  const phone = ['--platform', 'android', '--token', androidToken('Pixel')];
  const { device } = await cli.json<{ device: { id: string } }>([
    'device',
    'add',
    'acme',
    'ann@acme.example',
    ...phone,
  ]);
  assert.equal(await completed(cli, ['member', 'rename', '']), ['ann@acme.example', 'ann@beta.example']);
  assert.equal(await completed(cli, ['device', 'import', 'beta', 'a']), ['ann@beta.example']);
  assert.equal(await completed(cli, ['member', 'add', 'acme', '']), []);
  assert.equal(await completed(cli, ['device', 'move', 'dev_']), [device.id]);
  assert.equal(await completed(cli, ['device', 'move', device.id, 'ann@b']), ['ann@beta.example']);
  assert.equal(await completed(cli, ['device', 'subscribe', device.id, 'builds', 'a']), ['alerts']);
  const { event } = await cli.json<{ event: { public_id: string } }>(['device', 'test', device.id]);
  assert.equal(await completed(cli, ['event', 'cancel', '']), [event.public_id]);
});

test('What is to be created is not completed with what there is', async () => {
  const { cli } = await aTeam();
  assert.equal(await completed(cli, ['workspace', 'create', '']), []);
  assert.equal(await completed(cli, ['channel', 'create', 'acme', '']), []);
});

test('A data folder named on the line is the one that counts', async () => {
  const { cli } = await aTeam();
  const elsewhere = ['--data-dir', join(cli.folder, 'nothing')];
  assert.equal(await completed(cli, [...elsewhere, 'workspace', 'show', '']), []);
});

test('Without a database, or with a configuration that is wrong, nothing is said at all', async () => {
  for (const cli of [new Cli(), new Cli('lisen = 1\n')]) {
    const { exitCode, stdout, stderr } = await cli.run(['__complete', '--', 'workspace', 'show', '']);
    assert.equal([exitCode, stdout, stderr], [0, '', '']);
  }
});

const inBash = skipWhere(shellObstacle('bash'), test);

inBash('In bash, the Tab key completes from the database', async () => {
  const { cli } = await aTeam();
  const pressTab = `source <(pushctl completion bash)
    COMP_WORDS=(pushctl channel delete acme al) COMP_CWORD=4
    "$(complete -p pushctl | sed 's/.*-F \\([^ ]*\\) .*/\\1/')"
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', pressTab], { env: shellEnv(cli) });
  assert.is(stdout, 'alerts\n');
});

const inFish = skipWhere(shellObstacle('fish'), test);

inFish('In fish, the Tab key completes from the database, and says what each word is', async () => {
  const { cli } = await aTeam();
  const pressTab = "pushctl completion fish | source; complete --do-complete 'pushctl channel delete acme al'";
  const { stdout } = await promisify(execFile)('fish', ['--no-config', '-c', pressTab], { env: shellEnv(cli) });
  assert.is(stdout, 'alerts\talerts\n');
});

inFish('In fish, names of files are offered where one is asked for, and nowhere else', async () => {
  const { cli } = await aTeam();
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

async function completed(cli: Cli, words: readonly string[]): Promise<string[]> {
  const { stdout } = await cli.run(['__complete', '--', ...words]);
  return stdout.split('\n').flatMap((line) => line.split('\t')[0] || []);
}

async function aTeam(): Promise<{ readonly cli: Cli; readonly keyId: string }> {
  const cli = new Cli('[fcm]\nservice_account_file = "account.json"');
  const key = await cli.populate(async (store) => {
    const acme = await aWorkspace(store, { channels: ['alerts', 'builds'], owner: null });
    await acme.addWorkspace('beta', { channels: ['other'] });
    return acme.issueKey({ name: 'ci' });
  });
  return { cli, keyId: key.id };
}

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
