import type { IncomingMessage } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../src/config/load.ts';
import { UntrustedProxy } from '../../src/http/client-address.ts';

const test = suite('a proxy that is not trusted');

const HOUR_MS = 3_600_000;
const BEHIND = { PUSHCTL_BASE_URL: 'https://push.example.com/api' };

function watching(env: Readonly<Record<string, string>>) {
  let nowMs = Date.parse('2026-11-21T09:30:00Z');
  const proxy = new UntrustedProxy(loadConfig({ env, file: null }), { wallMs: () => nowMs });
  return {
    comes(peer: string, headers: Readonly<Record<string, string>> = { 'x-forwarded-for': '203.0.113.9' }) {
      proxy.look({ headers, socket: { remoteAddress: peer } } as unknown as IncomingMessage);
    },
    passes(ms: number) {
      nowMs += ms;
    },
    messages: () => proxy.findings().map(({ message }) => message),
    findings: () => proxy.findings(),
  };
}

test('Forwarded requests of an unnamed proxy are one warning with their number and its address, until an hour after the last', () => {
  const { comes, passes, messages, findings } = watching(BEHIND);
  comes('127.0.0.1', {});
  assert.equal(messages(), []);
  for (const header of ['x-forwarded-for', 'x-forwarded-proto', 'forwarded'])
    comes('::ffff:10.0.0.7', { [header]: 'x' });
  passes(HOUR_MS - 1);
  const [finding, ...others] = findings();
  assert.equal([finding?.check, finding?.status, others], ['proxy', 'warn', []]);
  assert.match(finding?.message ?? '', /^3 requests since 2026-11-21T09:30:00.* headers of 10\.0\.0\.7, which/);
  assert.match(finding?.advice ?? '', '[proxy] trusted = ["10.0.0.7"]');
  comes('10.0.0.8');
  assert.match(messages()[0] ?? '', /^4 requests .* of 10\.0\.0\.8 and others, /);
  passes(HOUR_MS);
  assert.equal(messages(), []);
  comes('10.0.0.8');
  assert.match(messages()[0] ?? '', /^1 request since 2026-11-21T11:29:59.* of 10\.0\.0\.8, /);
});

test('A trusted proxy, a server with its own address and one with a certificate are no reason to warn', () => {
  for (const [env, peer] of [
    [{ ...BEHIND, PUSHCTL_PROXY_TRUSTED: '10.0.0.0/8' }, '10.0.0.7'],
    [{}, '10.0.0.7'],
    [{ PUSHCTL_BASE_URL: 'http://localhost:8080/api' }, '127.0.0.1'],
    [{ ...BEHIND, PUSHCTL_TLS_CERT: 'cert.pem', PUSHCTL_TLS_KEY: 'key.pem' }, '10.0.0.7'],
  ] as const) {
    const { comes, messages } = watching(env);
    comes(peer);
    assert.equal(messages(), [], JSON.stringify(env));
  }
});

test.run();
