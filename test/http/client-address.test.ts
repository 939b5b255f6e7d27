import type { IncomingMessage } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ClientAddresses } from '../../src/http/client-address.ts';
import { OperatorProblem } from '../../src/process/problem.ts';

function from(remoteAddress: string, forwardedFor?: string): IncomingMessage {
  return { socket: { remoteAddress }, headers: { 'x-forwarded-for': forwardedFor } } as unknown as IncomingMessage;
}

test('without a trusted proxy X-Forwarded-For is ignored', () => {
  assert.is(new ClientAddresses([]).addressOf(from('192.0.2.1', '203.0.113.9')), '192.0.2.1');
});

test('behind a trusted proxy the client is the rightmost hop that is not trusted', () => {
  const addresses = new ClientAddresses(['127.0.0.1', '10.0.0.0/8', '2001:db8::/32']);
  const cases: [string, string | undefined, string][] = [
    ['127.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['::ffff:127.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['127.0.0.1', '6.6.6.6, 203.0.113.9, 10.1.2.3', '203.0.113.9'],
    ['2001:db8::7', '203.0.113.9:4711', '203.0.113.9'],
    ['127.0.0.1', '[2003::5]:443', '2003::5'],
    ['127.0.0.1', '10.0.0.1, 10.0.0.2', '10.0.0.1'],
    ['127.0.0.1', undefined, '127.0.0.1'],
    ['127.0.0.1', '203.0.113.9, nonsense', '127.0.0.1'],
    ['192.0.2.1', '203.0.113.9', '192.0.2.1'],
  ];
  for (const [remote, field, client] of cases) assert.is(addresses.addressOf(from(remote, field)), client, field);
});

test('a trusted proxy says whether its client speaks HTTPS, and silence means that it does', () => {
  const scheme = (remoteAddress: string, proto?: string, socket: object = {}) =>
    new ClientAddresses(['127.0.0.1']).schemeOf({
      socket: { remoteAddress, ...socket },
      headers: { 'x-forwarded-proto': proto },
    } as unknown as IncomingMessage);
  assert.equal(
    [scheme('127.0.0.1'), scheme('127.0.0.1', 'https'), scheme('127.0.0.1', 'http')],
    ['https', 'https', 'http'],
  );
  assert.is(scheme('127.0.0.1', 'http, https'), 'http');
  assert.equal([scheme('192.0.2.1', 'https'), scheme('192.0.2.1', 'http', { encrypted: true })], ['http', 'https']);
});

test('an IPv6 client is counted by its /64, an IPv4 client by its address', () => {
  const addresses = new ClientAddresses([]);
  assert.is(addresses.networkOf(from('2003:0:1:2:3:4:5:6')), '2003:0:1:2::/64');
  assert.is(addresses.networkOf(from('2003:0:1:2::1')), '2003:0:1:2::/64');
  assert.is(addresses.networkOf(from('2003::1')), '2003:0:0:0::/64');
  assert.is(addresses.networkOf(from('fe80::1%eth0')), 'fe80:0:0:0::/64');
  assert.is(addresses.networkOf(from('::1')), '0:0:0:0::/64');
  assert.is(addresses.networkOf(from('::ffff:192.0.2.1')), '192.0.2.1');
});

test('an IPv6 client is in a /48, a /56 and a /64', () => {
  const addresses = new ClientAddresses([]);
  const wide = addresses.networksOf(from('2003:0:1:ff02:3:4:5:6'));
  assert.equal(wide, ['2003:0:1:0::/48', '2003:0:1:ff00::/56', '2003:0:1:ff02::/64']);
  assert.equal(addresses.networksOf(from('::ffff:192.0.2.1')), ['192.0.2.1']);
});

test('a trusted proxy that is no address is a mistake of the operator', () => {
  for (const entry of ['proxy', '10.0.0.0/33', '10.0.0.0/', '::/129', '10.0.0.0/8/8', '']) {
    assert.throws(
      () => new ClientAddresses([entry]),
      (error: unknown) => error instanceof OperatorProblem && error.message.includes(entry),
    );
  }
});

test.run();
