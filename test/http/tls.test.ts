import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { connect, getCiphers } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeSelfSigned } from '../../src/acme/certify.ts';
import { ProvenClients } from '../../src/http/limits/proven-clients.ts';
import { startHttp } from '../../src/http/listeners/listener.ts';
import { OperatorProblem } from '../../src/process/problem.ts';
import { createLog } from '../../src/server/log.ts';
import { ADA } from '../support/cast.ts';
import { type Api, withApi } from '../support/http.ts';
import { openStream } from '../support/stream.ts';
import { aPair } from '../support/tls-pair.ts';

/** A certificate and its key in files, and a way to put others there. */
async function serialOf(api: Api, ca: string): Promise<string> {
  const { hostname, port } = new URL(api.http.url);
  const socket = connect({ host: hostname, port: Number(port), ca });
  await once(socket, 'secureConnect');
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

test('with a certificate the API is served over HTTPS', async () => {
  const { ca, files } = await aPair();
  await withApi(
    async (api) => {
      assert.ok(api.http.url.startsWith('https://127.0.0.1:'));
      assert.is((await api.post({ channel: 'alerts', title: 'Done' }, { ca })).status, 202);
    },
    { tls: files },
  );
});

/** Those of TLS 1.2 that the server agrees to. */
async function ciphersOf(api: Api, ca: string): Promise<readonly string[]> {
  const { hostname, port } = new URL(api.http.url);
  const asked = getCiphers().filter(
    (name) => !name.startsWith('tls_') && !name.includes('psk') && !name.includes('srp'),
  );
  const answers = asked.map(async (name) => {
    const ciphers = `${name.toUpperCase()}:@SECLEVEL=0`;
    const socket = connect({ host: hostname, port: Number(port), ca, maxVersion: 'TLSv1.2', ciphers });
    const agreed = await once(socket, 'secureConnect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    return agreed ? [name] : [];
  });
  return (await Promise.all(answers)).flat();
}

test('every cipher that is taken has forward secrecy and authenticates what it encrypts', async () => {
  const { ca, files } = await aPair();
  await withApi(
    async (api) => {
      const taken = await ciphersOf(api, ca);
      assert.ok(taken.length >= 3, String(taken));
      for (const name of taken) assert.match(name, /^ecdhe-(?:ecdsa|rsa)-(?:aes(?:128|256)-gcm|chacha20-poly1305)/);
    },
    { tls: files },
  );
});

test('a stream of events comes over HTTPS as well', async () => {
  const { ca, files } = await aPair();
  await withApi(
    async (api) => {
      await api.join(ADA, { role: 'owner', password: 'correct horse' });
      const body = { email: ADA, password: 'correct horse' };
      const signedIn = await api.request('/api/v1/session', { method: 'POST', body, ca });
      const { token } = signedIn.body.session as { token: string };
      const stream = await openStream(api.http.url, { key: token, ca });
      await stream.hears('everything', null);
      await api.post({ channel: 'alerts', title: 'Done' }, { ca });
      await stream.hears('inbox', 'acme');
    },
    { tls: files },
  );
});

test('a renewed certificate is taken without a restart', async () => {
  const { ca, files, make, put } = await aPair();
  await withApi(
    async (api) => {
      const before = await serialOf(api, ca);
      put(await make());
      assert.is(await serialOf(api, ca), before);
      assert.is(api.http.reloadTls().problem, null);
      assert.is.not(await serialOf(api, ca), before);
    },
    { tls: files },
  );
});

test('a renewed pair that does not work changes nothing and says so', async () => {
  const { ca, files, make, put } = await aPair();
  await withApi(
    async (api) => {
      const before = await serialOf(api, ca);
      put({ cert: (await make()).cert, key: (await make()).key });
      assert.match(api.http.reloadTls().problem ?? '', /do not work together.*the old certificate stays in use/);
      put({ cert: 'nonsense', key: 'nonsense' });
      assert.match(api.http.reloadTls().problem ?? '', /cert\.pem/);
      assert.is(await serialOf(api, ca), before);
    },
    { tls: files },
  );
});

/** The header field by which a browser is to ask this host by TLS alone; null: it is not there. */
async function strictnessOf(api: Api, host: string, path = '/healthz'): Promise<string | null> {
  const { hostname, port } = new URL(api.http.url);
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
  socket.end(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  const response = await text(socket);
  assert.match(response, /^HTTP\/1\.1 \d{3} /);
  return /^strict-transport-security: (.*)\r$/im.exec(response)?.[1] ?? null;
}

test('browsers are told to use HTTPS for this host alone, but not at an address or localhost', async () => {
  const { files } = await aPair();
  await withApi(
    async (api) => {
      for (const path of ['/healthz', '/api/v1/usage', '/nowhere']) {
        assert.is(await strictnessOf(api, 'push.example.com', path), 'max-age=15552000');
        assert.is(await strictnessOf(api, 'push.example.com:8443', path), 'max-age=15552000');
      }
      for (const host of [
        '127.0.0.1:8443',
        '192.0.2.7',
        '[2001:db8::7]:8443',
        'localhost:8443',
        'push.localhost',
        '',
      ]) {
        assert.is(await strictnessOf(api, host), null, host);
      }
    },
    { tls: files },
  );
});

test('with a self-signed certificate they are not, and from the moment on that there is another', async () => {
  const { files, make, put } = await aPair();
  const selfSigned = await makeSelfSigned(['push.example.com'], Date.now());
  put({ cert: selfSigned, key: selfSigned });
  await withApi(
    async (api) => {
      assert.is(await strictnessOf(api, 'push.example.com'), null);
      put(await make());
      assert.is(api.http.reloadTls().problem, null);
      assert.is(await strictnessOf(api, 'push.example.com'), 'max-age=15552000');
    },
    { tls: files },
  );
});

test('a pair that cannot be read, or does not work, is a problem at the start', async () => {
  const { files } = await aPair();
  const log = createLog('error', { write: () => undefined });
  const start = (tls: { cert: string; key: string }) =>
    startHttp({
      handler: () => undefined,
      config: {
        listen: { host: '127.0.0.1', port: 0 },
        tls,
        proxy: { trusted: [] },
        limits: { connectionsPerAddress: 512 },
      },
      log,
      proven: new ProvenClients(),
    });
  for (const tls of [
    { cert: '/nowhere.pem', key: files.key },
    { cert: files.cert, key: files.cert },
  ]) {
    const error = await start(tls).catch((reason: unknown) => reason);
    assert.instance(error, OperatorProblem);
    assert.match((error as Error).message, /^tls/);
  }
});

test.run();
