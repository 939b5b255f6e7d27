import { once } from 'node:events';
import { appendFileSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { pino } from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeAuthority, makeServerCertificate } from '../../src/sandbox/credentials.ts';
import { Renewals } from '../../src/server/credential-rotation.ts';
import { concurrently } from '../support/concurrently.ts';
import { temporaryFolder } from '../support/folder.ts';
import { plainRequest } from '../support/plain-request.ts';
import { Resources } from '../support/resources.ts';
import { aSandbox } from '../support/sandbox.ts';
import { serveHere, serverEnv, settled, startTestServer } from '../support/server.ts';
import { until, untilIs } from '../support/until.ts';

const all = suite('renewals');
const test = concurrently(all);
const DAY_MS = 86_400_000;
const LIFETIME_DAYS = 3650;

test('A renewed certificate is served by itself, also if a link has come to lead elsewhere', async () => {
  await using opened = new Resources();
  const { files, make } = await aPair();
  const { url, log } = await serveTls(opened, files);
  const before = await servedBy(url);
  const next = await make();
  writeFileSync(`${files.cert}.2`, next.cert);
  writeFileSync(`${files.key}.2`, next.key);
  for (const file of [files.cert, files.key]) {
    symlinkSync(`${file}.2`, `${file}.link`);
    renameSync(`${file}.link`, file);
  }
  await until('the renewed certificate', async () => (await servedBy(url)) !== before);
  assert.ok(log.some((line) => line.includes('the server uses a renewed certificate')));
});

test('A new certificate without its key is logged once and not taken before the key is there', async () => {
  await using opened = new Resources();
  const { files, make } = await aPair();
  const { url, log } = await serveTls(opened, files);
  const before = await servedBy(url);
  const next = await make();
  writeFileSync(files.cert, next.cert);
  const logged = () => log.filter((line) => line.includes('do not work together'));
  await until('the problem', () => logged().length > 0);
  assert.is(await servedBy(url), before);
  writeFileSync(files.key, next.key);
  await until('the renewed certificate', async () => (await servedBy(url)) !== before);
  assert.is(logged().length, 1);
  assert.match(logged()[0] ?? '', 'the old certificate stays in use');
});

test('The end of the certificate is a metric, and logged at the start if it is near or past', async () => {
  for (const [leftMs, expected] of [
    [-DAY_MS, 'has expired'],
    [10.5 * DAY_MS, 'expires in 10 days'],
    [30 * DAY_MS, null],
  ] as const) {
    await using opened = new Resources();
    const endsMs = Math.floor((Date.now() + leftMs) / 1_000) * 1_000;
    const { files } = await aPair(endsMs - LIFETIME_DAYS * DAY_MS);
    const { log, metricsUrl } = await serveTls(opened, files);
    const logged = log.filter((line) => line.includes('the certificate of the server'));
    assert.is(logged.length, expected === null ? 0 : 1);
    if (expected !== null) assert.match(logged[0] ?? '', expected);
    const text = (await plainRequest(String(metricsUrl))).text;
    assert.match(text, new RegExp(`^pushctl_certificate_expiry_timestamp_seconds ${endsMs / 1_000}$`, 'm'));
  }
});

test('A certificate that has expired is logged every hour until another is there', async () => {
  const log: string[] = [];
  const timers: { ms: number; fn: () => void }[] = [];
  let endsAtMs = Date.now() - 1;
  const renewals = new Renewals({
    config: { tls: { cert: '/nowhere', key: '/nowhere' }, apns: null, fcm: null, handedOver: {} },
    clock: { wallMs: () => Date.now() },
    after: (ms, fn) => {
      timers.push({ ms, fn });
      return () => {};
    },
    log: pino({ level: 'info' }, { write: (line) => void log.push(line) }),
  });
  const hour = () =>
    timers
      .filter(({ ms }) => ms === 3_600_000)
      .at(-1)
      ?.fn();
  renewals.start({
    http: { reloadTls: () => ({ problem: null, isNew: false }), certificateEndsAtMs: () => endsAtMs },
    delivery: { reload: async () => true },
  });
  assert.is(log.length, 1);
  hour();
  assert.is(log.length, 2);
  endsAtMs = Date.now() + 60 * DAY_MS;
  hour();
  assert.is(log.length, 2);
});

test('A stop ends the order of a certificate before the port is closed, by which the authority looks', async () => {
  const ended: string[] = [];
  const renewals = new Renewals({
    config: { tls: null, apns: null, fcm: null, handedOver: {} },
    clock: { wallMs: () => Date.now() },
    after: () => () => {},
    log: pino({ level: 'silent' }),
  });
  renewals.start({
    http: { reloadTls: () => ({ problem: null, isNew: false }), certificateEndsAtMs: () => null },
    delivery: { reload: async () => true },
    certificates: { tryNow: () => {}, stop: () => void ended.push('certificates') },
  });
  renewals.stop();
  assert.equal(ended, ['certificates']);
});

test('Renewed credentials are in use by themselves, and the pushes that are out end as they began', async () => {
  await using opened = new Resources();
  const log: string[] = [];
  const { sandbox, env, team } = await startTestServer(opened, { log: (line) => log.push(line) });
  await team.addDevice(sandbox, { platform: 'ios', behaviour: 'slow', parameter: 8_000 });
  await team.addDevice(sandbox, { platform: 'android' });
  const { body } = await team.post();
  await sandbox.waitForPush(({ endpoint }) => endpoint === 'fcm');
  const { certPem } = await makeAuthority(Date.now());
  appendFileSync(String(env.PUSHCTL_FCM_CA_FILE), certPem);
  await until('the renewed credentials', () => log.some((line) => line.includes('renewed credentials')));
  assert.is((await settled(team, body.event.public_id)).deliveries.accepted, 2);
  assert.is(sandbox.pushes.length, 2, 'each once');
});

test('A key file that is half written, or gone, is logged once, and the key from before goes on', async () => {
  await using opened = new Resources();
  const log: string[] = [];
  const { sandbox, env, team } = await startTestServer(opened, { log: (line) => log.push(line) });
  await team.addDevice(sandbox, { platform: 'ios' });
  const file = String(env.PUSHCTL_APNS_KEY_FILE);
  const whole = readFileSync(file, 'utf8');
  const logged = () => log.filter((line) => line.includes('The old one stays in use.'));
  writeFileSync(file, whole.slice(0, 60));
  await untilIs('the half key', () => logged().length, 1);
  rmSync(file);
  await untilIs('the missing key', () => logged().length, 2);
  for (const line of logged()) assert.not.match(line, whole.slice(30, 60));
  const { body } = await team.post();
  assert.is((await settled(team, body.event.public_id)).deliveries.accepted, 1);
});

all.run();

/** A certificate for loopback with its key, in files, and a way to make more. */
async function aPair(nowMs = Date.now()) {
  const folder = temporaryFolder();
  const authority = await makeAuthority(nowMs);
  const make = () => makeServerCertificate(authority, nowMs);
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  const { cert, key } = await make();
  writeFileSync(files.cert, cert);
  writeFileSync(files.key, key);
  return { files, make };
}

async function serveTls(opened: Resources, files: { readonly cert: string; readonly key: string }) {
  const log: string[] = [];
  const sandbox = opened.add(await aSandbox());
  const env = await serverEnv(sandbox, {
    PUSHCTL_TLS_CERT: files.cert,
    PUSHCTL_TLS_KEY: files.key,
    PUSHCTL_METRICS_LISTEN: '127.0.0.1:0',
  });
  const { url, metricsUrl } = await serveHere(opened, env, { log: (line) => log.push(line) });
  return { url, metricsUrl, log };
}

async function servedBy(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}
