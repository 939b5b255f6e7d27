import { chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../../src/config/load.ts';
import { listSettings, readConfigSchema } from '../../../src/config/settings.ts';
import { pauseFindings } from '../../../src/health/findings.ts';
import { withoutRepeats } from '../../../src/host/doctor/causes.ts';
import { checkDataFolder, checkNamedFiles } from '../../../src/host/doctor/files.ts';
import { examineConfig } from '../../../src/host/doctor/gather.ts';
import { systemClock } from '../../../src/process/clock.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { skipWhere } from '../../support/skip.ts';

test('Every file that the configuration can name is looked for', () => {
  const files = listSettings(readConfigSchema()).filter(({ type }) => type === 'file');
  const required = {
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
    const found = checkNamedFiles(loadConfig({ env, file: null }), null);
    return found.map(({ status, message }) => `${status} ${message}`);
  };
  // A certificate is either in files or the server's own, which a database of several machines cannot have.
  const found = [
    ...missingIn((path) => !path.startsWith('tls.acme.'), required),
    ...missingIn((path) => path.startsWith('tls.acme.'), { PUSHCTL_TLS_ACME_DOMAINS: 'push.example.com' }),
  ];
  for (const { path } of files) {
    assert.ok(
      found.some((text) => new RegExp(`^fail .*[ /]${path.replaceAll('.', '\\.')}\\b`).test(text)),
      path,
    );
  }
});

test('A missing key folder is one finding that names the affected settings', () => {
  const folder = join(temporaryFolder(), 'keys');
  const env = {
    PUSHCTL_APNS_KEY_FILE: join(folder, 'apns.p8'),
    PUSHCTL_APNS_KEY_ID: 'ABC123DEFG',
    PUSHCTL_APNS_TEAM_ID: 'DEF123GHIJ',
    PUSHCTL_APNS_TOPIC: 'com.example.app',
    PUSHCTL_FCM_SERVICE_ACCOUNT_FILE: join(folder, 'fcm.json'),
    PUSHCTL_TLS_CERT: join(folder, 'tls.crt'),
    PUSHCTL_TLS_KEY: join(folder, 'tls.key'),
    PUSHCTL_DATA_DIR: temporaryFolder(),
  };
  const config = loadConfig({ env, file: null });
  const reason = `apns.key_file: ${env.PUSHCTL_APNS_KEY_FILE} does not exist.`;
  const pause = { kind: 'off', reason, since: '2026-11-22T01:00:00.000+00:00' };
  const paused = pauseFindings([{ route: 'apns_production', pause }], Date.now());
  const all = [...examineConfig({ config, file: null, clock: systemClock() }), ...paused];
  const [finding, ...more] = withoutRepeats(all).filter(({ status }) => status !== 'ok');
  assert.equal(more, []);
  const settings = 'apns.key_file, fcm.service_account_file, tls.cert, tls.key';
  assert.ok(
    finding?.message.startsWith(`the folder ${folder} does not exist; it should hold ${settings}; `),
    finding?.message,
  );
  assert.match(finding?.message ?? '', /; affected: certificate, apns, fcm, apns_production$/);

  mkdirSync(folder);
  const faults = checkNamedFiles(config, null).filter(({ status }) => status !== 'ok');
  assert.equal(
    faults.map(({ message }) => message),
    ['apns.p8', 'fcm.json', 'tls.crt', 'tls.key'].map((name) => `${join(folder, name)} does not exist`),
  );
});

skipWhere(process.getuid?.() === 0 ? null : 'needs root', test)(
  "A file of root's in the data folder is a warning with the line that fixes it, another user's a failure",
  () => {
    const folder = temporaryFolder();
    const file = join(folder, 'pushctl.db');
    writeFileSync(file, '');
    // A file system of its own has it.
    mkdirSync(join(folder, 'lost+found'));
    chownSync(folder, 4711, 4711);
    const [roots] = checkDataFolder(folder);
    assert.equal([roots?.status, roots?.advice], ['warn', `chown -hR --reference=${folder} ${folder}`]);
    assert.match(roots?.message ?? '', `${file} belongs to root`);
    chownSync(file, 4712, 4712);
    assert.is(checkDataFolder(folder)[0]?.status, 'fail');
    rmSync(file);
    assert.is(checkDataFolder(folder)[0]?.status, 'ok');
  },
);

test.run();
