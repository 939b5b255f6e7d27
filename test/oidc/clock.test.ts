import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OidcProvider } from '../../src/oidc/provider.ts';
import { oidcFindings } from '../../src/oidc/trouble.ts';
import { systemClock } from '../../src/process/clock.ts';
import { temporaryFolder } from '../support/folder.ts';

const test = suite('the clock of the OpenID provider');

test('A clock that differs from the provider is a finding with its time for an hour or until the clock is set', async () => {
  let ageS = 0;
  const server = createServer((_, response) => {
    const { port } = server.address() as AddressInfo;
    const issuer = `http://127.0.0.1:${port}`;
    response.setHeader('Content-Type', 'application/json');
    response.setHeader('Date', new Date(Date.now() - ageS * 1_000).toUTCString());
    if (ageS > 0) response.setHeader('Age', ageS);
    response.end(JSON.stringify({ issuer, authorization_endpoint: issuer, token_endpoint: issuer, jwks_uri: issuer }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const secret = join(temporaryFolder(), 'secret');
    writeFileSync(secret, 'hunter2');
    const real = systemClock();
    let [aheadMs, passedMs] = [0, 0];
    const clock = { wallMs: () => real.wallMs() + aheadMs + passedMs, steadyMs: () => real.steadyMs() + passedMs };
    const settings = {
      issuer,
      clientId: 'pushctl',
      clientSecretFile: secret,
      scopes: ['openid'],
      name: 'Acme',
      only: false,
      trustEmail: false,
    };
    const found = async (offMs: number) => {
      aheadMs = offMs;
      const provider = new OidcProvider({ settings, redirectUri: issuer, secretPath: () => secret, clock });
      assert.is(await provider.examine(), null);
      return { provider, texts: () => oidcFindings(provider).map(({ status, message }) => `${status} ${message}`) };
    };
    assert.equal((await found(3_000)).texts(), [], 'a response takes a moment');
    assert.match((await found(10_000)).texts()[0] ?? '', /^warn was (9|1\d) s ahead/, 'as the documentation says');
    ageS = 1_358;
    assert.equal((await found(0)).texts(), [], 'a cached response');
    ageS = 0;
    const { texts } = await found(120_000);
    assert.match(texts()[0] ?? '', new RegExp(`^warn was 1[12]\\d s ahead of the provider ${issuer} at 20\\d\\d-`));
    passedMs += 3_600_001;
    assert.equal(texts(), [], 'an hour later nobody knows');
    passedMs = 0;
    const behind = await found(-600_000);
    assert.match(behind.texts()[0] ?? '', /^fail was (599|60\d) s behind the provider/);
    aheadMs = 0;
    assert.equal(behind.texts(), [], 'the clock was set');
  } finally {
    server.close();
  }
});

test.run();
