import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { configuredRoutes } from '../../src/config/config.ts';
import { loadConfig, loadConfigFrom } from '../../src/config/load.ts';
import { readablePath } from '../../src/config/named-file.ts';
import { listSettings, readConfigSchema } from '../../src/config/settings.ts';
import { copyPath } from '../../src/config/sources.ts';
import { mistakesOf, withFile } from '../support/config.ts';

const sources = suite('where a configuration comes from');

sources('A file sets its settings, and its relative file names are seen from its own folder.', () => {
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

sources('A variable of the environment wins over the file, and --data-dir over both.', () => {
  withFile('data_dir = "/from-file"\n[delivery]\nttl = "1h"\nthreads = 3', (file) => {
    const env = { PUSHCTL_CONFIG: file, PUSHCTL_DELIVERY_TTL: '2h', PUSHCTL_DATA_DIR: '/from-env' };
    const config = loadConfig({ env });
    assert.equal([config.delivery.ttlMs, config.delivery.threads, config.dataDir], [7_200_000, 3, '/from-env']);
    assert.is(loadConfig({ env, dataDir: '/from-option' }).dataDir, '/from-option');
  });
});

sources('Lists in the environment are separated by commas, and an empty variable counts as absent.', () => {
  const env = { PUSHCTL_PROXY_TRUSTED: '10.0.0.0/8, ::1', PUSHCTL_LISTEN: ':9000', PUSHCTL_BASE_URL: '' };
  const config = loadConfig({ env });
  assert.equal(config.proxy.trusted, ['10.0.0.0/8', '::1']);
  assert.equal(config.listen, { host: '::', port: 9000 });
});

sources('Every setting is read from its variable.', () => {
  for (const { path, variable, kind } of listSettings(readConfigSchema())) {
    const wrong = kind === 'array' ? '/' : kind === 'integer' ? 'many' : '\u0000';
    assert.match(mistakesOf({ env: { [variable]: wrong } }), path, `${variable} was not looked at`);
  }
});

sources('A variable that is nearly a setting is refused, and the one that was meant is named.', () => {
  assert.match(mistakesOf({ env: { PUSHCTL_DELIVERY_TTTL: '1h' } }), 'did you mean PUSHCTL_DELIVERY_TTL?');
});

sources('Variables that Kubernetes sets for a service named pushctl are let pass.', () => {
  loadConfig({
    env: { PUSHCTL_SERVICE_HOST: '10.0.0.1', PUSHCTL_PORT: 'tcp://10.0.0.1:80', PUSHCTL_PORT_80_TCP: 'x' },
  });
});

sources('Broken TOML is reported with its line and column, and without the text of the file.', () => {
  withFile('listen = "127.0.0.1:1"\nsecret = "hunter2', (file) => {
    const message = mistakesOf({ env: {}, file });
    assert.match(message, /pushctl\.toml:2:\d+: /);
    assert.not.match(message, 'hunter2');
  });
});

sources('A file that cannot be read is an operator problem, with what to do.', () => {
  assert.match(mistakesOf({ env: {}, file: '/nowhere/pushctl.toml' }), 'set another with --config');
  withFile('', (_file, folder) => assert.match(mistakesOf({ env: {}, file: folder }), 'it is a folder'));
});

sources(
  'A service knows the place of the copies that root made for it, and keeps to the names of the operator.',
  () => {
    withFile('', (file, folder) => {
      const named = '[fcm]\nservice_account_file = "account.json"\nca_file = "/etc/ssl/ca.pem"';
      const copies = join(folder, 'copies');
      mkdirSync(copies);
      writeFileSync(join(copies, 'pushctl.toml'), named);
      const copy = copyPath(copies, 'fcm.service_account_file', join(folder, 'account.json'));
      writeFileSync(copy, '{}');
      const { config, file: shown } = loadConfigFrom({ env: { PUSHCTL_HANDED_OVER: copies }, file });
      assert.is(shown, file);
      assert.is(config.fcm?.serviceAccountFile, join(folder, 'account.json'));
      assert.is(readablePath(config, join(folder, 'account.json')), copy);
      assert.is(readablePath(config, '/etc/ssl/ca.pem'), '/etc/ssl/ca.pem', 'of which there is no copy');
    });
  },
);

sources('A file that the environment names is not taken for the one of which there is a copy.', () => {
  withFile('[fcm]\nservice_account_file = "account.json"', (file, folder) => {
    writeFileSync(copyPath(folder, 'fcm.service_account_file', join(folder, 'account.json')), '{}');
    const env = { PUSHCTL_HANDED_OVER: folder, PUSHCTL_FCM_SERVICE_ACCOUNT_FILE: '/srv/other.json' };
    assert.is(readablePath(loadConfig({ env, file }), '/srv/other.json'), '/srv/other.json');
  });
});

sources.run();
