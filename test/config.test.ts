import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { exampleConfig } from '../src/config/example.ts';
import { type LoadOptions, loadConfig } from '../src/config/load.ts';
import { listSettings, readSchema } from '../src/config/settings.ts';
import { configuredRoutes } from '../src/config.ts';
import { OperatorProblem } from '../src/problem.ts';

const test = suite('config');

test('Without a file and a variable every setting has its default.', () => {
  const config = loadConfig({ env: { HOME: '/home/ada' }, uid: 1000 });
  assert.equal(config.listen, { host: '127.0.0.1', port: 8080 });
  assert.is(config.dataDir, '/home/ada/.local/share/pushctl');
  assert.equal(config.delivery, {
    threads: 2,
    ttlMs: 86_400_000,
    retryFirstMs: 5_000,
    retryBusyFirstMs: 60_000,
    retryMaxMs: 900_000,
    stopTimeoutMs: 25_000,
  });
  assert.equal(config.retention, {
    eventsMs: 90 * 86_400_000,
    deliveriesMs: 7 * 86_400_000,
    auditMs: 365 * 86_400_000,
    statsMs: 400 * 86_400_000,
    maxSizeBytes: null,
  });
  assert.is(config.metrics, null);
  assert.is(config.limits.linksMemoryBytes, 64 * 1024 * 1024);
  assert.equal([config.baseUrl, config.tls, config.apns, config.fcm], [null, null, null, null]);
  assert.equal(configuredRoutes(config), []);
});

test('A configuration is frozen all the way down.', () => {
  const config = loadConfig({ env: {} });
  assert.throws(() => Object.assign(config.limits, { burstPerMinute: 1 }), TypeError);
});

test('A file sets what it says, and its relative file names are seen from its own folder.', () => {
  withFile(
    'data_dir = "data"\n[apns]\nkey_file = "key.p8"\nkey_id = "ABC123DEFG"\nteam_id = "DEF123GHIJ"\ntopic = "com.example.app"',
    (file, folder) => {
      const config = loadConfig({ env: {}, file });
      assert.is(config.dataDir, join(folder, 'data'));
      assert.is(config.apns?.keyFile, join(folder, 'key.p8'));
      assert.is(config.apns?.endpointSandbox, 'https://api.sandbox.push.apple.com');
      assert.equal(configuredRoutes(config), ['apns_production', 'apns_sandbox']);
    },
  );
});

test('A variable of the environment wins over the file, and --data-dir over both.', () => {
  withFile('data_dir = "/from-file"\n[delivery]\nttl = "1h"\nthreads = 3', (file) => {
    const env = { PUSHCTL_CONFIG: file, PUSHCTL_DELIVERY_TTL: '2h', PUSHCTL_DATA_DIR: '/from-env' };
    const config = loadConfig({ env });
    assert.equal([config.delivery.ttlMs, config.delivery.threads, config.dataDir], [7_200_000, 3, '/from-env']);
    assert.is(loadConfig({ env, dataDir: '/from-option' }).dataDir, '/from-option');
  });
});

test('Lists in the environment are separated by commas, and an empty variable counts as absent.', () => {
  const env = { PUSHCTL_PROXY_TRUSTED: '10.0.0.0/8, ::1', PUSHCTL_LISTEN: ':9000', PUSHCTL_BASE_URL: '' };
  const config = loadConfig({ env });
  assert.equal(config.proxy.trusted, ['10.0.0.0/8', '::1']);
  assert.equal(config.listen, { host: '::', port: 9000 });
});

test('Every setting is read from its variable.', () => {
  for (const { path, variable, kind } of listSettings(readSchema())) {
    const wrong = kind === 'array' ? '/' : kind === 'integer' ? 'many' : '\u0000';
    assert.match(mistakesOf({ env: { [variable]: wrong } }), path, `${variable} was not looked at`);
  }
});

test('Each way to write an address to listen on is understood.', () => {
  const listen = (text: string) => loadConfig({ env: { PUSHCTL_LISTEN: text, PUSHCTL_PROXY_TRUSTED: '::1' } }).listen;
  assert.equal(listen('[::1]:8080'), { host: '::1', port: 8080 });
  assert.equal(listen('localhost:0'), { host: 'localhost', port: 0 });
  assert.equal(listen(':80'), { host: '::', port: 80 });
  for (const wrong of ['8080', '127.0.0.1', '::1:8080', '127.0.0.1:70000', '[nope]:1', 'a b:1']) {
    assert.match(mistakesOf({ env: { PUSHCTL_LISTEN: wrong } }), 'expected an address and a port');
  }
});

test('All mistakes are named at once, each with its path, its value and what is expected.', () => {
  const text = `
listne = "127.0.0.1:1"
base_url = "https://push.example.com"
[delivery]
ttl = "5 days"
threads = 0
[limits]
url_schemes = ["javascript"]
[apns]
topic = 5
keyfile = "x"
[proxy]
trusted = ["10.0.0.0/99"]`;
  withFile(text, (file) => {
    const lines = mistakesOf({ env: {}, file })
      .split('\n')
      .map((line) => line.trim());
    assert.match(lines[0] ?? '', `the configuration ${file} has 11 mistakes; nothing was started`);
    for (const expected of [
      'listne: no such setting; did you mean listen?',
      'base_url is "https://push.example.com": expected an http or https address that ends with /api',
      'delivery.ttl is "5 days": expected a duration such as 200ms, 30s, 15m, 24h or 90d',
      'delivery.threads is 0: expected a whole number from 1 to 64',
      'limits.url_schemes[0] is "javascript": expected a URL scheme without its colon, such as myapp',
      'apns.topic is 5: expected a bundle ID',
      'apns.keyfile: no such setting; did you mean apns.key_file?',
      'apns.key_id is missing: expected 10 capital letters and digits, for example "ABC123DEFG"',
      'proxy.trusted[0] is "10.0.0.0/99": expected an IP address or a network such as 10.0.0.0/8',
    ]) {
      assert.ok(lines.includes(expected), `missing: ${expected}\nin: ${lines.join('\n')}`);
    }
  });
});

test('A mistake in the environment names its variable.', () => {
  const message = mistakesOf({ env: { PUSHCTL_DELIVERY_THREADS: 'two' } });
  assert.match(message, 'delivery.threads (from PUSHCTL_DELIVERY_THREADS) is "two"');
});

test('A variable that is nearly a setting is refused, and the one that was meant is named.', () => {
  assert.match(mistakesOf({ env: { PUSHCTL_DELIVERY_TTTL: '1h' } }), 'did you mean PUSHCTL_DELIVERY_TTL?');
});

test('Variables that Kubernetes sets for a service named pushctl are let pass.', () => {
  loadConfig({
    env: { PUSHCTL_SERVICE_HOST: '10.0.0.1', PUSHCTL_PORT: 'tcp://10.0.0.1:80', PUSHCTL_PORT_80_TCP: 'x' },
  });
});

test('A setting in the wrong table is led to the right one.', () => {
  withFile('ttl = "1h"', (file) => assert.match(mistakesOf({ env: {}, file }), 'did you mean delivery.ttl?'));
});

test('Broken TOML is told with its line and column, and without the text of the file.', () => {
  withFile('listen = "127.0.0.1:1"\nsecret = "hunter2', (file) => {
    const message = mistakesOf({ env: {}, file });
    assert.match(message, /pushctl\.toml:2:\d+: /);
    assert.not.match(message, 'hunter2');
  });
});

test('A secret that stands where it should not is never shown.', () => {
  const key = '-----BEGIN PRIVATE KEY-----\nMIGT';
  const message = mistakesOf({ env: { PUSHCTL_APNS_KEY_FILE: key, PUSHCTL_APNS_TOPIC: 'pctl_0123_secret' } });
  assert.match(message, 'apns.key_file (from PUSHCTL_APNS_KEY_FILE) is a secret (not shown)');
  assert.not.match(message, 'MIGT');
  assert.not.match(message, '0123_secret');
});

test('A file that cannot be read is an operator problem, with what to do.', () => {
  assert.match(mistakesOf({ env: {}, file: '/nowhere/pushctl.toml' }), 'name another with --config');
  withFile('', (_file, folder) => assert.match(mistakesOf({ env: {}, file: folder }), 'it is a folder'));
});

test('Without TLS a server open to the network needs a trusted proxy in front.', () => {
  assert.match(mistakesOf({ env: { PUSHCTL_LISTEN: '0.0.0.0:80' } }), 'open to the network without encryption');
  loadConfig({ env: { PUSHCTL_LISTEN: '0.0.0.0:80', PUSHCTL_PROXY_TRUSTED: '10.0.0.1' } });
  loadConfig({ env: { PUSHCTL_LISTEN: '0.0.0.0:443', PUSHCTL_TLS_CERT: '/c', PUSHCTL_TLS_KEY: '/k' } });
});

test('Durations outside of what makes sense are refused.', () => {
  assert.match(mistakesOf({ env: { PUSHCTL_RETENTION_EVENTS: '23h' } }), 'expected 24h to 3650d');
  assert.match(mistakesOf({ env: { PUSHCTL_DELIVERY_TTL: '29d' } }), 'expected 1s to 28d');
  assert.match(mistakesOf({ env: { PUSHCTL_RETENTION_EVENTS: '999999d' } }), 'expected a duration');
});

test('What contradicts itself is named beside what is wrong by itself.', () => {
  const said = mistakesOf({
    env: {
      PUSHCTL_LISTEN: '0.0.0.0:80',
      PUSHCTL_DELIVERY_TTL: '29d',
      PUSHCTL_LOG_LEVEL: 'loud',
      PUSHCTL_DELIVERY_THREADS: 'x',
    },
  });
  for (const setting of ['listen is', 'delivery.ttl', 'log.level', 'delivery.threads']) assert.match(said, setting);
  assert.match(said, '4 mistakes');
});

test('Deliveries are never kept longer than their event.', () => {
  const { retention } = loadConfig({ env: { PUSHCTL_RETENTION_EVENTS: '7d' } });
  assert.is(retention.deliveriesMs, retention.eventsMs);
});

test('A bare file name is a systemd credential where there is one of that name.', () => {
  withFile('[fcm]\nservice_account_file = "account.json"\nca_file = "ca.pem"', (file, folder) => {
    const credentials = join(folder, 'credentials');
    mkdirSync(credentials);
    writeFileSync(join(credentials, 'account.json'), '{}');
    const { fcm } = loadConfig({ env: { CREDENTIALS_DIRECTORY: credentials }, file });
    assert.is(fcm?.serviceAccountFile, join(credentials, 'account.json'));
    assert.is(fcm?.caFile, join(folder, 'ca.pem'));
  });
});

test('A bare file name is a credential, too, where systemd took it from the folder of the configuration.', () => {
  withFile('[fcm]\nservice_account_file = "account.json"', (file, folder) => {
    writeFileSync(join(folder, 'pushctl_account.json'), '{}');
    const { fcm } = loadConfig({ env: { CREDENTIALS_DIRECTORY: folder }, file });
    assert.is(fcm?.serviceAccountFile, join(folder, 'pushctl_account.json'));
  });
});

test('A file of /etc/pushctl is a credential, too, as the service cannot look in there.', () => {
  withFile('[fcm]\nservice_account_file = "/etc/pushctl/account.json"\nca_file = "/etc/ssl/ca.pem"', (file, folder) => {
    for (const name of ['account.json', 'ca.pem']) writeFileSync(join(folder, `pushctl_${name}`), '{}');
    const { fcm } = loadConfig({ env: { CREDENTIALS_DIRECTORY: folder }, file });
    assert.is(fcm?.serviceAccountFile, join(folder, 'pushctl_account.json'));
    assert.is(fcm?.caFile, '/etc/ssl/ca.pem');
  });
});

test('The data folder is where systemd, root or the user keeps state.', () => {
  assert.is(
    loadConfig({ env: { STATE_DIRECTORY: '/var/lib/private/x:/other' }, uid: 0 }).dataDir,
    '/var/lib/private/x',
  );
  assert.is(loadConfig({ env: {}, uid: 0 }).dataDir, '/var/lib/pushctl');
  assert.is(loadConfig({ env: { XDG_DATA_HOME: '/xdg' }, uid: 1000 }).dataDir, '/xdg/pushctl');
});

test('Every setting is documented with an example, and a default where it may be left out.', () => {
  for (const setting of listSettings(readSchema())) {
    assert.ok(setting.description && setting.expected && setting.examples.length > 0, setting.path);
  }
});

test('The example configuration is the one that the schema describes, and loads with every line uncommented.', () => {
  const shipped = readFileSync(new URL('../../systemd/pushctl.toml', import.meta.url), 'utf8');
  assert.is(shipped, exampleConfig());
  withFile(shipped.replaceAll(/^#(?! )/gm, ''), (file) => {
    const config = loadConfig({ env: {}, file });
    assert.equal(configuredRoutes(config), ['apns_production', 'apns_sandbox', 'fcm']);
  });
});

function mistakesOf(options: LoadOptions): string {
  try {
    loadConfig(options);
  } catch (error) {
    assert.instance(error, OperatorProblem);
    assert.is((error as OperatorProblem).exitCode, 2);
    return (error as OperatorProblem).message;
  }
  throw new Error('the configuration was accepted');
}

function withFile(text: string, use: (file: string, folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'pushctl-config-'));
  try {
    const file = join(folder, 'pushctl.toml');
    writeFileSync(file, text);
    use(file, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('The size of the data can be bounded, and metrics have a listener on loopback only.', () => {
  const env = { PUSHCTL_RETENTION_MAX_SIZE: '2GiB', PUSHCTL_METRICS_LISTEN: '127.0.0.1:9464' };
  const { retention, metrics } = loadConfig({ env });
  assert.is(retention.maxSizeBytes, 2 * 1024 ** 3);
  assert.equal(metrics, { host: '127.0.0.1', port: 9464 });
  const open = mistakesOf({ env: { PUSHCTL_METRICS_LISTEN: ':9464' } });
  assert.match(open, 'metrics.listen is ":9464": expected a loopback address');
});

test.run();
