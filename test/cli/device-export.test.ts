import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AuditEntry } from '../../src/store/calls/members.ts';
import { databasePath } from '../../src/store/data-folder.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { androidToken } from '../support/android-token.ts';
import { ADA, BOB } from '../support/cast.ts';
import { InProcessCli as Cli } from '../support/cli.ts';
import { Resources } from '../support/resources.ts';
import { aWorkspace } from '../support/workspace.ts';

const PHONES = [
  {
    platform: 'android',
    token: androidToken('Pixel'),
    name: 'Pixel "7"',
    app_version: '1.2',
    subscribe: ['alerts', 'builds'],
  },
  { platform: 'android', token: 'installation-id-1', token_kind: 'installation_id', name: 'Tablet', subscribe: [] },
  { platform: 'ios', token: 'ab'.repeat(32), environment: 'sandbox', name: 'iPhone', subscribe: ['builds'] },
];

const test = suite('cli: device export');

test('An exported device is imported elsewhere unchanged.', async () => {
  const cli = await aTeam();
  const { file, ...counts } = await cli.json<{ file: string }>(['device', 'export', 'acme', join(cli.folder, 'out')]);
  assert.equal(counts, { exported: 3, inactive: 0 });
  assert.is(statSync(file).mode & 0o777, 0o600);
  assert.equal(linesOf(readFileSync(file, 'utf8')), PHONES);
  const elsewhere = await aTeam([]);
  assert.equal(await elsewhere.json(['device', 'import', 'acme', ADA, file]), { imported: 3, updated: 0 });
  assert.equal(linesOf((await elsewhere.run(['device', 'export', 'acme', '-'])).stdout), PHONES);
});

test('The mutes of a device are exported with it, and imported again.', async () => {
  const builds = { channel: 'builds', min_level: null, muted_until: '9999-12-31T23:59:59.000+00:00' };
  const muted = [
    { ...PHONES[0], mutes: [{ channel: 'alerts', min_level: 'error', muted_until: null }, builds] },
    PHONES[1],
    { ...PHONES[2], mutes: [builds] },
  ];
  const cli = await aTeam(muted as object[]);
  const out = async (of: Cli) => linesOf((await of.run(['device', 'export', 'acme', '-'])).stdout);
  assert.equal(await out(cli), muted);
  // A line that says nothing of it leaves what is muted; one that says less ends nothing of other channels.
  const again = [PHONES[0], { ...PHONES[2], mutes: [{ channel: 'builds', min_level: 'warning' }] }];
  const input = again.map((device) => JSON.stringify(device)).join('\n');
  assert.equal(await cli.json(['device', 'import', 'acme', ADA, '-'], { input }), { imported: 0, updated: 2 });
  const warned = { channel: 'builds', min_level: 'warning', muted_until: null };
  assert.equal(await out(cli), [muted[0], muted[1], { ...PHONES[2], mutes: [warned] }]);
});

test('On standard output there are the lines alone, also through a running server, of all members or of one.', async () => {
  await using opened = new Resources();
  const cli = await aTeam();
  const server = cli.start(opened, ['serve']);
  await server.waitFor(/listening/);
  const all = await cli.run(['device', 'export', 'acme', '-']);
  assert.equal([linesOf(all.stdout), all.stderr], [PHONES, 'Exported 3 devices.\n']);
  const none = await cli.run(['device', 'export', 'acme', '-', '--email', BOB]);
  assert.equal([none.exitCode, none.stdout, none.stderr], [0, '', 'Exported 0 devices.\n']);
  assert.not.match(server.output, 'ab'.repeat(32));
});

test('Devices that are inactive are left out, and counted.', async () => {
  const cli = await aTeam();
  const db = openDatabase(databasePath(cli.dataDir));
  db.exec(`UPDATE device SET status = 'inactive' WHERE platform = 'ios'`);
  db.close();
  const { stdout, stderr } = await cli.run(['device', 'export', 'acme', '-']);
  assert.equal(linesOf(stdout), PHONES.slice(0, 2));
  assert.is(stderr, 'Exported 2 devices. 1 inactive one was left out.\n');
});

test('Thousands are exported page by page.', async () => {
  const many = Array.from({ length: 2_500 }, (_, index) => ({ platform: 'android', token: androidToken(index) }));
  const cli = await aTeam(many);
  const { stdout } = await cli.run(['device', 'export', 'acme', '-']);
  assert.is(new Set(linesOf(stdout).map(({ token }) => token)).size, 2_500);
});

test('No file is written over, and none is left by an export that fails.', async () => {
  const cli = await aTeam();
  const file = join(cli.folder, 'mine');
  writeFileSync(file, 'mine');
  assert.match(await cli.failure(1, ['device', 'export', 'acme', file]), `${file} exists already`);
  assert.is(readFileSync(file, 'utf8'), 'mine');
  const before = readdirSync(cli.folder);
  const out = join(cli.folder, 'out');
  assert.match(await cli.failure(1, ['device', 'export', 'acm', out]), 'The nearest is "acme"');
  const unknownMember = ['device', 'export', 'acme', out, '--email', 'bop@example.com'];
  assert.match(await cli.failure(1, unknownMember), `The nearest is "${BOB}"`);
  assert.match(await cli.failure(1, ['device', 'export', 'acme', join(cli.folder, 'no', 'out')]), 'cannot be created');
  const { exitCode, stdout } = await cli.run(['device', 'export', 'acme', '-', '--json']);
  assert.equal([exitCode, JSON.parse(stdout).error.code], [2, 'wrong_usage']);
  assert.equal([readdirSync(cli.folder), existsSync(out)], [before, false]);
});

test('An export is in the audit log, once.', async () => {
  const cli = await aTeam();
  await cli.run(['device', 'export', 'acme', '-', '--email', ADA]);
  const { entries } = await cli.json<{ entries: AuditEntry[] }>(['audit', '--limit', '2']);
  assert.equal(
    entries.map(({ action, workspace, object }) => [action, workspace, object]),
    [
      ['device.export', 'acme', `of ${ADA}`],
      ['device.import', 'acme', `3 of ${ADA}`],
    ],
  );
});

test.run();

/** A workspace with two channels and two members, of whom the first has these devices. */
async function aTeam(devices: readonly object[] = PHONES): Promise<Cli> {
  const cli = new Cli('listen = "127.0.0.1:0"');
  await cli.populate(async (store) => {
    const acme = await aWorkspace(store, { channels: ['alerts', 'builds'] });
    await acme.join(BOB);
  });
  const input = devices.map((device) => `${JSON.stringify(device)}\n`).join('');
  if (devices.length > 0) await cli.json(['device', 'import', 'acme', ADA, '-'], { input });
  return cli;
}

function linesOf(text: string): readonly { readonly token: string }[] {
  return text.split('\n').flatMap((line) => (line === '' ? [] : JSON.parse(line)));
}
