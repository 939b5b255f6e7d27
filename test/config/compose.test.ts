import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../src/config/load.ts';
import { composeSettings } from '../support/compose.ts';

const test = suite('config: compose');

test('The settings of the compose file are a configuration, and its examples are settings', () => {
  const { listen, baseUrl, proxy } = loadConfig({ env: composeSettings(), file: null });
  assert.equal(listen, { host: '0.0.0.0', port: 8080 });
  assert.equal([baseUrl, proxy.trusted.length], ['http://127.0.0.1:8080/api', 1]);
  const { webpush, apns, fcm } = loadConfig({ env: composeSettings({ examples: true }), file: null });
  assert.ok(webpush && apns && fcm);
});

test.run();
