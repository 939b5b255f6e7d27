import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../../src/config/load.ts';
import { listSettings, readConfigSchema } from '../../../src/config/settings.ts';
import { checkNamedFiles } from '../../../src/host/doctor/files.ts';

test('Every file that the configuration can name is looked for', () => {
  const files = listSettings(readConfigSchema()).filter(({ type }) => type === 'file');
  const beside = {
    PUSHCTL_STORE_URL: 'postgres://pushctl@db.example.com/pushctl?sslmode=verify-full',
    PUSHCTL_APNS_KEY_ID: 'ABC123DEFG',
    PUSHCTL_APNS_TEAM_ID: 'DEF123GHIJ',
    PUSHCTL_APNS_TOPIC: 'com.example.app',
    PUSHCTL_WEBPUSH_CONTACT: 'mailto:ops@example.com',
    PUSHCTL_OIDC_ISSUER: 'https://id.example.com',
    PUSHCTL_OIDC_CLIENT_ID: 'pushctl',
  };
  const missingIn = (isNamed: (path: string) => boolean, more: Record<string, string>): string[] => {
    const named = files.filter(({ path }) => isNamed(path));
    const env = { ...more, ...Object.fromEntries(named.map(({ path, variable }) => [variable, `/nowhere/${path}`])) };
    return checkNamedFiles(loadConfig({ env, file: null }), null).map(({ status, check }) => `${status} ${check}`);
  };
  // A certificate is either in files or the server's own, which a database of several machines cannot have.
  const found = [
    ...missingIn((path) => !path.startsWith('tls.acme.'), beside),
    ...missingIn((path) => path.startsWith('tls.acme.'), { PUSHCTL_TLS_ACME_DOMAINS: 'push.example.com' }),
  ];
  assert.equal(found.sort(), files.map(({ path }) => `fail ${path}`).sort());
});

test.run();
