import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { baseUrlOf } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load.ts';
import { mistakesOf, withFile } from '../support/config.ts';

const NAMES = 'domains = ["push.example.com", "hooks.example.com"]';

test('A certificate by ACME needs names alone, and the first of them is that of the address', () => {
  withFile(`listen = ":443"\n[tls.acme]\n${NAMES}`, (file) => {
    const config = loadConfig({ env: {}, file });
    assert.equal(config.tls?.acme, {
      domains: ['push.example.com', 'hooks.example.com'],
      contact: null,
      directory: 'https://acme-v02.api.letsencrypt.org/directory',
      caFile: null,
    });
    assert.is(baseUrlOf(config), 'https://push.example.com/api');
  });
  const { tls } = loadConfig({
    env: { PUSHCTL_TLS_ACME_DOMAINS: 'push.example.com', PUSHCTL_TLS_ACME_CONTACT: 'ops@example.com' },
  });
  assert.is(tls?.acme?.contact, 'ops@example.com');
  assert.is(loadConfig({ env: { PUSHCTL_TLS_CERT: '/a', PUSHCTL_TLS_KEY: '/b' } }).tls?.acme, null);
});

for (const [text, expected] of [
  [
    `[tls]\ncert = "/a.pem"\n[tls.acme]\n${NAMES}`,
    'tls.cert is "/a.pem": expected none with [tls.acme], which gets its own',
  ],
  [`[tls]\ncert = "/a.pem"`, 'tls.key is missing: expected the name of a file'],
  ['[tls]', 'tls.cert is missing'],
  [
    '[tls.acme]',
    'tls.acme.domains is missing: expected a list of one to 100 host names, for example ["push.example.com"]',
  ],
  [
    '[tls.acme]\ndomains = ["*.example.com"]',
    'tls.acme.domains[0] is "*.example.com": expected a host name in small letters',
  ],
  ['[tls.acme]\ndomains = ["192.0.2.1"]', 'no wildcard and no address'],
  [
    `[tls.acme]\n${NAMES}\ndirectory = "http://ca.example.com"`,
    'tls.acme.directory is "http://ca.example.com": expected an https address',
  ],
  [`[tls.acme]\n${NAMES}\ncontact = "mailto:ops"`, 'tls.acme.contact is "mailto:ops": expected a mail address'],
  [`[store]\nurl = "postgres:///x?host=/run"\n[tls.acme]\n${NAMES}`, 'tls.acme is set: expected none with [store] url'],
] as const) {
  test(`A mistake that is named: ${expected}`, () => {
    withFile(text, (file) => assert.match(mistakesOf({ env: {}, file }), expected));
  });
}

test.run();
