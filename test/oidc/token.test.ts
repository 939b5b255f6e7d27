import { createSign, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OidcFailure, OidcProvider } from '../../src/oidc/provider.ts';
import { systemClock } from '../../src/process/clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { Resources } from '../support/resources.ts';

const test = suite('the token of a sign-in by a provider');
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
/** The most that the two clocks may differ by. */
const SKEW_S = 30;

test('A token that names an account, and when its person has proved who they are, counts', async () => {
  await using opened = new Resources();
  const { finish } = await aProvider(opened);
  const nowS = Math.floor(Date.now() / 1000);
  const { subject, isProof } = await finish({ sub: 'ada', auth_time: nowS });
  assert.equal([subject, isProof], ['ada', true]);
  assert.is((await finish({ sub: 'ada', auth_time: nowS + SKEW_S / 2 })).isProof, true);
  assert.is((await finish({ sub: 'ada', auth_time: nowS - 3_600 })).isProof, false);
  assert.is((await finish({ sub: 'ada' })).isProof, false);
});

test('A token that names no account, or was proved in the future, is refused', async () => {
  await using opened = new Resources();
  const { finish } = await aProvider(opened);
  const nowS = Math.floor(Date.now() / 1000);
  for (const claims of [
    { sub: '', auth_time: nowS },
    { sub: ' ', auth_time: nowS },
    { auth_time: nowS },
    { sub: 'ada', auth_time: nowS + SKEW_S * 2 },
    { sub: 'ada', auth_time: nowS + 86_400 },
  ]) {
    const outcome = await finish(claims).catch((error: unknown) => error);
    assert.instance(outcome, OidcFailure, JSON.stringify(claims));
    assert.is((outcome as OidcFailure).kind, 'refused');
  }
});

test.run();

/** A provider that answers each code with a token of these claims, and who comes back from it. */
async function aProvider(opened: Resources) {
  let claims: object = {};
  const server = createServer((request, response) => {
    const answers: Readonly<Record<string, object>> = {
      '/.well-known/openid-configuration': metadata,
      '/keys': { keys: [{ ...publicKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
      '/token': { access_token: 'x', token_type: 'bearer', id_token: tokenOf(claims) },
    };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answers[request.url ?? '']));
  }).listen(0, '127.0.0.1');
  opened.onEnd(async () => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/in`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
  };
  const secretPath = join(temporaryFolder(), 'secret');
  writeFileSync(secretPath, 'a secret');
  const client = { clientId: 'pushctl', clientSecretFile: secretPath, scopes: ['openid'], trustEmail: false };
  const provider = new OidcProvider({
    settings: { ...client, issuer, name: 'Example', only: false },
    ...{ redirectUri: 'https://push.example.com/callback', secretPath: () => secretPath, clock: systemClock() },
  });
  return {
    async finish(ofPerson: object) {
      const { trip } = await provider.begin(false);
      const iat = Math.floor(Date.now() / 1000);
      claims = { iss: issuer, aud: 'pushctl', nonce: trip.nonce, iat, exp: iat + 60, ...ofPerson };
      return provider.finish(`?code=x&state=${trip.state}`, trip);
    },
  };
}

function tokenOf(claims: object): string {
  const signed = [{ alg: 'RS256' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  const text = signed.join('.');
  return `${text}.${createSign('sha256').update(text).sign(privateKey, 'base64url')}`;
}
