import { X509Certificate } from 'node:crypto';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeSelfSigned } from '../../../src/acme/self-signed.ts';
import { freshState, TlsFolder } from '../../../src/acme/state.ts';
import { checkOwnCertificate } from '../../../src/host/doctor/own-certificate.ts';
import { makeAuthority } from '../../../src/sandbox/certificates.ts';
import { issuePair } from '../../support/acme-issuing.ts';
import { temporaryFolder } from '../../support/folder.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 10, 21);
const ACME = { domains: ['push.example.com'], contact: null, directory: 'https://ca.example.com/dir', caFile: null };
const authority = await makeAuthority(NOW_MS);

test('Before its first start nothing is wrong, and a certificate that is there is good for its server', () => {
  const { look, folder } = aServer();
  assert.equal(look(), ['ok the server asks ca.example.com for one as it starts']);
  folder.putPair(aPair());
  assert.equal(look(), ['ok is from ca.example.com, which renews it in time, and good for 80 days']);
});

test('What went wrong is there also while no server runs, unless it was about other names', () => {
  const { look, folder } = aServer();
  const problem = { sentence: 'DNS problem', type: 'dns', retryAfterMs: null };
  folder.putState({ ...freshState(ACME), failures: 1, nextTryAtMs: NOW_MS, problem });
  assert.match(look()[0] ?? '', /^fail ca\.example\.com gave none for push\.example\.com: DNS problem;/);
  folder.putPair(aPair());
  assert.match(look()[0] ?? '', /^warn is not renewed, and good for 80 days\. .*DNS problem/);
  folder.putState({ ...freshState({ ...ACME, domains: ['other.example.com'] }), problem });
  assert.match(look()[0] ?? '', /^ok /);
});

test('What is no certificate, or never ends, is as nothing', () => {
  const { look, folder, dataDir } = aServer();
  folder.putPair('nonsense');
  assert.equal(look(), ['ok the server asks ca.example.com for one as it starts']);
  rmSync(join(dataDir, 'tls', 'certificate.pem'));
  symlinkSync('/dev/zero', join(dataDir, 'tls', 'certificate.pem'));
  assert.equal(look(), ['ok the server asks ca.example.com for one as it starts']);
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
  ): readonly string[] => {
    const config = { tls: { acme: ACME }, baseUrl, listen: { host: '::', port: 443 }, dataDir };
    return checkOwnCertificate(config, NOW_MS, running).map(({ status, message }) => `${status} ${message}`);
  };
  return { look, dataDir, folder: new TlsFolder(dataDir) };
}
