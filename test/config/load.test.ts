import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { configuredRoutes } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load.ts';

const load = suite('a configuration');

load('Without a file and a variable every setting has its default.', () => {
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
  assert.equal(config.metrics, { listen: null });
  assert.is(config.limits.linksMemoryBytes, 64 * 1024 * 1024);
  assert.equal([config.baseUrl, config.tls, config.apns, config.fcm], [null, null, null, null]);
  assert.equal(configuredRoutes(config), []);
});

load('A setting has the name of the file in camelCase, with the unit that it is converted to.', () => {
  const { limits, retention, metrics, delivery, apns, fcm, tls } = loadConfig({
    env: {
      PUSHCTL_TLS_CERT: '/tls/cert',
      PUSHCTL_TLS_KEY: '/tls/key',
      PUSHCTL_LIMITS_URL_SCHEMES: 'app',
      PUSHCTL_LIMITS_LINKS_MEMORY: '1MiB',
      PUSHCTL_RETENTION_MAX_SIZE: '2GiB',
      PUSHCTL_METRICS_LISTEN: '[::1]:9464',
      PUSHCTL_DELIVERY_RETRY_BUSY_FIRST: '30s',
      PUSHCTL_APNS_KEY_FILE: '/apns.p8',
      PUSHCTL_APNS_KEY_ID: 'ABC123DEFG',
      PUSHCTL_APNS_TEAM_ID: 'DEF123GHIJ',
      PUSHCTL_APNS_TOPIC: 'com.example.app',
      PUSHCTL_FCM_SERVICE_ACCOUNT_FILE: '/fcm.json',
      PUSHCTL_FCM_CA_FILE: '/ca.pem',
    },
  });
  assert.equal(tls, { cert: '/tls/cert', key: '/tls/key', acme: null });
  assert.equal([limits.urlSchemes, limits.linksMemoryBytes, limits.devices], [['app'], 1024 ** 2, 50]);
  assert.is(retention.maxSizeBytes, 2 * 1024 ** 3);
  assert.equal(metrics, { listen: { host: '::1', port: 9464 } });
  assert.is(delivery.retryBusyFirstMs, 30_000);
  assert.equal(apns, {
    keyFile: '/apns.p8',
    keyId: 'ABC123DEFG',
    teamId: 'DEF123GHIJ',
    topic: 'com.example.app',
    topics: [],
    endpointProduction: 'https://api.push.apple.com',
    critical: false,
    endpointSandbox: 'https://api.sandbox.push.apple.com',
    caFile: null,
  });
  assert.equal(fcm, {
    serviceAccountFile: '/fcm.json',
    style: 'data',
    perMinute: 600_000,
    endpoint: 'https://fcm.googleapis.com',
    tokenEndpoint: 'https://oauth2.googleapis.com/token',
    caFile: '/ca.pem',
  });
});

load('A configuration is frozen all the way down.', () => {
  const config = loadConfig({ env: {} });
  assert.throws(() => Object.assign(config.limits, { burstPerMinute: 1 }), TypeError);
});

load('Deliveries are never kept longer than their event.', () => {
  const { retention } = loadConfig({ env: { PUSHCTL_RETENTION_EVENTS: '7d' } });
  assert.is(retention.deliveriesMs, retention.eventsMs);
});

load('The data folder is in the place that systemd, root or the user keeps state in.', () => {
  assert.is(
    loadConfig({ env: { STATE_DIRECTORY: '/var/lib/private/x:/other' }, uid: 0 }).dataDir,
    '/var/lib/private/x',
  );
  assert.is(loadConfig({ env: {}, uid: 0 }).dataDir, '/var/lib/pushctl');
  assert.is(loadConfig({ env: { XDG_DATA_HOME: '/xdg' }, uid: 1000 }).dataDir, '/xdg/pushctl');
});

load.run();
