import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../src/config/load.ts';
import { makeAuthority } from '../../src/sandbox/credentials.ts';
import { InProcessCli as Cli } from '../support/cli.ts';
import { temporaryFolder } from '../support/folder.ts';
import { freePort, freePorts } from '../support/free-port.ts';
import { fetchReply } from '../support/http.ts';
import { keyFiles } from '../support/key-files.ts';
import { Resources } from '../support/resources.ts';
import { serveHere } from '../support/server.ts';
import { valuesOf } from '../support/values-of.ts';

const IDS = ['--apns-team-id', 'DEF123GHIJ', '--apns-topic', 'com.example.app'];

test('With options alone init writes a configuration that can be used, for its owner only', async () => {
  const cli = new Cli();
  const { apnsKey, account } = await keyFiles();
  const file = join(cli.folder, 'new', 'pushctl.toml');
  const options = ['--listen', '127.0.0.1:0', '--base-url', 'https://push.example.com/api', '--apns-key-file', apnsKey];
  await cli.json(['--config', file, 'init', ...options, ...IDS, '--fcm-service-account-file', account]);
  assert.is(statSync(file).mode & 0o777, 0o600);
  const { apns, fcm, baseUrl } = loadConfig({ env: {}, file });
  assert.is(baseUrl, 'https://push.example.com/api');
  assert.is(apns?.keyId, 'ABC123DEFG');
  assert.is(apns?.keyFile, join(cli.folder, 'new', 'AuthKey_ABC123DEFG.p8'));
  assert.is(fcm?.serviceAccountFile, join(cli.folder, 'new', 'account.json'));
  for (const copy of [apns?.keyFile, fcm?.serviceAccountFile]) assert.is(statSync(String(copy)).mode & 0o777, 0o600);
});

test('The files that init writes are new and for their owner alone, even if others lie in their place', async () => {
  const cli = new Cli();
  const { apnsKey } = await keyFiles();
  const folder = join(cli.folder, 'new');
  const precious = join(cli.folder, 'precious');
  mkdirSync(folder);
  writeFileSync(precious, 'precious');
  symlinkSync(precious, join(folder, 'pushctl.toml.part'));
  writeFileSync(join(folder, 'AuthKey_ABC123DEFG.p8.part'), '', { mode: 0o666 });
  chmodSync(join(folder, 'AuthKey_ABC123DEFG.p8.part'), 0o666);
  copyFileSync(apnsKey, join(folder, 'AuthKey_ABC123DEFG.p8'));
  chmodSync(join(folder, 'AuthKey_ABC123DEFG.p8'), 0o644);
  const file = join(folder, 'pushctl.toml');
  await cli.json(['--config', file, 'init', '--listen', '127.0.0.1:0', '--apns-key-file', apnsKey, ...IDS]);
  assert.is(readFileSync(precious, 'utf8'), 'precious');
  assert.equal(readdirSync(folder).sort(), ['AuthKey_ABC123DEFG.p8', 'pushctl.toml']);
  for (const name of readdirSync(folder)) {
    const stats = lstatSync(join(folder, name));
    assert.equal([stats.isFile(), stats.mode & 0o777], [true, 0o600], name);
  }
});

test('Every setting that was not asked for is explained in the configuration', async () => {
  const cli = new Cli();
  const file = join(cli.folder, 'new.toml');
  await cli.run(['--config', file, 'init', '--listen', '127.0.0.1:0']);
  assert.match(readFileSync(file, 'utf8'), /^listen = "127.0.0.1:0"$/m);
  assert.match(readFileSync(file, 'utf8'), /^# How long a push is tried.*\n#ttl = "24h"$/m);
});

test('The output of init names the next step, and shows no key', async () => {
  const cli = new Cli();
  const { apnsKey } = await keyFiles();
  const file = join(cli.folder, 'new.toml');
  const { stdout } = await cli.run(['--config', file, 'init', '--listen', ':::0', ...IDS, '--apns-key-file', apnsKey]);
  assert.is(stdout, '');
  const right = await cli.run([
    '--config',
    file,
    'init',
    '--listen',
    '127.0.0.1:0',
    ...IDS,
    '--apns-key-file',
    apnsKey,
  ]);
  assert.match(right.stdout, `pushctl --config ${file} serve`);
  assert.match(right.stdout, `The data folder is ${cli.dataDir}.`);
  assert.not.match(right.stdout, 'PRIVATE');
});

test('A configuration with settings is replaced with --force only, an untouched example at once', async () => {
  const cli = new Cli();
  const file = join(cli.folder, 'mine.toml');
  writeFileSync(file, 'listen = "127.0.0.1:1"\n');
  assert.match(await cli.failure(1, ['--config', file, 'init', '--listen', '127.0.0.1:0']), 'pass --force');
  assert.is(readFileSync(file, 'utf8'), 'listen = "127.0.0.1:1"\n');
  await cli.json(['--config', file, 'init', '--force', '--listen', '127.0.0.1:0']);
  writeFileSync(file, '# an example\n\n#listen = "127.0.0.1:8080"\n');
  await cli.json(['--config', file, 'init', '--listen', '127.0.0.1:0']);
  assert.match(readFileSync(file, 'utf8'), /^listen = "127.0.0.1:0"$/m);
});

for (const [what, options, expected] of [
  ['A key file that is none', ['--apns-key-file', import.meta.filename], '--apns-key-file: .*not a private key'],
  ['A key file that is not there', ['--apns-key-file', '/nonexistent.p8'], 'does not exist'],
  ['A base URL without /api', ['--base-url', 'https://push.example.com'], '--base-url: .*ends with /api'],
  [
    'An address of another machine',
    ['--listen', 'nowhere.invalid:8080'],
    '--listen: this machine has no address nowhere.invalid',
  ],
  ['An address open to the network without TLS', ['--listen', '0.0.0.0:0'], 'without encryption'],
  ['A certificate that is not there', ['--tls-cert', '/nonexistent.crt'], '--tls-cert: .*does not exist'],
  ['A certificate that is none', ['--tls-cert', import.meta.filename], '--tls-cert: .*holds nothing in PEM form'],
] as const) {
  test(`${what} is refused, and nothing is written`, async () => {
    const cli = new Cli();
    const file = join(cli.folder, 'new.toml');
    const message = await cli.failure(2, ['--config', file, 'init', ...options]);
    assert.match(message, new RegExp(expected));
    assert.not(existsSync(file));
  });
}

test('A certificate by ACME gives way to one in files, and the other way round, but not both at once', async () => {
  const cli = new Cli();
  const file = join(cli.folder, 'new.toml');
  const { cert, key } = await aPair();
  const init = ['--config', file, 'init', '--force', '--listen', '127.0.0.1:0'];
  const byAcme = ['--tls-acme-domains', 'push.example.com,hooks.example.com', '--tls-acme-contact', 'ops@example.com'];
  await cli.json([...init, ...byAcme]);
  await cli.json(init);
  assert.is(loadConfig({ env: {}, file }).tls?.acme?.contact, 'ops@example.com', 'what is not said stays');
  assert.match(
    await cli.failure(2, [...init, ...byAcme, '--tls-cert', cert, '--tls-key', key]),
    'expected none with [tls.acme]',
  );
  await cli.json([...init, '--tls-cert', cert, '--tls-key', key]);
  assert.equal(loadConfig({ env: {}, file }).tls, { cert, key, acme: null });
  await cli.json([...init, ...byAcme]);
  assert.equal(loadConfig({ env: {}, file }).tls?.acme?.domains, ['push.example.com', 'hooks.example.com']);
});

test('A key in the place of a certificate, and a key of another certificate, are refused', async () => {
  const cli = new Cli();
  const { apnsKey } = await keyFiles();
  const [pair, other] = [await aPair(), await aPair()];
  const init = (cert: string, key: string) =>
    cli.failure(2, ['--config', join(cli.folder, 'new.toml'), 'init', '--tls-cert', cert, '--tls-key', key]);
  assert.match(
    await init(apnsKey, pair.key),
    /--tls-cert: .*holds a private key \(.*Expected a certificate in PEM form/,
  );
  assert.match(await init(pair.cert, pair.cert), '--tls-key: ');
  assert.match(await init(pair.cert, other.key), `${other.key} is not the private key of ${pair.cert}`);
  assert.not(existsSync(join(cli.folder, 'new.toml')));
});

test('A certificate in the place of the key from Apple is refused', async () => {
  const cli = new Cli();
  const options = ['--config', join(cli.folder, 'new.toml'), 'init', '--apns-key-file', (await aPair()).cert, ...IDS];
  assert.match(await cli.failure(2, options), /--apns-key-file: .*is not a private key/);
});

test('Settings that init did not ask about stay, and the earlier configuration is kept', async () => {
  const cli = new Cli();
  const { apnsKey, account } = await keyFiles();
  const file = join(cli.folder, 'mine', 'pushctl.toml');
  const first = ['--listen', '127.0.0.1:0', '--apns-key-file', apnsKey, ...IDS, '--fcm-service-account-file', account];
  await cli.json(['--config', file, 'init', ...first]);
  const before = `${readFileSync(file, 'utf8').replace('#style = "data"', 'style = "notification"')}`
    .replace('#[limits]', '[limits]')
    .replace('#keys = 200', 'keys = 321')
    .replace('#url_schemes = []', 'url_schemes = ["acme"]');
  writeFileSync(file, before);
  const again = ['init', '--force', '--apns-topic', 'com.example.other'];
  const { kept } = await cli.json<{ kept: string }>(['--config', file, ...again]);
  const { limits, fcm, apns } = loadConfig({ env: {}, file });
  assert.equal([limits.keys, limits.urlSchemes, fcm?.style], [321, ['acme'], 'notification']);
  assert.equal([apns?.topic, apns?.keyId, apns?.teamId], ['com.example.other', 'ABC123DEFG', 'DEF123GHIJ']);
  assert.match(kept, /pushctl\.toml\.\d{8}T\d{6}Z$/);
  assert.is(readFileSync(kept, 'utf8'), before);
  assert.is(statSync(kept).mode & 0o777, 0o600);
});

test('A configuration that cannot be read is not changed', async () => {
  const cli = new Cli();
  const file = join(cli.folder, 'mine.toml');
  for (const text of ['listen = ', 'lisen = "127.0.0.1:0"']) {
    writeFileSync(file, text);
    await cli.failure(2, ['--config', file, 'init', '--force', '--listen', '127.0.0.1:0']);
    assert.is(readFileSync(file, 'utf8'), text);
  }
});

test('Another key of the same name beside the configuration is left alone', async () => {
  const cli = new Cli();
  const { apnsKey } = await keyFiles();
  mkdirSync(join(cli.folder, 'etc'));
  writeFileSync(join(cli.folder, 'etc', 'AuthKey_ABC123DEFG.p8'), 'another');
  const file = join(cli.folder, 'etc', 'pushctl.toml');
  const options = ['--listen', '127.0.0.1:0', '--apns-key-file', apnsKey, ...IDS];
  assert.match(await cli.failure(1, ['--config', file, 'init', ...options]), 'already exists with other contents');
});

test('init adds the first owner with workspace and channel, and its link signs them in once the server runs', async () => {
  await using opened = new Resources();
  const cli = new Cli();
  const file = join(cli.folder, 'new.toml');
  const init = ['--config', file, 'init', '--listen', '127.0.0.1:0', '--owner', 'Ada@Example.com'];
  const { owner } = await cli.json<{ owner: Record<string, string> }>([...init, '--channel', 'builds']);
  assert.match(String(owner.link), /^http:\/\/127\.0\.0\.1:0\/#pair=[0-9A-Z]{5}-[0-9A-Z]{5}$/);
  const { members } = await cli.json<{ members: unknown }>(['member', 'list', 'main']);
  assert.equal(members, [{ email: 'ada@example.com', name: 'ada@example.com', role: 'owner' }]);
  const { channels } = await cli.json<{ channels: { slug: string }[] }>(['channel', 'list', 'main']);
  assert.equal(valuesOf(channels, 'slug'), ['builds']);
  const { url } = await serveHere(opened, { PUSHCTL_DATA_DIR: cli.dataDir, PUSHCTL_LISTEN: '127.0.0.1:0' });
  const body = { pairing_code: owner.pairing_code };
  assert.is((await fetchReply(url, '/api/v1/session', { method: 'POST', body })).status, 201);
});

test('init says the link and draws it, and a second one leaves what is there as it is', async () => {
  const cli = new Cli();
  const file = join(cli.folder, 'new.toml');
  const init = ['--config', file, 'init', '--listen', '127.0.0.1:0', '--owner', 'ada@example.com'];
  const { stdout } = await cli.run(init);
  assert.match(stdout, /^Link: http:\/\/127\.0\.0\.1:0\/#pair=/m);
  assert.match(stdout, '█');
  await cli.json(['workspace', 'rename', 'main', 'Our team']);
  await cli.json([...init, '--force']);
  const { workspaces } = await cli.json<{ workspaces: { slug: string; name: string }[] }>(['workspace', 'list']);
  assert.equal(valuesOf(workspaces, 'slug', 'name'), ['main Our team']);
});

test('Problems with the first owner are reported before anything is written', async () => {
  const cli = new Cli();
  const file = join(cli.folder, 'new.toml');
  const init = ['--config', file, 'init', '--listen', '127.0.0.1:0'];
  assert.match(await cli.failure(2, [...init, '--owner', 'ada']), '--owner: "ada" is not an email address.');
  const slug = ['--owner', 'ada@example.com', '--workspace', 'our team'];
  assert.match(await cli.failure(2, [...init, ...slug]), '--workspace: The slug "our team" must be 1 to 63 letters');
  assert.match(await cli.failure(2, [...init, '--channel', 'builds']), '--workspace and --channel need --owner');
  assert.not(existsSync(file));
});

test('With the sandbox, a second init changes nothing, and a configuration for other providers is left alone', async () => {
  const cli = new Cli();
  const file = join(cli.folder, 'trial', 'pushctl.toml');
  const listen = ['--listen', `127.0.0.1:${await freePort()}`];
  const first = await freePorts(12);
  const sandbox = ['--config', file, '--data-dir', cli.dataDir, 'init', '--sandbox', String(first), ...listen];
  const owner = ['--owner', 'ada@example.com', '--workspace', 'acme', '--channel', 'alerts'];
  await cli.json([...sandbox, ...owner]);
  const written = readFileSync(file, 'utf8');
  const config = loadConfig({ env: {}, file });
  assert.is(config.apns?.endpointProduction, `https://127.0.0.1:${first}`);
  assert.is(config.fcm?.serviceAccountFile, join(cli.dataDir, 'sandbox', 'service-account.json'));
  assert.equal(readdirSync(join(cli.folder, 'trial')), ['pushctl.toml'], 'no key is copied');
  const again = await cli.run([...sandbox, ...owner]);
  assert.match(again.stdout, /has these settings already\.$/m);
  assert.match(again.stdout, `sandbox --port ${first} `);
  assert.is(readFileSync(file, 'utf8'), written);
  const { devices } = await cli.json<{ devices: readonly object[] }>(['device', 'list', 'acme']);
  assert.is(devices.length, 2);

  assert.match(
    await cli.failure(2, [...sandbox, '--fcm-service-account-file', 'a.json']),
    /omit --fcm-service-account/,
  );
  assert.match(await cli.failure(2, ['init', '--sandbox', '0']), 'Expected a port from 1 to 65535');
  const other = join(cli.folder, 'pushctl.toml');
  writeFileSync(other, '[webpush]\ncontact = "mailto:ops@example.com"\n');
  assert.match(await cli.failure(1, ['init', '--sandbox']), /exists already and was not changed/);
  assert.is(readFileSync(other, 'utf8'), '[webpush]\ncontact = "mailto:ops@example.com"\n');
});

/** An init that tries pushctl in a folder of its own, with the ports from `first` on for the sandbox. */
async function aTrial() {
  const cli = new Cli();
  const [first, port] = [await freePorts(12), await freePort()];
  const file = join(cli.folder, 'trial', 'pushctl.toml');
  const init = ['--config', file, '--data-dir', cli.dataDir, 'init', '--sandbox', String(first)];
  return { cli, file, first, port, init };
}

test('Ports that a trial needs and that are in use are all named before anything is written', async () => {
  await using opened = new Resources();
  const { cli, file, first, port, init } = await aTrial();
  for (const server of await Promise.all([port, first + 2, first + 11].map(listener))) {
    opened.onEnd(() => void server.close());
  }
  const failure = await cli.failure(1, [...init, '--listen', `127.0.0.1:${port}`]);
  assert.match(failure, /nothing was written$/m);
  assert.match(failure, `port ${port} is in use: choose another for the server`);
  assert.match(failure, `ports ${first + 2}, ${first + 11} are in use: choose the first of 12 others`);
  assert.equal([existsSync(file), existsSync(cli.dataDir)], [false, false]);
  const overlapping = await cli.failure(1, [...init, '--listen', `127.0.0.1:${first + 1}`]);
  assert.match(overlapping, `port ${first + 1} is a port of the sandbox`);
  assert.match(await cli.failure(1, [...init.slice(0, -1), '65530']), 'ports end at 65535');
});

test('The ports of a running trial do not disturb its own second init', async () => {
  await using opened = new Resources();
  const { cli, first, port, init } = await aTrial();
  await cli.json([...init, '--listen', `127.0.0.1:${port}`]);
  for (const server of await Promise.all([port, first, first + 11].map(listener))) {
    opened.onEnd(() => void server.close());
  }
  await cli.json([...init, '--listen', `127.0.0.1:${port}`]);
  await cli.json([...init, '--force', '--listen', `127.0.0.1:${await freePort()}`]);
});

test.run();

async function listener(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** A certificate and its key, in files. */
async function aPair(): Promise<{ readonly cert: string; readonly key: string }> {
  const folder = temporaryFolder();
  const { certPem, keyPem } = await makeAuthority(Date.now());
  const files = { cert: join(folder, 'fullchain.pem'), key: join(folder, 'privkey.pem') };
  writeFileSync(files.cert, certPem);
  writeFileSync(files.key, keyPem);
  return files;
}
