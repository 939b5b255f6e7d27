import { generateKeyPairSync } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ConnectionAuth, openAuthorizer } from '../../../src/sandbox/apns/authorization.ts';
import { providerToken } from '../../support/vendor-clients.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 9, 30);
const NOW_S = NOW_MS / 1000;
const MINUTE_MS = 60_000;

test('a provider token must be there, of this key and team, rightly signed, and of the last hour', () => {
  const apnsKey = anApnsKey();
  const authorize = openAuthorizer(apnsKey);
  const bearer = (change: { kid?: string; iss?: string; iat?: number }, key = apnsKey) =>
    `bearer ${providerToken({ apnsKey: key }, { iat: NOW_S, ...change })}`;
  const cases: [string | undefined, string | null][] = [
    [undefined, 'MissingProviderToken'],
    ['', 'MissingProviderToken'],
    ['bearer nonsense', 'InvalidProviderToken'],
    [bearer({}).replace('bearer', 'basic'), 'InvalidProviderToken'],
    [bearer({}), null],
    [bearer({ kid: 'OTHERKEY00' }), 'InvalidProviderToken'],
    [bearer({ iss: 'OTHERTEAM0' }), 'InvalidProviderToken'],
    [bearer({}, anApnsKey()), 'InvalidProviderToken'],
    [bearer({ iat: NOW_S - 3600 }), null],
    [bearer({ iat: NOW_S - 3601 }), 'ExpiredProviderToken'],
    [bearer({ iat: NOW_S + 120 }), 'InvalidProviderToken'],
  ];
  for (const [authorization, reason] of cases) {
    assert.is(authorize(authorization, aConnection(), NOW_MS), reason, authorization ?? 'none');
  }
});

test('a new token on the same connection within 20 minutes is one update too many', () => {
  const apnsKey = anApnsKey();
  const authorize = openAuthorizer(apnsKey);
  const first = `bearer ${providerToken({ apnsKey }, { iat: NOW_S })}`;
  const second = `bearer ${providerToken({ apnsKey }, { iat: NOW_S + 1 })}`;
  const connection = aConnection();
  assert.is(authorize(first, connection, NOW_MS), null);
  assert.is(authorize(second, connection, NOW_MS + 19 * MINUTE_MS), 'TooManyProviderTokenUpdates');
  assert.is(authorize(first, connection, NOW_MS + 19 * MINUTE_MS), null);
  assert.is(authorize(second, aConnection(), NOW_MS + 19 * MINUTE_MS), null);
  assert.is(authorize(second, connection, NOW_MS + 20 * MINUTE_MS), null);
});

function anApnsKey() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { pem, keyId: 'ABCDE12345', teamId: 'TEAM123456' };
}

function aConnection(): ConnectionAuth {
  return { authorization: null, sinceMs: 0 };
}

test.run();
