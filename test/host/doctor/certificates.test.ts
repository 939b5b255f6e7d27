import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkCertificate } from '../../../src/host/doctor/certificates.ts';
import { makeAuthority, makeServerCertificate } from '../../../src/sandbox/credentials.ts';
import { temporaryFolder } from '../../support/folder.ts';

const NOW_MS = Date.UTC(2026, 10, 21);
const DAY_MS = 86_400_000;

test('A certificate is good until two weeks before its end, then a warning, and a failure from ten days on', async () => {
  const tls = await aPair();
  const endsMs = NOW_MS + daysOf(tls) * DAY_MS;
  const at = (ms: number) => checkCertificate({ tls, baseUrl: null }, ms)[0]?.status;
  assert.is(at(NOW_MS), 'ok');
  assert.is(at(endsMs - 15 * DAY_MS), 'ok');
  assert.is(at(endsMs - 11 * DAY_MS), 'warn');
  assert.is(at(endsMs - 9 * DAY_MS), 'fail');
  assert.is(at(endsMs + 2 * DAY_MS), 'fail');
});

test('A certificate for another host than that of base_url is a failure', async () => {
  const tls = await aPair();
  const of = (baseUrl: string) => checkCertificate({ tls, baseUrl }, NOW_MS)[0];
  assert.is(of('https://localhost/api')?.status, 'ok');
  assert.is(of('https://127.0.0.1:8443/api')?.status, 'ok');
  assert.is(of('https://[::1]:8443/api')?.status, 'ok');
  assert.is(of('https://10.0.0.1/api')?.status, 'fail');
  assert.is(of('https://[2001:db8::7]/api')?.status, 'fail');
  assert.match(of('https://push.example.com/api')?.message ?? '', 'is not for push.example.com');
});

test('A certificate is read from the copy that this process was given', async () => {
  const { cert, key } = await aPair();
  const tls = { cert: '/nowhere/tls.crt', key: '/nowhere/tls.key' };
  const handedOver = { [tls.cert]: cert, [tls.key]: key };
  const [finding] = checkCertificate({ tls, baseUrl: null, handedOver }, NOW_MS);
  assert.is(finding?.status, 'ok');
  assert.match(finding?.message ?? '', '/nowhere/tls.crt is valid');
});

test('A certificate without its key is a failure', async () => {
  const [pair, other] = [await aPair(), await aPair()];
  const [finding] = checkCertificate({ tls: { cert: pair.cert, key: other.key }, baseUrl: null }, NOW_MS);
  assert.match(finding?.message ?? '', 'do not belong together');
});

test('A certificate other than the one that is served is a failure that names both, and what to do', async () => {
  const [pair, other] = [await aPair(), await aPair()];
  const served = new X509Certificate(readFileSync(other.cert));
  const [finding] = checkCertificate({ tls: pair, baseUrl: null }, NOW_MS, served);
  assert.is(finding?.status, 'fail');
  assert.match(finding?.message ?? '', `${pair.cert} holds a`);
  assert.match(finding?.advice ?? '', 'systemctl reload pushctl');
  const [same] = checkCertificate({ tls: other, baseUrl: null }, NOW_MS, served);
  assert.is(same?.status, 'ok');
  const half = { cert: pair.cert, key: other.key };
  const [kept] = checkCertificate({ tls: half, baseUrl: null }, NOW_MS, served);
  assert.match(kept?.message ?? '', /do not belong together; the server keeps its previous certificate, valid for/);
});

test('Files that are no certificate are a failure, and nothing of them is shown', () => {
  const file = join(temporaryFolder(), 'tls.pem');
  writeFileSync(file, 'hunter2');
  const [finding] = checkCertificate({ tls: { cert: file, key: file }, baseUrl: null }, NOW_MS);
  assert.is(finding?.status, 'fail');
  assert.not.match(JSON.stringify(finding), 'hunter2');
});

test('Without TLS of its own there is nothing to look at', () => {
  assert.equal(checkCertificate({ tls: null, baseUrl: null }, NOW_MS), []);
});

test.run();

/** The files of a certificate for this machine's loopback, made at NOW_MS. */
async function aPair(): Promise<{ readonly cert: string; readonly key: string }> {
  const folder = temporaryFolder();
  const pair = await makeServerCertificate(await makeAuthority(NOW_MS), NOW_MS);
  const files = { cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key') };
  writeFileSync(files.cert, pair.cert);
  writeFileSync(files.key, pair.key, { mode: 0o600 });
  return files;
}

function daysOf(tls: { readonly cert: string; readonly key: string }): number {
  const message = checkCertificate({ tls, baseUrl: null }, NOW_MS)[0]?.message ?? '';
  return Number(/valid for (\d+) days/.exec(message)?.[1]);
}
