import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { entryUrl } from '../../src/process/entry-points.ts';
import { databasePath } from '../../src/store/data-folder.ts';
import { openReadOnly } from '../../src/store/sqlite/database.ts';
import { androidToken } from '../support/android-token.ts';
import { ADA } from '../support/cast.ts';
import { InProcessCli as Cli } from '../support/cli.ts';
import { Resources } from '../support/resources.ts';
import { skipWhere } from '../support/skip.ts';
import { openScreen, tmuxObstacle } from '../support/tmux.ts';
import { until, untilIs } from '../support/until.ts';

/** Without a provider that is reached. */
const SERVING = { PUSHCTL_LISTEN: '127.0.0.1:0', PUSHCTL_FCM_SERVICE_ACCOUNT_FILE: 'missing.json' };

const test = suite('cli: device import that is interrupted');
const onScreen = skipWhere(tmuxObstacle(), test);

test('Ctrl-C before the end of the input imports nothing, and says so.', async () => {
  await using opened = new Resources();
  const cli = await Cli.ofTeam({ channels: ['builds'] });
  const running = cli.start(opened, ['device', 'import', 'acme', ADA, '-']);
  running.write(numbered(1_200));
  await untilIs('a part is staged', () => counted(cli, 'import_line'), 1_000);
  assert.is(await running.stop('SIGINT'), 1);
  assert.match(running.output, 'Stopped: nothing was imported.');
  assert.equal(await cli.json(['device', 'list', 'acme']), { devices: [] });
});

test('Ctrl-C while the devices are registered says that the import is accepted.', async () => {
  await using opened = new Resources();
  const cli = await Cli.ofTeam({ channels: ['builds'] });
  const file = join(cli.folder, 'devices.ndjson');
  writeFileSync(file, numbered(50_000));
  const running = cli.start(opened, ['device', 'import', 'acme', ADA, file]);
  await until('some are registered', () => counted(cli, 'device') > 0 || counted(cli, 'device'));
  assert.is(await running.stop('SIGINT'), 1);
  assert.match(running.output, 'The import is accepted as a whole');
  assert.is(counted(cli, 'device') + counted(cli, 'import_line'), 50_000);
});

for (const { phase, devices, table, says } of [
  { phase: 'before the end of the input', devices: 1_200, table: 'import_line', says: /nothing was imported/ },
  { phase: 'while the devices are registered', devices: 50_000, table: 'device', says: /import is accepted/ },
]) {
  test(`Ctrl-C ${phase}, through a server, is reported as JSON as well, and holds.`, async () => {
    await using opened = new Resources();
    const cli = await Cli.ofTeam({ channels: ['builds'] });
    const server = cli.start(opened, ['serve'], SERVING);
    await server.waitFor(/listening/);
    const file = join(cli.folder, 'devices.ndjson');
    writeFileSync(file, numbered(devices));
    const isWhole = table === 'device';
    const running = cli.start(opened, ['device', 'import', 'acme', ADA, isWhole ? file : '-', '--json']);
    if (!isWhole) running.write(numbered(devices));
    await until('some are there', () => counted(cli, table) > 0 || counted(cli, table));
    assert.is(await running.stop('SIGINT'), 1);
    const [document] = /^\{.*\}$/ms.exec(running.output) ?? [''];
    assert.match(JSON.stringify((JSON.parse(document) as { error: object }).error), says);
    if (isWhole) await untilIs('the server goes on to the end', () => counted(cli, 'device'), devices);
    else assert.is(counted(cli, 'device'), 0);
  });
}

test('A server that is killed in the middle of the input has imported nothing, nor has the next one.', async () => {
  await using opened = new Resources();
  const cli = await Cli.ofTeam({ channels: ['builds'] });
  const server = cli.start(opened, ['serve'], SERVING);
  await server.waitFor(/listening/);
  const running = cli.start(opened, ['device', 'import', 'acme', ADA, '-']);
  running.write(numbered(1_200));
  await untilIs('a part is staged', () => counted(cli, 'import_line'), 1_000);
  await server.stop('SIGKILL');
  // Enough for another part, at which it finds out, if it has not before.
  running.write(numbered(1_200));
  await running.waitFor(/nothing was imported/i);
  await cli.start(opened, ['serve'], SERVING).waitFor(/listening/);
  assert.equal(await cli.json(['device', 'list', 'acme']), { devices: [] });
});

onScreen('Ctrl-C at a terminal says what became of the import on a line of its own.', async () => {
  const cli = await Cli.ofTeam({ channels: ['builds'] });
  const main = fileURLToPath(entryUrl('cli/main'));
  const file = join(cli.folder, 'devices.ndjson');
  writeFileSync(file, numbered(50_000));
  const command = ['--data-dir', cli.dataDir, 'device', 'import', 'acme', ADA, file];
  const screen = openScreen([process.execPath, main, ...command]);
  try {
    await screen.waitFor(/of 50,000 devices registered/);
    screen.type('C-c');
    assert.match(await screen.waitFor(/exit code 1/), /^pushctl: Stopped watching\. The import is accepted/m);
  } finally {
    screen.close();
  }
});

test.run();

/** Lines of that many devices. */
function numbered(devices: number): string {
  return Array.from(
    { length: devices },
    (_, index) => `{"platform":"android","token":"${androidToken(index)}"}\n`,
  ).join('');
}

/** The rows of a table, as the database has them at this moment. */
function counted(cli: Cli, table: string): number {
  const db = openReadOnly(databasePath(cli.dataDir));
  try {
    return db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0;
  } finally {
    db.close();
  }
}
