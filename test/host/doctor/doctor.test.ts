import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../../src/config/load.ts';
import { examine } from '../../../src/host/doctor/doctor.ts';
import { askServer } from '../../../src/host/doctor/server.ts';
import { systemClock } from '../../../src/process/clock.ts';
import type { Finding } from '../../../src/process/finding.ts';
import { packageVersion } from '../../../src/process/package.ts';
import { ROUTES } from '../../../src/push.ts';
import { restoreCredentials } from '../../../src/sandbox/credentials.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { Resources } from '../../support/resources.ts';
import type { Sandbox } from '../../support/sandbox/start.ts';
import { aSandbox } from '../../support/sandbox.ts';
import { type Env, serverEnv, startTestServer } from '../../support/server.ts';
import { skipWhere } from '../../support/skip.ts';
import { valuesOf } from '../../support/values-of.ts';

test('If all is well, each finding says so, and the sandbox is not taken for Apple and Google', async () => {
  await using opened = new Resources();
  const { env, server } = await startTestServer(opened);
  const { port } = new URL(server.url);
  const findings = await examined({ ...env, PUSHCTL_LISTEN: `127.0.0.1:${port}` });
  // Checks of the machine, and of the age of a checkout.
  const apart = ['disk', 'systemd', 'version', ...ROUTES];
  const troubles = findings.filter(({ status, check }) => status !== 'ok' && !apart.includes(check));
  assert.equal(troubles, []);
  const isAnother = (vendor: string) => `^127\\.0\\.0\\.1:\\d+ \\(not ${vendor}'s\\) `;
  for (const [route, says, setting] of [
    ['apns_production', `${isAnother('Apple')}accepts pushes with this key$`, 'apns.endpoint_production'],
    ['apns_sandbox', `${isAnother('Apple')}accepts pushes with this key$`, 'apns.endpoint_sandbox'],
    ['fcm', `${isAnother('Google')}accepts this service account$`, 'fcm.endpoint'],
    ['webpush_google', `${isAnother('Google')}can be reached$`, 'webpush.endpoints'],
    ['webpush_mozilla', `${isAnother('Mozilla')}can be reached$`, 'webpush.endpoints'],
    ['webpush_apple', `${isAnother('Apple')}can be reached$`, 'webpush.endpoints'],
    ['webpush_microsoft', `${isAnother('Microsoft')}can be reached$`, 'webpush.endpoints'],
    ['webpush_other', `${isAnother('push.example.net')}can be reached$`, 'webpush.endpoints'],
  ] as const) {
    const { status, message, advice } = found(findings, route);
    assert.is(status, 'warn');
    assert.match(message, new RegExp(says));
    assert.match(advice ?? '', setting);
  }
  assert.match(messageOf(findings, 'clock'), /^agrees with 127\.0\.0\.1:\d+ \(not Apple's\)/);
  assert.is(messageOf(findings, 'server'), `runs and answers on 127.0.0.1 port ${port}`);
  assert.match(messageOf(findings, 'database'), 'is whole');
});

test('A service that systemd restarts again and again does not stay up, also if it is met as it starts', async () => {
  await using opened = new Resources();
  const { env } = await startTestServer(opened);
  const config = loadConfig({ env: { ...env, PUSHCTL_LISTEN: '127.0.0.1:1' } });
  const {
    findings: [met],
  } = await askServer(config, packageVersion(), { isRestarting: false, held: null });
  assert.match(met?.message ?? '', 'does not answer');
  const restarting = await askServer(config, packageVersion(), { isRestarting: true, held: null });
  assert.equal(valuesOf(restarting.findings, 'status', 'message'), ['fail does not stay up']);
});

test('No push reaches a device', () =>
  withSandbox(async (sandbox, env) => {
    await examined(env);
    assert.equal(sandbox.pushes, []);
  }));

test('A key that Apple does not know is found, with what to do', () =>
  withSandbox(async (_, env) => {
    const stranger = join(temporaryFolder(), 'stranger.p8');
    writeFileSync(stranger, (await restoreCredentials(null, Date.now())).apnsKey.pem, { mode: 0o600 });
    const findings = await examined({ ...env, PUSHCTL_APNS_KEY_FILE: stranger });
    const { status, message, advice } = found(findings, 'apns_production');
    assert.is(status, 'fail');
    assert.match(message, /^InvalidProviderToken: /);
    assert.match(advice ?? '', 'key_id');
    assert.match(messageOf(findings, 'fcm'), 'accepts this');
  }));

test('A service account without its project is found', () =>
  withSandbox(async (_, env) => {
    const findings = await examined({ ...env, ...anotherAccount(env, { project_id: 'elsewhere' }) });
    assert.is(found(findings, 'fcm').status, 'fail');
    assert.match(messageOf(findings, 'fcm'), /^NOT_FOUND/);
  }));

test('A service account that Google refuses is found', () =>
  withSandbox(async (_, env) => {
    const findings = await examined({ ...env, ...anotherAccount(env, { client_email: 'nobody@example.com' }) });
    assert.match(messageOf(findings, 'fcm'), /^access_token_refused: /);
  }));

test('A file that is no key is found, and nothing of its content is shown', () =>
  withSandbox(async (_, env) => {
    const file = join(temporaryFolder(), 'key.p8');
    writeFileSync(file, 'hunter2', { mode: 0o600 });
    const findings = await examined({ ...env, PUSHCTL_APNS_KEY_FILE: file });
    assert.is(found(findings, 'apns').status, 'fail');
    assert.match(messageOf(findings, 'apns'), 'not a private key');
    assert.not.match(JSON.stringify(findings), 'hunter2');
  }));

test('A provider that cannot be reached is found', () =>
  withSandbox(async (sandbox, env) => {
    await sandbox.setOutage('apns_production', 'refused');
    const findings = await examined(env);
    assert.match(messageOf(findings, 'apns_production'), /^connect_failed \(127.0.0.1:\d+: ECONNREFUSED 127.0.0.1\): /);
    assert.match(messageOf(findings, 'apns_sandbox'), 'accepts pushes');
  }));

test('Something that takes a push for no device is suspicious', async () => {
  await using sandbox = await aSandbox({ acceptUnknownTokens: true });
  const findings = await examined(await serverEnv(sandbox));
  assert.is(found(findings, 'apns_production').status, 'warn');
});

for (const [off, ms, status] of [
  ['a minute behind', -60_000, 'warn'],
  ['an hour ahead', 3_600_000, 'fail'],
] as const) {
  test(`A clock that is ${off} is found`, () =>
    withSandbox(async (_, env) => {
      const clock = systemClock();
      const findings = await examined(env, { ...clock, wallMs: () => clock.wallMs() + ms });
      assert.is(found(findings, 'clock').status, status);
      assert.match(messageOf(findings, 'clock'), ms > 0 ? 'ahead of' : 'behind');
      assert.is(findings.filter(({ check }) => check === 'clock').length, 1, 'by all providers');
    }));
}

test('No secret is in the findings, in any failure', () =>
  withSandbox(async (sandbox, env) => {
    const secrets = [sandbox.apnsKey.pem, sandbox.serviceAccount.private_key].flatMap((pem) =>
      pem.split('\n').slice(1, -2),
    );
    for (const broken of [
      {},
      { PUSHCTL_APNS_KEY_ID: 'AAAAAAAAAA' },
      anotherAccount(env, { project_id: 'elsewhere' }),
    ]) {
      const findings = JSON.stringify(await examined({ ...env, ...broken }));
      for (const secret of secrets) assert.not(findings.includes(secret));
    }
  }));

test('A key file that others can read is a warning, one that they can change a failure', () =>
  withSandbox(async (_, env) => {
    const file = String(env.PUSHCTL_APNS_KEY_FILE);
    chmodSync(file, 0o644);
    assert.is(found(await examined(env), 'apns.key_file').status, 'warn');
    chmodSync(file, 0o666);
    assert.is(found(await examined(env), 'apns.key_file').status, 'fail');
  }));

skipWhere(process.getuid?.() === 0 ? null : 'needs root', test)(
  'A key file that root can read and the user of the service cannot is a failure',
  () =>
    withSandbox(async (_, env) => {
      chownSync(String(env.PUSHCTL_DATA_DIR), 4711, 4711);
      assert.match(messageOf(await examined(env), 'apns.key_file'), 'the user of the service may not read');
      chownSync(String(env.PUSHCTL_APNS_KEY_FILE), 4711, 4711);
      chmodSync(dirname(String(env.PUSHCTL_APNS_KEY_FILE)), 0o755);
      assert.is(found(await examined(env), 'apns.key_file').status, 'ok');
    }),
);

test('A data folder that others can enter is a failure', async () => {
  const dataDir = temporaryFolder();
  chmodSync(dataDir, 0o755);
  const finding = found(await examined({ PUSHCTL_DATA_DIR: dataDir }), 'data folder');
  assert.is(finding.status, 'fail');
  assert.is(finding.advice, `chmod 700 ${dataDir}`);
});

test('A damaged database is found', async () => {
  const dataDir = temporaryFolder();
  writeFileSync(join(dataDir, 'pushctl.db'), 'no database at all, but long enough to look like one'.repeat(99));
  const finding = found(await examined({ PUSHCTL_DATA_DIR: dataDir }), 'database');
  assert.is(finding.status, 'fail');
  assert.match(finding.message, 'is not an SQLite database');
});

test('Without a provider, and before the first start, nothing is wrong yet', async () => {
  const dataDir = join(temporaryFolder(), 'later');
  const findings = await examined({ PUSHCTL_DATA_DIR: dataDir });
  assert.equal(
    findings.filter(({ status, check }) => status === 'fail' && !['disk', 'server'].includes(check)),
    [],
  );
  assert.is(found(findings, 'providers').status, 'warn');
});

test('A port that something else has taken is found', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as { port: number };
  const findings = await examined({ PUSHCTL_DATA_DIR: temporaryFolder(), PUSHCTL_LISTEN: `127.0.0.1:${port}` });
  other.close();
  assert.is(found(findings, 'server').status, 'fail');
  assert.match(messageOf(findings, 'server'), 'EADDRINUSE');
});

test.run();

/** Reads these settings alone: neither a configuration file nor the environment of the test. */
function examined(env: Env, clock = systemClock()): Promise<readonly Finding[]> {
  const config = loadConfig({ env, file: null });
  return examine({ config, file: null, version: packageVersion(), clock });
}

async function withSandbox(test: (sandbox: Sandbox, env: Env) => Promise<void>): Promise<void> {
  await using sandbox = await aSandbox();
  await test(sandbox, await serverEnv(sandbox));
}

/** The setting for a service account file with other words in it. */
function anotherAccount(env: Env, changed: Env): Env {
  const account: unknown = JSON.parse(readFileSync(String(env.PUSHCTL_FCM_SERVICE_ACCOUNT_FILE), 'utf8'));
  const folder = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'account.json');
  writeFileSync(file, JSON.stringify({ ...(account as object), ...changed }), { mode: 0o600 });
  return { PUSHCTL_FCM_SERVICE_ACCOUNT_FILE: file };
}

function found(findings: readonly Finding[], check: string): Finding {
  const finding = findings.find((finding) => finding.check === check);
  if (finding === undefined) throw new Error(`no finding about ${check} in ${JSON.stringify(findings, null, 1)}`);
  return finding;
}

function messageOf(findings: readonly Finding[], check: string): string {
  return found(findings, check).message;
}
