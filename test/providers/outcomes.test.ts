import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { APNS_OUTCOMES } from '../../src/providers/apns/outcomes.ts';
import { explain, explanations } from '../../src/providers/explain.ts';
import { FCM_OUTCOMES } from '../../src/providers/fcm/outcomes.ts';
import { FAULT_OUTCOMES, outcomeOf, outcomeOfFault } from '../../src/providers/outcomes.ts';
import { PROVIDERS } from '../../src/providers/table.ts';
import { WEB_PUSH_OUTCOMES } from '../../src/providers/webpush/outcomes.ts';
import type { ProviderName } from '../../src/push.ts';

/** Every answer that the vendors document, in words: kind, then what sets it apart. */
const DOCUMENTED: readonly (readonly [ProviderName, number, string, string])[] = [
  ['apns', 400, 'BadCollapseId', 'rejected'],
  ['apns', 400, 'BadExpirationDate', 'rejected'],
  ['apns', 400, 'BadMessageId', 'rejected'],
  ['apns', 400, 'BadPriority', 'rejected'],
  ['apns', 400, 'InvalidPushType', 'rejected'],
  ['apns', 400, 'DuplicateHeaders', 'rejected'],
  ['apns', 400, 'PayloadEmpty', 'rejected'],
  ['apns', 400, 'MissingDeviceToken', 'rejected'],
  ['apns', 400, 'BadDeviceToken', 'unregistered quarantine'],
  ['apns', 400, 'DeviceTokenNotForTopic', 'unregistered quarantine'],
  ['apns', 400, 'BadTopic', 'unauthorized'],
  ['apns', 400, 'MissingTopic', 'unauthorized'],
  ['apns', 400, 'TopicDisallowed', 'unauthorized'],
  ['apns', 400, 'IdleTimeout', 'deferred fault'],
  ['apns', 403, 'ExpiredProviderToken', 'unauthorized'],
  ['apns', 403, 'InvalidProviderToken', 'unauthorized'],
  ['apns', 403, 'MissingProviderToken', 'unauthorized'],
  ['apns', 403, 'BadCertificate', 'unauthorized'],
  ['apns', 403, 'BadCertificateEnvironment', 'unauthorized'],
  ['apns', 403, 'Forbidden', 'unauthorized'],
  ['apns', 403, 'BadEnvironmentKeyIdInToken', 'unauthorized'],
  ['apns', 403, 'BadEnvironmentKeyInToken', 'unauthorized'],
  ['apns', 403, 'UnrelatedKeyIdInToken', 'unauthorized'],
  ['apns', 404, 'BadPath', 'rejected'],
  ['apns', 405, 'MethodNotAllowed', 'rejected'],
  ['apns', 410, 'Unregistered', 'unregistered'],
  ['apns', 410, 'ExpiredToken', 'unregistered'],
  ['apns', 413, 'PayloadTooLarge', 'rejected'],
  ['apns', 429, 'TooManyProviderTokenUpdates', 'unavailable 1200'],
  ['apns', 429, 'TooManyRequests', 'deferred busy'],
  ['apns', 500, 'InternalServerError', 'deferred busy'],
  ['apns', 503, 'ServiceUnavailable', 'deferred busy'],
  ['apns', 503, 'Shutdown', 'deferred busy'],
  ['fcm', 400, 'INVALID_ARGUMENT', 'rejected'],
  ['fcm', 400, 'INVALID_TOKEN', 'unregistered quarantine'],
  ['fcm', 400, 'FAILED_PRECONDITION', 'unauthorized'],
  ['fcm', 401, 'UNAUTHENTICATED', 'unauthorized'],
  ['fcm', 401, 'THIRD_PARTY_AUTH_ERROR', 'rejected'],
  ['fcm', 403, 'PERMISSION_DENIED', 'unauthorized'],
  ['fcm', 403, 'SENDER_ID_MISMATCH', 'unregistered quarantine'],
  ['fcm', 404, 'NOT_FOUND', 'unauthorized'],
  ['fcm', 404, 'UNREGISTERED', 'unregistered'],
  ['fcm', 429, 'QUOTA_EXCEEDED', 'unavailable 60'],
  ['fcm', 429, 'RESOURCE_EXHAUSTED', 'unavailable 60'],
  ['fcm', 429, 'DEVICE_QUOTA_EXCEEDED', 'deferred busy'],
  ['fcm', 500, 'INTERNAL', 'deferred busy'],
  ['fcm', 500, 'UNSPECIFIED_ERROR', 'deferred busy'],
  ['fcm', 503, 'UNAVAILABLE', 'deferred busy'],
  ['fcm', 504, 'DEADLINE_EXCEEDED', 'deferred busy'],
];

const inWords = (outcome: ReturnType<typeof outcomeOf>) =>
  [
    outcome.kind,
    outcome.kind === 'unregistered' && outcome.quarantine && 'quarantine',
    outcome.kind === 'deferred' && outcome.pace,
    'retryAfterS' in outcome && outcome.retryAfterS,
  ]
    .filter(Boolean)
    .join(' ');

for (const [provider, status, reason, expected] of DOCUMENTED) {
  test(`${provider} ${status} ${reason} is ${expected}`, () => {
    const outcome = outcomeOf(PROVIDERS[provider].outcomes, { status, reason });
    assert.is(inWords(outcome), expected);
    assert.is(outcome.kind !== 'accepted' && outcome.reason, reason);
  });
}

test('every documented answer is tried here', () => {
  const tried = (provider: ProviderName) =>
    DOCUMENTED.filter(([name]) => name === provider).map(([, , reason]) => reason);
  assert.equal(tried('apns').sort(), Object.keys(APNS_OUTCOMES.entries).sort());
  assert.equal(tried('fcm').sort(), Object.keys(FCM_OUTCOMES.entries).sort());
});

test('200 is acceptance', () => {
  assert.equal(outcomeOf(APNS_OUTCOMES, { status: 200, reason: null }), { kind: 'accepted' });
});

test('a dead token carries the time since which it is dead', () => {
  assert.equal(outcomeOf(APNS_OUTCOMES, { status: 410, reason: 'Unregistered', atMs: 1_795_000_000_123 }), {
    kind: 'unregistered',
    reason: 'Unregistered',
    atMs: 1_795_000_000_123,
  });
});

test('Retry-After is passed on, and replaces the default', () => {
  assert.equal(outcomeOf(FCM_OUTCOMES, { status: 503, reason: 'UNAVAILABLE', retryAfterS: 7 }), {
    kind: 'deferred',
    pace: 'busy',
    reason: 'UNAVAILABLE',
    retryAfterS: 7,
  });
  assert.equal(outcomeOf(FCM_OUTCOMES, { status: 429, reason: 'QUOTA_EXCEEDED', retryAfterS: 7 }), {
    kind: 'unavailable',
    reason: 'QUOTA_EXCEEDED',
    retryAfterS: 7,
  });
});

test('a reason under another status than its own kills no token', () => {
  assert.is(inWords(outcomeOf(APNS_OUTCOMES, { status: 400, reason: 'Unregistered' })), 'rejected');
  assert.is(inWords(outcomeOf(FCM_OUTCOMES, { status: 503, reason: 'UNREGISTERED' })), 'deferred busy');
});

const UNDOCUMENTED: readonly (readonly [ProviderName, number, string])[] = [
  ['apns', 204, 'accepted'],
  ['fcm', 204, 'accepted'],
  ['apns', 302, 'deferred fault'],
  ['apns', 400, 'rejected'],
  ['apns', 403, 'unauthorized'],
  ['apns', 404, 'rejected'],
  ['apns', 410, 'unregistered quarantine'],
  ['apns', 429, 'deferred busy'],
  ['apns', 502, 'deferred busy'],
  ['fcm', 401, 'unauthorized'],
  ['fcm', 404, 'unauthorized'],
  ['fcm', 407, 'unauthorized'],
  ['fcm', 408, 'deferred busy'],
  ['fcm', 410, 'rejected'],
  ['fcm', 503, 'deferred busy'],
];
for (const [provider, status, expected] of UNDOCUMENTED) {
  test(`${provider} ${status} without a known reason is ${expected}`, () => {
    const outcome = outcomeOf(PROVIDERS[provider].outcomes, { status, reason: null });
    assert.is(inWords(outcome), expected);
    assert.equal(inWords(outcomeOf(PROVIDERS[provider].outcomes, { status, reason: 'Brand_New' })), expected);
    assert.is(explain(`http_${status}`).find((entry) => entry.provider === provider)?.outcome.kind, outcome.kind);
  });
}

test('only what looks like a word is taken over as a reason', () => {
  const reasonFor = (reason: string) => {
    const outcome = outcomeOf(FCM_OUTCOMES, { status: 400, reason });
    return outcome.kind !== 'accepted' && outcome.reason;
  };
  assert.is(reasonFor('BRAND_NEW'), 'BRAND_NEW');
  assert.is(reasonFor('<html>https://secret.example.com</html>'), 'http_400');
  assert.is(reasonFor('toString'), 'toString');
});

test('any answer has an outcome', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('apns' as const, 'fcm' as const),
      fc.nat(999),
      fc.string(),
      (provider, status, reason) => {
        assert.ok(outcomeOf(PROVIDERS[provider].outcomes, { status, reason }).kind);
      },
    ),
  );
});

test('faults of the way there are deferred as faults, a refused connection pauses the route', () => {
  for (const fault of ['timeout', 'connection_lost', 'refused_stream', 'unreadable_answer', 'worker_lost'] as const) {
    assert.equal(outcomeOfFault(fault), { kind: 'deferred', pace: 'fault', reason: fault });
  }
  assert.equal(outcomeOfFault('connect_failed'), { kind: 'unavailable', reason: 'connect_failed' });
  assert.equal(outcomeOfFault('access_token_unavailable'), { kind: 'unavailable', reason: 'access_token_unavailable' });
  assert.equal(outcomeOfFault('access_token_refused'), { kind: 'unauthorized', reason: 'access_token_refused' });
});

const QUEUE_REASONS = [
  'ttl',
  'gone',
  'own_act',
  'device_removed',
  'unsubscribed',
  'inactive',
  'cancelled',
  'quarantine',
  'app_not_configured',
  'muted',
  'restored',
];

test('a push that ended without a word of its provider is explained as well', () => {
  for (const reason of QUEUE_REASONS) {
    const [explained] = explain(reason);
    assert.is(explained?.provider, null);
    assert.match(explained?.means ?? '', /\.$/);
  }
});

test('every entry is explained in sentences, with its name in any case', () => {
  const ofProviders = [APNS_OUTCOMES, FCM_OUTCOMES, WEB_PUSH_OUTCOMES].flatMap(({ entries }) => Object.keys(entries));
  const all = [...ofProviders, ...Object.keys(FAULT_OUTCOMES), ...QUEUE_REASONS];
  assert.is(explanations().length, all.length);
  for (const { reason, means, remedy } of explanations()) {
    assert.match(means, /^[A-Z].*[.]$/, reason);
    assert.match(remedy, /^[A-Z].*[.]$/, reason);
    assert.ok(explain(` ${reason.toUpperCase()}`).some((entry) => entry.means === means));
  }
  assert.equal(explain('nonsense'), []);
});

test.run();
