import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../src/config/load.ts';
import { mistakesOf, withFile } from '../support/config.ts';

const CLIENT = 'client_id = "pushctl"\nclient_secret_file = "/secret"';
const GOOD = `[oidc]\nissuer = "https://id.example.com/realms/team"\n${CLIENT}`;

test('A provider needs an issuer, a client and its secret, and only verified addresses count', () => {
  withFile(GOOD, (file) => {
    assert.equal(loadConfig({ env: {}, file }).oidc, {
      issuer: 'https://id.example.com/realms/team',
      clientId: 'pushctl',
      clientSecretFile: '/secret',
      scopes: ['openid', 'email'],
      name: 'OpenID Connect',
      only: false,
      trustEmail: false,
    });
  });
  assert.is(loadConfig({ env: {} }).oidc, null);
});

for (const [text, expected] of [
  ['[oidc]', 'oidc.issuer is missing: expected an https address'],
  [`[oidc]\nissuer = "https://id.example.com"`, 'oidc.client_secret_file is missing'],
  [`[oidc]\nissuer = "http://id.example.com"\n${CLIENT}`, 'oidc.issuer is "http://id.example.com": expected an https'],
  [`[oidc]\nissuer = "http://localhost.example.com"\n${CLIENT}`, 'oidc.issuer is'],
  [`[oidc]\nissuer = "https://id.example.com/.well-known/openid-configuration"\n${CLIENT}`, 'without /.well-known/'],
  [`${GOOD}\nscopes = ["email"]`, 'oidc.scopes is ["email"]: expected a list of scopes with openid among them'],
  [`${GOOD}\nonly = "yes"`, 'oidc.only is "yes": expected true or false'],
  [`${GOOD}\n[web]\nenabled = false`, 'expected none with web.enabled = false'],
] as const) {
  test(`The fault is named: ${expected}`, () => {
    withFile(text, (file) => assert.match(mistakesOf({ env: {}, file }), expected));
  });
}

test.run();
