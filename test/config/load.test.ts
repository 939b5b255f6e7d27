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
  assert.is(config.metrics, null);
  assert.is(config.limits.linksMemoryBytes, 64 * 1024 * 1024);
  assert.equal([config.baseUrl, config.tls, config.apns, config.fcm], [null, null, null, null]);
  assert.equal(configuredRoutes(config), []);
});

load('A configuration is frozen all the way down.', () => {
  const config = loadConfig({ env: {} });
  assert.throws(() => Object.assign(config.limits, { burstPerMinute: 1 }), TypeError);
});

load('Deliveries are never kept longer than their event.', () => {
  const { retention } = loadConfig({ env: { PUSHCTL_RETENTION_EVENTS: '7d' } });
  assert.is(retention.deliveriesMs, retention.eventsMs);
});

load('The data folder is where systemd, root or the user keeps state.', () => {
  assert.is(
    loadConfig({ env: { STATE_DIRECTORY: '/var/lib/private/x:/other' }, uid: 0 }).dataDir,
    '/var/lib/private/x',
  );
  assert.is(loadConfig({ env: {}, uid: 0 }).dataDir, '/var/lib/pushctl');
  assert.is(loadConfig({ env: { XDG_DATA_HOME: '/xdg' }, uid: 1000 }).dataDir, '/xdg/pushctl');
});

load.run();
