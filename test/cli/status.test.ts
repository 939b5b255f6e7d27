import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Status } from '../../src/cli/status/collect.ts';
import { packageVersion } from '../../src/process/package.ts';
import { restoreCredentials } from '../../src/sandbox/credentials.ts';
import type { StoreClient } from '../../src/store/calls.ts';
import { databasePath, socketPath } from '../../src/store/data-folder.ts';
import { serveSocket } from '../../src/store/transports/socket-server.ts';
import { androidToken } from '../support/android-token.ts';
import { assertEach } from '../support/assert-each.ts';
import { ADA } from '../support/cast.ts';
import { InProcessCli as Cli } from '../support/cli.ts';
import { Resources } from '../support/resources.ts';
import { until } from '../support/until.ts';

const test = suite('cli: status');

async function documentOf(cli: Cli): Promise<{ exitCode: number | null; status: Status }> {
  const { exitCode, stdout, stderr } = await cli.run(['status', '--json']);
  assert.is(stderr, '');
  return { exitCode, status: JSON.parse(stdout) as Status };
}

test('The status of a healthy server exits with 0, and shows since when it runs, what waits, and the last backup.', async () => {
  await using opened = new Resources();
  const cli = new Cli('listen = "127.0.0.1:0"');
  await cli.json(['workspace', 'create', 'acme']);
  const server = cli.start(opened, ['serve']);
  const [, url = ''] = await server.waitFor(/"url":"([^"]+)".*listening/);
  const { exitCode, status } = await documentOf(cli);
  assert.is(exitCode, 0, JSON.stringify(status.warnings));
  assert.is(status.server?.url, url);
  assert.match(status.server?.since ?? '', /^\d{4}-\d\d-\d\dT.*\+00:00$/);
  assert.equal(status.queue[0], { lane: 'urgent', waiting: 0, deferred: 0, oldest_at: null });
  assert.equal([status.certificate, status.last_backup], [null, null]);

  const file = join(cli.folder, 'backup.db');
  await cli.json(['backup', file]);
  assert.is((await documentOf(cli)).status.last_backup?.file, file);
  renameSync(file, `${file}.away`);
  assert.is((await documentOf(cli)).status.last_backup, null, 'it is no longer there');
  renameSync(`${file}.away`, file);
  const { stdout } = await cli.run(['status']);
  assert.match(stdout, /^pushctl \S+ runs since \S+ \S+Z \([\d.]+\w+\) on http:/);
  assert.match(stdout, /^last backup {2}.*backup\.db$/m);
  assert.match(stdout, /^this version {2}(less than a day|\d+ \w+) old$/m);
  assert.is(await server.stop(), 0);
});

test('A backup folder that was deleted is one failure of status and doctor, with and without a server.', async () => {
  await using opened = new Resources();
  const cli = new Cli('');
  const folder = join(cli.folder, 'backups');
  writeFileSync(join(cli.folder, 'pushctl.toml'), `listen = "127.0.0.1:0"\n[backup]\nfolder = "${folder}"\n`);
  await cli.json(['workspace', 'create', 'acme']);
  const check = async () => {
    const { exitCode, status } = await documentOf(cli);
    assert.is(exitCode, 1);
    const found = status.warnings.filter((finding) => finding.check.startsWith('backup'));
    assertEach(found, ({ check }) => check, ['backup.folder']);
    assert.match(found[0]?.message ?? '', `${folder} does not exist`);
    assert.match((await cli.run(['doctor'])).stdout, /^FAIL {2}backup\.folder: /m);
    return found[0]?.message ?? '';
  };
  await check();
  const server = cli.start(opened, ['serve']);
  await server.waitFor(/a backup failed/);
  assert.match(await check(), /; affected: backup$/);
  assert.equal(
    readdirSync(cli.folder).filter((name) => name === 'backups'),
    [],
    'status makes nothing',
  );
});

test('Without a server and a database, it does not say that no push was ever accepted.', async () => {
  const cli = new Cli('listen = "127.0.0.1:0"\n[webpush]\ncontact = "mailto:ops@example.com"');
  const unknown = await cli.run(['status']);
  assert.match(unknown.stdout, /^webpush_google +- +- +- +-$/m);
  await cli.json(['workspace', 'create', 'acme']);
  assert.match((await cli.run(['status'])).stdout, /^webpush_google +- +- +never +-$/m);
});

test('If none runs it says so, shows what the database knows, and exits with 1.', async () => {
  const cli = new Cli('listen = "127.0.0.1:0"');
  assert.match((await cli.run(['status'])).stdout, /^FAIL +server: does not run; /m);
  await cli.json(['workspace', 'create', 'acme']);
  await cli.json(['backup', join(cli.folder, 'backup.db')]);
  const { exitCode, status } = await documentOf(cli);
  assert.is(exitCode, 1);
  assert.is(status.server, null);
  assert.is((await cli.run(['doctor', '--json'])).exitCode, 1, 'as for status');
  assert.match(status.last_backup?.file ?? '', 'backup.db');
  assert.match(await cli.failure(1, ['status', '--alive']), /no server answers at .*\.sock/);
  assert.match((await cli.run(['status'])).stdout, /^No server answers on .*what the database knows/);

  await cli.json(['member', 'add', 'acme', ADA]);
  await cli.json(['device', 'add', 'acme', ADA, '--platform', 'android', '--token', androidToken('a')]);
  const db = new Database(databasePath(cli.dataDir));
  db.prepare("UPDATE device SET refused_at = 1, refused_reason = 'SENDER_ID_MISMATCH'").run();
  db.prepare("UPDATE audit SET at = 1 WHERE action = 'backup.make'").run();
  db.close();
  const { stdout } = await cli.run(['status'], { env: { PUSHCTL_BACKUP_FOLDER: cli.folder } });
  assert.match(stdout, /refused 1 device with SENDER_ID_MISMATCH/);
  assert.match(stdout, /^FAIL +backup: the last one is from 1970-01-01 .*older than twice backup\.every/m);
});

test('A server whose store does not answer is not alive.', async () => {
  await using opened = new Resources();
  const cli = new Cli('');
  mkdirSync(cli.dataDir, { recursive: true });
  opened.add(
    await serveSocket({
      path: socketPath(cli.dataDir),
      store: {} as StoreClient,
      version: packageVersion(),
      streams: {
        async alive(_, emit) {
          emit({ alive: false });
          return () => {};
        },
      },
    }),
  );
  assert.match(await cli.failure(1, ['status', '--alive']), 'hangs');
});

test('A route without usable credentials pauses: the status shows since when and why, and exits with 1.', async () => {
  await using opened = new Resources();
  const cli = new Cli('listen = "127.0.0.1:0"\n[fcm]\nservice_account_file = "account.json"');
  const { serviceAccount } = await restoreCredentials(null, Date.now());
  const { client_email: _, ...incomplete } = serviceAccount;
  writeFileSync(join(cli.folder, 'account.json'), JSON.stringify(incomplete), { mode: 0o600 });
  await cli.start(opened, ['serve']).waitFor(/listening/);
  const { exitCode, status } = await documentOf(cli);
  assert.is(exitCode, 1);
  const [route] = status.routes;
  assert.equal([route?.route, route?.pause?.kind], ['fcm', 'off']);
  assert.match(route?.pause?.reason ?? '', 'has no client_email');
  assert.ok(status.warnings.some(({ check, status: how }) => check === 'fcm' && how === 'fail'));
  assert.match((await cli.run(['status'])).stdout, /^ROUTE .*WHY$\n^fcm +paused [\d.]+\w+ +0 +never .*client_email/m);
  assert.equal(await cli.json(['status', '--alive']), { alive: true }, 'no reason to restart it');
});

test('A provider that cannot be reached is named with the words of the system by `status`, `event show`, `route list` and the log.', async () => {
  await using opened = new Resources();
  const nowhere =
    '[apns]\nkey_file = "key.p8"\nkey_id = "ABC123DEFG"\nteam_id = "DEF123GHIJ"\ntopic = "com.example.app"';
  const cli = new Cli(`listen = "127.0.0.1:0"\n${nowhere}\nendpoint_production = "https://127.0.0.1:1"`);
  writeFileSync(join(cli.folder, 'key.p8'), (await restoreCredentials(null, Date.now())).apnsKey.pem, { mode: 0o600 });
  const server = cli.start(opened, ['serve']);
  await server.waitFor(/listening/);
  await cli.json(['workspace', 'create', 'acme']);
  await cli.json(['member', 'add', 'acme', ADA]);
  const phone = ['--platform', 'ios', '--token', 'ab'.repeat(32)];
  const { device } = await cli.json<{ device: { id: string } }>(['device', 'add', 'acme', ADA, ...phone]);
  const { event } = await cli.json<{ event: { public_id: string } }>(['device', 'test', device.id]);
  await server.waitFor(/"reason":"connect_failed","words":"127\.0\.0\.1:1: ECONNREFUSED.*route paused/);
  for (const words of [['status'], ['event', 'show', event.public_id], ['route', 'list']]) {
    const { stdout } = await cli.run(words);
    assert.match(stdout.replaceAll(/\s+/g, ' '), /connect_failed, 127\.0\.0\.1:1: ECONNREFUSED/, words.join(' '));
  }
  assert.match(
    (await cli.run(['status'])).stdout,
    /^warn +apns_production: has been paused since/m,
    'an outage of a moment',
  );
});

test('A route that an operator paused is in the warnings, with the way back.', async () => {
  await using opened = new Resources();
  const cli = new Cli('listen = "127.0.0.1:0"\n[fcm]\nservice_account_file = "account.json"');
  const { serviceAccount } = await restoreCredentials(null, Date.now());
  writeFileSync(join(cli.folder, 'account.json'), JSON.stringify(serviceAccount), { mode: 0o600 });
  const server = cli.start(opened, ['serve']);
  await server.waitFor(/listening/);
  await cli.json(['route', 'pause', 'fcm']);
  const { exitCode, stdout } = await cli.run(['status']);
  assert.is(exitCode, 0, 'a warning');
  for (const verb of ['status', 'doctor']) assert.is((await cli.run([verb, '--warnings-as-errors'])).exitCode, 1, verb);
  assert.match(
    stdout,
    /^warn +fcm: has been paused since \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ, .*an operator paused it\n.*pushctl route resume fcm$/m,
  );
  const { status } = await documentOf(cli);
  assert.match(status.warnings.map(({ message }) => message).join(), /has been paused since \d{4}-\d\d-\d\dT.*\+00:00/);
  assert.not.match(stdout, 'Nothing to warn of');
  await server.stop();
  assert.match((await cli.run(['status'])).stdout, /^fcm +paused .*an operator paused it$/m, 'also while none runs');
});

test('Without a provider `status` warns as `doctor` does: no device is targeted.', async () => {
  const cli = new Cli('listen = "127.0.0.1:0"');
  await cli.json(['workspace', 'create', 'acme']);
  assert.match((await cli.run(['status'])).stdout, /^warn +providers: none is configured, so no device gets pushes$/m);
});

test('The providers are those of the running server, even if the command has another configuration (`--data-dir`).', async () => {
  await using opened = new Resources();
  const cli = new Cli('listen = "127.0.0.1:0"');
  const { serviceAccount } = await restoreCredentials(null, Date.now());
  writeFileSync(join(cli.folder, 'account.json'), JSON.stringify(serviceAccount), { mode: 0o600 });
  const served = join(cli.folder, 'served.toml');
  writeFileSync(served, 'listen = "127.0.0.1:0"\n[fcm]\nservice_account_file = "account.json"');
  await cli.start(opened, ['serve'], { PUSHCTL_CONFIG: served }).waitFor(/listening/);
  const { exitCode, stdout } = await cli.run(['status']);
  assert.is(exitCode, 0, stdout);
  assert.match(stdout, /^fcm +open /m);
  assert.not.match(stdout, /none is configured|No provider/);
  assert.match((await cli.run(['route', 'list'])).stdout, /^fcm +open /m, 'by the same word');
});

test('A database that is gone is a failure that names the copy that was saved and the way back, also once the server has stopped.', async () => {
  await using opened = new Resources();
  const cli = new Cli('listen = "127.0.0.1:0"');
  await cli.json(['workspace', 'create', 'acme']);
  const server = cli.start(opened, ['serve']);
  await server.waitFor(/listening/);
  rmSync(databasePath(cli.dataDir));
  await until('a copy is saved', () => readdirSync(cli.dataDir).some((name) => /rescued-\w+Z$/.test(name)));
  const lost = /^FAIL +database: .*pushctl\.db is gone; .* (\S+rescued-\w+Z)\n.*pushctl restore --resend \1,/m;
  const { stdout } = await cli.run(['status']);
  assert.match(stdout, lost);
  assert.match(stdout, /^FAIL +server: runs, but accepts no events: .*pushctl\.db has been deleted/m);
  await server.stop();
  const { exitCode, stdout: stopped } = await cli.run(['status']);
  assert.is(exitCode, 1);
  assert.match(stopped, lost);
});

test.run();
