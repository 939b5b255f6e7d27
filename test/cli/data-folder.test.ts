import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { accountName, adviceOn, dataLocation, noteOn } from '../../src/cli/data-folder.ts';
import { loadConfig } from '../../src/config/load.ts';
import { serviceDataDir } from '../../src/host/installed.ts';
import { InProcessCli as Cli } from '../support/cli.ts';
import { temporaryFolder } from '../support/folder.ts';

const ADA = { dataDir: '/home/ada/.local/share/pushctl', isDefault: true, verb: 'pushctl workspace list' };
const SERVICE = '/var/lib/pushctl';

for (const verb of [
  ['workspace', 'list'],
  ['workspace', 'suspend', 'acme'],
  ['channel', 'create', 'acme', 'alerts'],
  ['plan', 'list'],
  ['stats'],
  ['audit'],
  ['migrate'],
  ['migrate', '--dry-run'],
  ['backup', 'copy.db'],
]) {
  test(`\`${verb.join(' ')}\` makes no database, and says which folder it looked into and what to do`, async () => {
    const cli = new Cli();
    const message = await cli.failure(1, verb);
    assert.match(message, `there is no database ${join(cli.dataDir, 'pushctl.db')}.`);
    assert.match(message, '--data-dir');
    assert.match(message, 'pushctl workspace create');
    assert.not(existsSync(cli.dataDir));
  });
}

for (const verb of [
  ['workspace', 'create', 'acme'],
  ['plan', 'set', 'small', '--events', '1000'],
]) {
  test(`\`${verb.join(' ')}\` may be the first of an installation`, async () => {
    const cli = new Cli();
    await cli.json(verb);
    assert.ok(existsSync(join(cli.dataDir, 'pushctl.db')));
  });
}

test('A backup of a database without a workspace has to be asked for', async () => {
  const cli = new Cli();
  await cli.json(['plan', 'set', 'small', '--events', '1000']);
  const file = join(cli.folder, 'backup.db');
  assert.match(await cli.failure(1, ['backup', file]), '--allow-empty');
  assert.not(existsSync(file));
  await cli.json(['backup', file, '--allow-empty']);
  assert.ok(existsSync(file));
});

test('The line to run as root has all that was typed, as a shell takes it', () => {
  const argv = ['node', 'pushctl', 'event', 'list', 'acme', '--since', '24h', '--search', "it's down"];
  const { verb } = dataLocation(
    { process: { env: {}, argv, getuid: () => 1_000 }, options: {}, note: () => {} },
    { ...loadConfig({ env: {}, file: null }), dataDir: '/home/ada' },
  );
  assert.is(verb, "pushctl event list acme --since 24h --search 'it'\\''s down'");
});

test('The data folder of an installed service is known by its unit', () => {
  const root = temporaryFolder();
  assert.is(serviceDataDir(root), null);
  for (const [file, name] of [
    ['lib/systemd/system/pushctl.service', 'pushctl'],
    ['etc/systemd/system/pushctl.service', 'elsewhere'],
  ] as const) {
    const unit = join(root, file);
    mkdirSync(dirname(unit), { recursive: true });
    writeFileSync(unit, `[Service]\nStateDirectory=${name}\nStateDirectoryMode=0700\n`);
    assert.is(serviceDataDir(root), `/var/lib/${name}`);
  }
});

test('An operator who forgot sudo is shown the command with it', () => {
  const place = { ...ADA, serviceDir: SERVICE };
  assert.match(adviceOn(place), `service on this machine is in ${SERVICE}: sudo pushctl workspace list`);
  assert.match(
    noteOn(place),
    `${accountName()} sees the data in ${ADA.dataDir}. Only root may see the data of the service on this machine (${SERVICE})`,
  );
});

test('If there is no service, or the folder was named, the advice does not mention the service', () => {
  assert.not.match(adviceOn({ ...ADA, serviceDir: null }), 'sudo');
  assert.not.match(adviceOn({ ...ADA, isDefault: false, serviceDir: SERVICE }), 'sudo');
  assert.match(adviceOn({ ...ADA, dataDir: SERVICE, serviceDir: SERVICE }), 'sudo pushctl doctor');
});

test.run();
