import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../src/config/load.ts';
import { mistakesOf, withFile } from '../support/config.ts';

const check = suite('mistakes in a configuration');

check('Each way to write an address to listen on is understood.', () => {
  const listen = (text: string) => loadConfig({ env: { PUSHCTL_LISTEN: text, PUSHCTL_PROXY_TRUSTED: '::1' } }).listen;
  assert.equal(listen('[::1]:8080'), { host: '::1', port: 8080 });
  assert.equal(listen('localhost:0'), { host: 'localhost', port: 0 });
  assert.equal(listen(':80'), { host: '::', port: 80 });
  for (const wrong of ['8080', '127.0.0.1', '::1:8080', '127.0.0.1:70000', '[nope]:1', 'a b:1']) {
    assert.match(mistakesOf({ env: { PUSHCTL_LISTEN: wrong } }), 'expected an address and a port');
  }
});

check('All mistakes are named at once, each with its line, its path, its value and the expected values.', () => {
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
      'line 2: listne: no such setting; did you mean listen?',
      'line 3: base_url is "https://push.example.com": expected an http or https address that ends with /api',
      'line 5: delivery.ttl is "5 days": expected a duration such as 200ms, 30s, 15m, 24h or 90d',
      'line 6: delivery.threads is 0: expected a whole number from 1 to 64',
      'line 8: limits.url_schemes[0] is "javascript": expected a URL scheme without its colon, such as myapp',
      'line 10: apns.topic is 5: expected a bundle ID',
      'line 11: apns.keyfile: no such setting; did you mean apns.key_file?',
      'line 9: apns.key_id is missing: expected 10 capital letters and digits, for example "ABC123DEFG"',
      'line 13: proxy.trusted[0] is "10.0.0.0/99": expected an IP address or a network such as 10.0.0.0/8',
    ]) {
      assert.ok(lines.includes(expected), `missing: ${expected}\nin: ${lines.join('\n')}`);
    }
  });
});

check('An address that cannot be one is a mistake, though it looks like one.', () => {
  const acme = { PUSHCTL_LISTEN: ':443', PUSHCTL_TLS_ACME_DOMAINS: 'push.example.com' };
  for (const address of ['https://push.example.com:99999', 'https://push.example.com:port', 'https://:443']) {
    for (const [name, env] of [
      ['base_url', { PUSHCTL_BASE_URL: `${address}/api` }],
      ['tls.acme.directory', { ...acme, PUSHCTL_TLS_ACME_DIRECTORY: `${address}/directory` }],
      ['watchdog.url', { PUSHCTL_WATCHDOG_URL: `${address}/ping` }],
      ['fcm.endpoint', { PUSHCTL_FCM_ENDPOINT: address }],
      ['fcm.token_endpoint', { PUSHCTL_FCM_TOKEN_ENDPOINT: `${address}/token` }],
    ] as const) {
      const mistake = mistakesOf({ env })
        .split('\n')
        .find((line) => line.startsWith(`  ${name} `));
      assert.match(mistake ?? '', /is "https:.*: expected an https? /, `${name}: ${address}`);
    }
  }
});

check('A mistake in the environment names its variable.', () => {
  const message = mistakesOf({ env: { PUSHCTL_DELIVERY_THREADS: 'two' } });
  assert.match(message, 'delivery.threads (from PUSHCTL_DELIVERY_THREADS) is "two"');
});

check('Backups at a time of day are whole days apart, and PostgreSQL makes its own.', () => {
  const backup = (text: string) => `[backup]\nfolder = "/var/backups/pushctl"\n${text}`;
  withFile(backup(''), (file) => {
    const expected = { folder: '/var/backups/pushctl', at: null, everyMs: 86_400_000, keep: 14 };
    assert.equal(loadConfig({ env: {}, file }).backup, expected);
    const env = { PUSHCTL_STORE_URL: 'postgres://pushctl@localhost/push' };
    assert.match(mistakesOf({ env, file }), 'backup.folder is "/var/backups/pushctl": expected none with [store] url');
  });
  for (const [text, expected] of [
    ['at = "24:00"', 'backup.at is "24:00": expected a time of day such as 03:00'],
    ['at = "03:00"\nevery = "36h"', 'backup.every is "36h": expected whole days with backup.at'],
    ['every = "30m"', 'backup.every is "30m": expected 1h to 90d'],
    ['keep = 0', 'backup.keep is 0: expected a whole number from 1'],
  ] as const)
    withFile(backup(text), (file) => assert.match(mistakesOf({ env: {}, file }), expected));
  withFile('[backup]\nat = "03:00"', (file) => assert.match(mistakesOf({ env: {}, file }), 'backup.folder is missing'));
  withFile('[backup]\nfolder = "backups"', (file) => assert.match(mistakesOf({ env: {}, file }), 'from the root on'));
  assert.is(loadConfig({ env: {}, file: null }).backup, null);
});

check('A setting in the wrong table is led to the right one.', () => {
  withFile('ttl = "1h"', (file) => assert.match(mistakesOf({ env: {}, file }), 'did you mean delivery.ttl?'));
});

check('A setting of no table that stands in one is led above the first.', () => {
  withFile('[metrics]\nbase_url = "http://127.0.0.1/api"', (file) =>
    assert.match(
      mistakesOf({ env: {}, file }),
      'metrics.base_url: no such setting; base_url is set above the first [table]',
    ),
  );
  withFile('[fcm]\nlisten = "127.0.0.1:8081"', (file) =>
    assert.match(mistakesOf({ env: {}, file }), 'fcm.listen: no such setting; listen is set above the first [table]'),
  );
});

check('A secret in the wrong place is never shown.', () => {
  const key = '-----BEGIN PRIVATE KEY-----\nMIGT';
  const message = mistakesOf({ env: { PUSHCTL_APNS_KEY_FILE: key, PUSHCTL_APNS_TOPIC: 'pctl_0123_secret' } });
  assert.match(message, 'apns.key_file (from PUSHCTL_APNS_KEY_FILE) is a secret (not shown)');
  assert.not.match(message, 'MIGT');
  assert.not.match(message, '0123_secret');
});

check('Without TLS a server open to the network needs a trusted proxy in front.', () => {
  assert.match(mistakesOf({ env: { PUSHCTL_LISTEN: '0.0.0.0:80' } }), 'open to the network without encryption');
  loadConfig({ env: { PUSHCTL_LISTEN: '0.0.0.0:80', PUSHCTL_PROXY_TRUSTED: '10.0.0.1' } });
  loadConfig({ env: { PUSHCTL_LISTEN: '0.0.0.0:443', PUSHCTL_TLS_CERT: '/c', PUSHCTL_TLS_KEY: '/k' } });
});

check('Durations out of bounds are refused.', () => {
  assert.match(mistakesOf({ env: { PUSHCTL_RETENTION_EVENTS: '23h' } }), 'expected 24h to 3650d');
  assert.match(mistakesOf({ env: { PUSHCTL_DELIVERY_TTL: '29d' } }), 'expected 1s to 28d');
  assert.match(mistakesOf({ env: { PUSHCTL_RETENTION_EVENTS: '999999d' } }), 'expected a duration');
});

check('Settings that contradict each other are named beside those that are wrong by themselves.', () => {
  const mistakes = mistakesOf({
    env: {
      PUSHCTL_LISTEN: '0.0.0.0:80',
      PUSHCTL_DELIVERY_TTL: '29d',
      PUSHCTL_LOG_LEVEL: 'loud',
      PUSHCTL_DELIVERY_THREADS: 'x',
    },
  });
  for (const setting of ['listen is', 'delivery.ttl', 'log.level', 'delivery.threads']) assert.match(mistakes, setting);
  assert.match(mistakes, '4 mistakes');
});

check('The size of the data can be bounded, and metrics have a listener on loopback only.', () => {
  const env = { PUSHCTL_RETENTION_MAX_SIZE: '2GiB', PUSHCTL_METRICS_LISTEN: '127.0.0.1:9464' };
  const { retention, metrics } = loadConfig({ env });
  assert.is(retention.maxSizeBytes, 2 * 1024 ** 3);
  assert.equal(metrics.listen, { host: '127.0.0.1', port: 9464 });
  for (const host of ['localhost', '[::1]', '127.1.2.3'])
    assert.is(loadConfig({ env: { PUSHCTL_METRICS_LISTEN: `${host}:9464` } }).metrics.listen?.port, 9464);
  for (const open of [':9464', '127.example.com:9464', '[::2]:9464']) {
    const mistakes = mistakesOf({ env: { PUSHCTL_METRICS_LISTEN: open } });
    assert.match(mistakes, `metrics.listen is "${open}": expected a loopback address`);
  }
});

check(
  'Each listener decides by itself if it may be open to the network, since encryption of one does not protect another.',
  () => {
    const open = { listen: 'PUSHCTL_LISTEN', metrics: 'PUSHCTL_METRICS_LISTEN', smtp: 'PUSHCTL_SENDERS_SMTP_LISTEN' };
    const protections = {
      nothing: {},
      tls: { PUSHCTL_TLS_CERT: '/c', PUSHCTL_TLS_KEY: '/k' },
      proxy: { PUSHCTL_PROXY_TRUSTED: '10.0.0.1' },
      senders: { PUSHCTL_SENDERS_SMTP_UNENCRYPTED_FROM: '10.0.0.0/8' },
    };
    const allowed = { listen: ['tls', 'proxy'], metrics: [], smtp: ['tls', 'senders'] };
    for (const [listener, variable] of Object.entries(open)) {
      const fine = Object.entries(protections).filter(([, more]) => {
        const env = { PUSHCTL_LISTEN: '127.0.0.1:8080', ...more, [variable]: '0.0.0.0:9464' };
        try {
          loadConfig({ env, file: null });
          return true;
        } catch (error) {
          const name = { listen: 'listen', metrics: 'metrics.listen', smtp: 'senders.smtp.listen' }[listener];
          assert.match((error as Error).message, `${name} `);
          return false;
        }
      });
      assert.equal(
        fine.map(([what]) => what),
        allowed[listener as keyof typeof allowed],
        listener,
      );
    }
  },
);

check.run();
