import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listSettings, readConfigSchema } from '../../src/config/settings.ts';
import { showSettings } from '../../src/config/show.ts';
import { OperatorProblem } from '../../src/process/problem.ts';
import { temporaryFolder } from '../support/folder.ts';
import { valuesOf } from '../support/values-of.ts';

const test = suite('config: show');

function fileWith(text: string): string {
  const file = join(temporaryFolder(), 'pushctl.toml');
  writeFileSync(file, text);
  return file;
}

function settingsOf(options: Parameters<typeof showSettings>[0]) {
  const { settings } = showSettings(options);
  return new Map(settings.map(({ setting, ...rest }) => [setting, rest]));
}

test('Each setting shows its value and which source it comes from', () => {
  const file = fileWith(
    'listen = "127.0.0.1:9000"\n[delivery]\nttl = "2h"\n[fcm]\nservice_account_file = "fcm.json"\n',
  );
  const env = { PUSHCTL_DELIVERY_TTL: '3h', PUSHCTL_LIMITS_URL_SCHEMES: 'app,web', HOME: '/home/ada' };
  const shown = settingsOf({ env, file });
  assert.equal(shown.get('listen'), { value: '127.0.0.1:9000', source: 'file', from: file });
  assert.equal(shown.get('delivery.ttl'), { value: '3h', source: 'environment', from: 'PUSHCTL_DELIVERY_TTL' });
  assert.equal(shown.get('limits.url_schemes')?.value, ['app', 'web']);
  assert.equal(shown.get('delivery.retry_max'), { value: '15m', source: 'default', from: null });
  assert.equal(shown.get('fcm.style'), { value: 'data', source: 'default', from: null });
  assert.equal(shown.get('data_dir'), { value: '/home/ada/.local/share/pushctl', source: 'default', from: null });
  assert.equal(settingsOf({ env, file, dataDir: '/srv/push' }).get('data_dir'), {
    value: '/srv/push',
    source: 'option',
    from: '--data-dir',
  });
});

test('Settings of a missing table are unset, and of a file of secrets only the name is shown', () => {
  const file = fileWith('[fcm]\nservice_account_file = "fcm.json"\n');
  const account = join(file, '..', 'fcm.json');
  writeFileSync(account, '{"private_key": "very secret"}');
  const shown = settingsOf({ env: {}, file });
  assert.equal(shown.get('apns.endpoint_production'), { value: null, source: 'unset', from: null });
  assert.equal(shown.get('fcm.service_account_file'), { value: account, source: 'file', from: file });
  assert.not.match(JSON.stringify([...shown]), 'very secret');
});

test('A password in an address is not shown', () => {
  const shown = settingsOf({ env: { PUSHCTL_STORE_URL: 'postgres://ada:s3cret@127.0.0.1/push' }, file: null });
  assert.is(shown.get('store.url')?.value, 'postgres://ada:***@127.0.0.1/push');
});

test('No setting is missing, even without a file', () => {
  const { file, settings } = showSettings({ env: {}, file: null });
  assert.is(file, null);
  assert.equal(
    valuesOf(settings, 'setting'),
    listSettings(readConfigSchema()).map(({ path }) => path),
  );
});

test('A configuration with mistakes is not shown, its mistakes are reported', () => {
  assert.throws(
    () => showSettings({ env: { PUSHCTL_LISTEN: 'here' }, file: null }),
    (error: unknown) => error instanceof OperatorProblem && /listen \(from PUSHCTL_LISTEN\)/.test(error.message),
  );
});

test.run();
