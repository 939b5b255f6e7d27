import { randomBytes } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createApiKey } from '../../src/contract/api-key.ts';
import { createPairingCode } from '../../src/contract/pairing-code.ts';
import { createSessionToken } from '../../src/contract/secret-token.ts';
import { exchangeBytes, withApi } from '../support/http.ts';

test('a request with two Host lines is answered 400', () =>
  withApi(async (api) => {
    for (const second of ['Host: x', 'host: y', 'HOST: x']) {
      const bytes = `GET /healthz HTTP/1.1\r\nHost: x\r\nAccept: host\r\n${second}\r\nConnection: close\r\n\r\n`;
      assert.match(await exchangeBytes(api.http.url, bytes), /^HTTP\/1\.1 400[\s\S]*more than one Host/);
    }
    const request = 'GET /healthz HTTP/1.1\r\nAccept: host\r\nX-Host: host\r\nHost: host\r\nConnection: close\r\n\r\n';
    assert.match(await exchangeBytes(api.http.url, request), /^HTTP\/1\.1 200/);
  }));

test('a secret that is sent as the request id is neither logged nor sent back', () =>
  withApi(async (api) => {
    const code = createPairingCode().text;
    const secrets = [
      createApiKey(randomBytes).text,
      `Bearer.${createApiKey(randomBytes).text}`.slice(0, 64),
      createSessionToken(randomBytes).text,
      code,
      code.replace('-', '').toLowerCase(),
    ];
    for (const secret of secrets) {
      const { headers } = await api.request('/healthz', { headers: { 'X-Request-Id': secret } });
      assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/, secret);
      assert.not(api.log().includes(secret), secret);
    }
    for (const id of ['1700000000', 'deploy-2026-11-21.1', '4bf92f3577b34da6a3ce929d0e0e4736', 'r1']) {
      const { headers } = await api.request('/healthz', { headers: { 'X-Request-Id': id } });
      assert.is(headers['x-request-id'], id);
    }
  }));

test.run();
