import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeSelfSigned } from '../../src/acme/certify.ts';
import { type OrderJob, order } from '../../src/acme/order.ts';
import { whyUnusable } from '../../src/acme/plan.ts';
import { askRenewalInfo, certificateId } from '../../src/acme/requests.ts';
import { ChallengeAnswers, makeAccountKey } from '../../src/acme/run-order.ts';
import { ProvenClients } from '../../src/http/limits/proven-clients.ts';
import { startHttp } from '../../src/http/listeners/listener.ts';
import { standIn } from '../../src/http/listeners/tls-pair.ts';
import { createLog } from '../../src/server/log.ts';
import { FakeCa, makeIdentity, type Refusal } from '../support/acme-ca.ts';
import { freePort } from '../support/free-port.ts';
import { Resources } from '../support/resources.ts';
import { valuesOf } from '../support/values-of.ts';

/** Its appendix A. */
const RFC_9773 = `-----BEGIN CERTIFICATE-----
MIIBQzCB66ADAgECAgUAh2VDITAKBggqhkjOPQQDAjAVMRMwEQYDVQQDEwpFeGFt
cGxlIENBMCIYDzAwMDEwMTAxMDAwMDAwWhgPMDAwMTAxMDEwMDAwMDBaMBYxFDAS
BgNVBAMTC2V4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEeBZu
7cbpAYNXZLbbh8rNIzuOoqOOtmxA1v7cRm//AwyMwWxyHz4zfwmBhcSrf47NUAFf
qzLQ2PPQxdTXREYEnKMjMCEwHwYDVR0jBBgwFoAUaYhba4dGQEHhs3uEe6CuLN4B
yNQwCgYIKoZIzj0EAwIDRwAwRAIge09+S5TZAlw5tgtiVvuERV6cT4mfutXIlwTb
+FYN/8oCIClDsqBklhB9KAelFiYt9+6FDj3z4KGVelYM5MdsO3pK
-----END CERTIFICATE-----
`;
const DOMAINS = ['push.example.com', 'hooks.example.com'];

const identity = await makeIdentity();

test('Names are proved on the port of the server itself, and the certificate is for the requested names', async () => {
  await using opened = new Resources();
  const { ca, answers, job } = await aCa(opened);
  ca.port = await listening(opened, answers);
  ca.badNonces = 2;
  const { pair, problem } = await order(job, async (challenge) => answers.show(challenge));
  assert.is(problem, null);
  assert.is(whyUnusable(String(pair), DOMAINS), null);
  assert.equal(ca.contacts, [['mailto:ops@example.com']]);
  for (const contact of ['ops@example.com', null]) {
    const known = { ...job, settings: { ...job.settings, contact } };
    const again = await order(known, async (challenge) => answers.show(challenge));
    assert.is(again.problem, null);
  }
  assert.is(ca.contacts.length, 1, 'one account');
  assert.equal(ca.wrongs, []);
});

test('A client that is no authority, or comes while nothing is proved, meets the server as usual', async () => {
  await using opened = new Resources();
  const port = await listening(opened, new ChallengeAnswers());
  assert.is(await protocolOf(port, ['h2', 'http/1.1']), 'http/1.1');
  assert.is(await protocolOf(port, undefined), false);
  assert.match(String(await protocolOf(port, ['acme-tls/1'])), /alert|ALPN|protocol/i);
});

test('Names are proved on port 80 if it leads here', async () => {
  await using opened = new Resources();
  const { ca, answers, job } = await aCa(opened);
  const server = createServer((request, response) => {
    const content = answers.contentAt(String(request.url));
    response.writeHead(content === null ? 404 : 200).end(content);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.onEnd(() => server.close());
  ca.port = (server.address() as AddressInfo).port;
  const challenges = ['http-01', 'tls-alpn-01'] as const;
  const { pair, problem } = await order({ ...job, challenges }, async (challenge) => answers.show(challenge));
  assert.is(problem, null);
  assert.is(whyUnusable(String(pair), DOMAINS), null);
  answers.clear();
  assert.is(answers.contentAt('/.well-known/acme-challenge/'), null);
  assert.equal(ca.wrongs, []);
});

for (const [what, found] of [
  [
    'Addresses in the DNS that lead nowhere',
    { status: 400, type: 'dns', detail: 'DNS problem: NXDOMAIN looking up A' },
  ],
  ['A port that is closed', null],
  ['A record in the DNS that allows another authority', { status: 403, type: 'caa', detail: 'CAA forbids issuance' }],
] as const) {
  test(`${what}: the authority's own words`, async () => {
    await using opened = new Resources();
    const { ca, job } = await aCa(opened);
    ca.finding = found;
    ca.port = await freePort();
    const { pair, problem } = await order(job, async () => {});
    assert.is(pair, null);
    assert.is(problem?.type, found?.type ?? 'connection');
    assert.match(String(problem?.sentence), found?.detail ?? 'Fetching push.example.com: connect ECONNREFUSED');
    assert.equal(ca.wrongs, []);
  });
}

for (const [refusal, retryAfterMs] of [
  [{ status: 429, type: 'rateLimited', detail: 'too many certificates (5)', retryAfter: '25200' }, 25_200_000],
  [{ status: 503, type: 'serverInternal', detail: 'Service busy', retryAfter: '120' }, 120_000],
  [{ status: 400, type: 'rejectedIdentifier', detail: 'Cannot issue\tfor \u001b[31mthat name' }, null],
] as const satisfies (readonly [Refusal, number | null])[]) {
  test(`An order that is refused with ${refusal.status}: the words, and how long to wait`, async () => {
    await using opened = new Resources();
    const { ca, job } = await aCa(opened);
    ca.refusal = refusal;
    const { problem } = await order(job, async () => {});
    assert.is(problem?.type, refusal.type);
    assert.is(problem?.retryAfterMs, retryAfterMs);
    assert.match(
      String(problem?.sentence),
      refusal.status === 400 ? /^Cannot issue for \[31mthat name$/ : refusal.detail,
    );
  });
}

test('An authority that is away, or whose own certificate is not trusted, is named with the reason', async () => {
  await using opened = new Resources();
  const { ca, job } = await aCa(opened);
  const untrusted = await order({ ...job, ca: null }, async () => {});
  assert.match(String(untrusted.problem?.sentence), /^cannot reach localhost:\d+: /);
  assert.match(String(untrusted.problem?.type), /CERT|SELF_SIGNED|UNABLE/);
  await ca.close();
  const { problem, clockOffMs } = await order(job, async () => {});
  assert.is(problem?.type, 'ECONNREFUSED');
  assert.match(String(problem?.sentence), /^cannot reach localhost:\d+: .*ECONNREFUSED/);
  assert.is(clockOffMs, null);
});

test('A renewal names the certificate that it replaces, and one that cannot be named is renewed all the same', async () => {
  await using opened = new Resources();
  const { ca, answers, job } = await aCa(opened);
  ca.port = await listening(opened, answers);
  ca.window = { start: '2026-11-21T09:30:00Z', end: '2026-11-23T09:30:00Z' };
  const first = String((await order(job, async (challenge) => answers.show(challenge))).pair);
  const replaces = String(certificateId(first));
  const { serialNumber } = new X509Certificate(first);
  assert.is(replaces.split('.')[1], Buffer.from(`00${serialNumber}`, 'hex').toString('base64url'));
  const info = await askRenewalInfo(ca.directory, first, ca.authority.certPem);
  assert.equal(info.window, { startMs: Date.parse(ca.window.start), endMs: Date.parse(ca.window.end) });
  assert.is(info.retryAfterMs, 21_600_000);
  assert.equal(ca.asked, [replaces]);
  for (let nth = 0; nth < 2; nth += 1) {
    const { problem } = await order({ ...job, replaces }, async (challenge) => answers.show(challenge));
    assert.is(problem, null);
  }
  assert.equal(valuesOf(ca.orders, 'replaces'), [null, replaces, null]);
});

test('A certificate is named as in the example of RFC 9773', () => {
  assert.is(certificateId(RFC_9773), 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE');
});

test.run();

async function aCa(opened: Resources) {
  const ca = opened.add(await FakeCa.start(identity));
  const answers = new ChallengeAnswers();
  const job: OrderJob = {
    settings: { domains: DOMAINS, contact: 'ops@example.com', directory: ca.directory },
    ca: ca.authority.certPem,
    accountKey: makeAccountKey(),
    replaces: null,
    challenges: ['tls-alpn-01'],
    pollMs: 10,
  };
  return { ca, answers, job };
}

/** The server's own listener. */
async function listening(opened: Resources, answers: ChallengeAnswers): Promise<number> {
  const http = await startHttp({
    handler: (_, response) => void response.end(),
    config: {
      listen: { host: '127.0.0.1', port: 0 },
      tls: { acme: { domains: DOMAINS, contact: null, directory: 'https://ca.example.com', caFile: null } },
      proxy: { trusted: [] },
      limits: { connectionsPerAddress: 512 },
    },
    log: createLog('error', { write: () => undefined }),
    proven: new ProvenClients(),
    ownTls: {
      pair: standIn(await makeSelfSigned(DOMAINS, Date.now())),
      answerChallenge: (socket, name) => answers.takeTls(socket, name),
    },
  });
  opened.onEnd(() => http.close(0));
  return Number(new URL(http.url).port);
}

/** The protocol in use, or the reason why there is none. */
async function protocolOf(port: number, ALPNProtocols: string[] | undefined): Promise<string | false | null> {
  const named = { host: '127.0.0.1', port, servername: DOMAINS[0], rejectUnauthorized: false };
  const socket = connect({ ...named, ...(ALPNProtocols && { ALPNProtocols }) });
  try {
    await once(socket, 'secureConnect');
    return socket.alpnProtocol;
  } catch (error) {
    return (error as Error).message;
  } finally {
    socket.destroy();
  }
}
