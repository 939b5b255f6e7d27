import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../src/config/load.ts';
import { sharedSettings } from '../../src/server/status.ts';

const test = suite('settings that machines share');

const TABLES = { PUSHCTL_WEBPUSH_CONTACT: 'mailto:ops@example.com', PUSHCTL_FCM_SERVICE_ACCOUNT_FILE: '/etc/fcm.json' };
const shared = (env: Record<string, string>) => sharedSettings(loadConfig({ env: { ...TABLES, ...env } }));

test('they have the names of the file, and values as they are written there', () => {
  const settings = shared({ PUSHCTL_WEBPUSH_HOSTS: 'b.example.com,a.example.com' });
  assert.is(settings['webpush.contact'], 'mailto:ops@example.com');
  assert.is(settings['webpush.hosts'], 'a.example.com, b.example.com');
  assert.is(settings['limits.burst_per_minute'], '60');
  assert.is(settings['retention.events'], '90d');
  assert.is(settings['delivery.retry_first'], '5s');
  assert.is(settings.fcm, 'on');
  assert.is(settings.apns, 'off');
});

test('the settings of one machine alone are not shared, and neither is the name of a file', () => {
  const machine = shared({});
  const other = shared({
    PUSHCTL_DATA_DIR: '/elsewhere',
    PUSHCTL_LISTEN: '127.0.0.1:9999',
    PUSHCTL_LIMITS_LINKS_MEMORY: '1GiB',
    PUSHCTL_DELIVERY_THREADS: '7',
    PUSHCTL_DELIVERY_STOP_TIMEOUT: '10s',
    PUSHCTL_FCM_SERVICE_ACCOUNT_FILE: '/elsewhere/fcm.json',
  });
  assert.equal(other, machine);
});

test.run();
