import { X509Certificate } from 'node:crypto';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeSelfSigned } from '../../../src/acme/certify.ts';
import { freshState, TlsFolder } from '../../../src/acme/state.ts';
import { checkOwnCertificate } from '../../../src/host/doctor/certificates.ts';
import { makeAuthority } from '../../../src/sandbox/credentials.ts';
import { issuePair } from '../../support/acme-issuing.ts';
import { temporaryFolder } from '../../support/folder.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 10, 21);
const ACME = { domains: ['push.example.com'], contact: null, directory: 'https://ca.example.com/dir', caFile: null };
const authority = await makeAuthority(NOW_MS);

test('Before its first start nothing is wrong, and a certificate that is there is good for its server', () => {
  const { look, folder } = aServer();
  assert.equal(look(), ['ok the server asks ca.example.com for one when it starts']);
  folder.putPair(aPair());
  assert.equal(look(), ['ok is from ca.example.com, which renews it in time, and is valid for 80 days']);
});

test('A failure is shown also while no server runs, unless it was about other names', () => {
  const { look, folder } = aServer();
  const problem = { sentence: 'DNS problem', type: 'dns', retryAfterMs: null };
  folder.putState({ ...freshState(ACME), failures: 1, nextTryAtMs: NOW_MS, problem });
  assert.match(look()[0] ?? '', /^fail ca\.example\.com issued none for push\.example\.com: DNS problem;/);
  folder.putPair(aPair());
  assert.match(look()[0] ?? '', /^warn was not renewed, and is valid for 80 days, until .*DNS problem/);
  folder.putState({ ...freshState({ ...ACME, domains: ['other.example.com'] }), problem });
  assert.match(look()[0] ?? '', /^ok /);
});

test('A certificate that ends is no good one: it fails from a ninth of its life on, and nothing is "valid for -1 days"', async () => {
  const { look, folder } = aServer();
  folder.putPair(aPair());
  const at = (ms: number, running?: Parameters<typeof look>[0]) => look(running, null, NOW_MS + ms);
  assert.match(at(80 * DAY_MS)[0] ?? '', /^fail expired at 2027-02-09T.*, and has not been renewed yet/);
  assert.match(at(69 * DAY_MS)[0] ?? '', /^warn is valid for 11 days, until .*, and has not been renewed yet/);
  assert.match(at(71 * DAY_MS)[0] ?? '', /^fail is valid for 9 days, until .*, and has not been renewed yet/);
  const problem = { sentence: 'DNS problem', type: 'dns', retryAfterMs: null };
  folder.putState({ ...freshState(ACME), problem });
  assert.match(at(69 * DAY_MS)[0] ?? '', /^warn was not renewed, and is valid for 11 days/);
  assert.match(at(71 * DAY_MS)[0] ?? '', /^fail was not renewed, and is valid for 9 days/);
  const served = { isRunning: true, served: new X509Certificate(aPair()) };
  assert.equal(at(81 * DAY_MS, served), [], 'the server says so');
});

test('A certificate for a host that is configured already needs a restart alone', () => {
  const { look } = aServer();
  const served = { isRunning: true, served: new X509Certificate(aPair()) };
  const config = { tls: { acme: { ...ACME, domains: ['app.example.com'] } }, baseUrl: 'https://app.example.com/api' };
  const all = { ...config, listen: { host: '::', port: 443 }, dataDir: temporaryFolder() };
  assert.is(checkOwnCertificate(all, NOW_MS, served)[0]?.advice, 'systemctl restart pushctl');
  assert.match(look(served, 'https://app.example.com/api')[0] ?? '', 'is not for app.example.com');
});

test('A file that is no certificate, or a certificate that never ends, counts as nothing', () => {
  const { look, folder, dataDir } = aServer();
  folder.putPair('nonsense');
  assert.equal(look(), ['ok the server asks ca.example.com for one when it starts']);
  rmSync(join(dataDir, 'tls', 'certificate.pem'));
  symlinkSync('/dev/zero', join(dataDir, 'tls', 'certificate.pem'));
  assert.equal(look(), ['ok the server asks ca.example.com for one when it starts']);
});

test('One that is served for another host than that of base_url is a failure, and a self-signed one is for the server to report', async () => {
  const { look } = aServer();
  const running = (pem: string) => ({ isRunning: true, served: new X509Certificate(pem) });
  assert.match(look(running(aPair()))[0] ?? '', /^ok /);
  assert.equal(look(running(aPair()), 'https://app.example.com/api'), ['fail is not for app.example.com']);
  assert.equal(look(running(await makeSelfSigned(ACME.domains, NOW_MS))), []);
});

test.run();

function aPair(): string {
  return issuePair(authority, { domains: ACME.domains, fromMs: NOW_MS - 10 * DAY_MS, toMs: NOW_MS + 80 * DAY_MS });
}

function aServer() {
  const dataDir = temporaryFolder();
  const look = (
    running: Parameters<typeof checkOwnCertificate>[2] = { isRunning: false, served: null },
    baseUrl: string | null = null,
    wallMs = NOW_MS,
  ): readonly string[] => {
    const config = { tls: { acme: ACME }, baseUrl, listen: { host: '::', port: 443 }, dataDir };
    return checkOwnCertificate(config, wallMs, running).map(({ status, message }) => `${status} ${message}`);
  };
  return { look, dataDir, folder: new TlsFolder(dataDir) };
}
