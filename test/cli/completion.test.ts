import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { androidToken } from '../support/android-token.ts';
import { ADA } from '../support/cast.ts';
import { InProcessCli as Cli } from '../support/cli.ts';
import { aCompletedTeam } from '../support/completed-team.ts';

test('Commands, verbs, options and fixed words are completed', async () => {
  const cli = new Cli();
  assert.equal(await completed(cli, ['chan']), ['channel']);
  assert.equal(await completed(cli, ['channel', 'de']), ['deactivate', 'delete']);
  assert.equal(await completed(cli, ['--json', 'key', 'issue', 'acme', '--sc']), ['--scope']);
  assert.equal(await completed(cli, ['completion', '']), ['bash', 'zsh', 'fish']);
  assert.equal(await completed(cli, ['__']), []);
});

test('Workspaces, channels and the ids of keys come from the database', async () => {
  const { cli, keyId } = await aCompletedTeam();
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
  const { cli } = await aCompletedTeam();
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

test('Names for new things are not completed with existing names', async () => {
  const { cli } = await aCompletedTeam();
  assert.equal(await completed(cli, ['workspace', 'create', '']), []);
  assert.equal(await completed(cli, ['channel', 'create', 'acme', '']), []);
});

test('A data folder named on the line is the one that counts', async () => {
  const { cli } = await aCompletedTeam();
  const elsewhere = ['--data-dir', join(cli.folder, 'nothing')];
  assert.equal(await completed(cli, [...elsewhere, 'workspace', 'show', '']), []);
});

test('Without a database, or with a configuration that is wrong, nothing is said at all', async () => {
  for (const cli of [new Cli(), new Cli('lisen = 1\n')]) {
    const { exitCode, stdout, stderr } = await cli.run(['__complete', '--', 'workspace', 'show', '']);
    assert.equal([exitCode, stdout, stderr], [0, '', '']);
  }
});

test.run();

async function completed(cli: Cli, words: readonly string[]): Promise<string[]> {
  const { stdout } = await cli.run(['__complete', '--', ...words]);
  return stdout.split('\n').flatMap((line) => line.split('\t')[0] || []);
}
