import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { apnsOutcome } from '../../src/providers/apns/client.ts';
import { fcmOutcome } from '../../src/providers/fcm/client.ts';
import { NotConnected } from '../../src/providers/https.ts';

/** The recorded answers of @parse/node-apn; for some errors it has only their texts. */
const APNS: readonly (readonly [string, object, object])[] = [
  [
    'a dead token',
    { status: 410, response: { reason: 'Unregistered', timestamp: 1_795_000_000_123 } },
    { kind: 'unregistered', reason: 'Unregistered', atMs: 1_795_000_000_123 },
  ],
  [
    'an expired signed token, whose reason is in the error',
    { status: 403, error: new Error('ExpiredProviderToken') },
    { kind: 'unauthorized', reason: 'ExpiredProviderToken' },
  ],
  [
    'a refused stream',
    { error: new Error('apn write failed: Stream closed with error code NGHTTP2_REFUSED_STREAM') },
    { kind: 'deferred', pace: 'fault', reason: 'refused_stream' },
  ],
  [
    'a yes that the library takes for an error',
    { error: new Error('apn request failed with status 204 and empty body') },
    { kind: 'accepted' },
  ],
  ['nothing that can be read', { device: 'x' }, { kind: 'deferred', pace: 'fault', reason: 'connection_lost' }],
];
for (const [name, failure, outcome] of APNS) {
  test(`APNs: ${name}`, () => {
    assert.equal(apnsOutcome(failure), outcome);
  });
}

const FCM_ERROR = 'type.googleapis.com/google.firebase.fcm.v1.FcmError';
const BAD_REQUEST = 'type.googleapis.com/google.rpc.BadRequest';
const QUOTA_FAILURE = 'type.googleapis.com/google.rpc.QuotaFailure';
const answered = (status: number, error: unknown, headers: object = {}) =>
  Object.assign(new Error('x'), { code: 'messaging/x', httpResponse: { status, headers, data: { error } } });

const FCM: readonly (readonly [string, unknown, object])[] = [
  ['a yes that the SDK takes for an error', answered(204, undefined), { kind: 'accepted' }],
  [
    'a dead token',
    answered(404, { status: 'NOT_FOUND', details: [{ '@type': FCM_ERROR, errorCode: 'UNREGISTERED' }] }),
    { kind: 'unregistered', reason: 'UNREGISTERED' },
  ],
  [
    'a wrong project, which is not a dead token though the SDK says so',
    Object.assign(answered(404, { status: 'NOT_FOUND', message: 'Requested entity was not found.' }), {
      code: 'messaging/registration-token-not-registered',
    }),
    { kind: 'unauthorized', reason: 'NOT_FOUND' },
  ],
  [
    'a bad token, by its sentence',
    answered(400, {
      message: 'The registration token is not a valid FCM registration token',
      status: 'INVALID_ARGUMENT',
      details: [{ '@type': FCM_ERROR, errorCode: 'INVALID_ARGUMENT' }],
    }),
    { kind: 'unregistered', quarantine: true, reason: 'INVALID_TOKEN' },
  ],
  [
    'a bad token, by its field',
    answered(400, {
      message: 'Request contains an invalid argument.',
      status: 'INVALID_ARGUMENT',
      details: [
        { '@type': FCM_ERROR, errorCode: 'INVALID_ARGUMENT' },
        { '@type': BAD_REQUEST, fieldViolations: [{ field: 'message.token' }] },
      ],
    }),
    { kind: 'unregistered', quarantine: true, reason: 'INVALID_TOKEN' },
  ],
  [
    'a bad field of ours, even if a token is spoken of',
    answered(400, {
      message: 'Invalid value, see registration token',
      status: 'INVALID_ARGUMENT',
      details: [
        { '@type': FCM_ERROR, errorCode: 'INVALID_ARGUMENT' },
        { '@type': BAD_REQUEST, fieldViolations: [{ field: 'message.android.ttl' }] },
      ],
    }),
    { kind: 'rejected', reason: 'INVALID_ARGUMENT' },
  ],
  [
    'a disabled API, which is no mix-up of tokens',
    answered(403, { status: 'PERMISSION_DENIED' }),
    { kind: 'unauthorized', reason: 'PERMISSION_DENIED' },
  ],
  [
    'a spent quota of the project',
    answered(
      429,
      { status: 'RESOURCE_EXHAUSTED', details: [{ '@type': FCM_ERROR, errorCode: 'QUOTA_EXCEEDED' }] },
      { 'retry-after': '31' },
    ),
    { kind: 'unavailable', reason: 'QUOTA_EXCEEDED', retryAfterS: 31 },
  ],
  [
    'a spent quota of one device',
    answered(429, {
      status: 'RESOURCE_EXHAUSTED',
      details: [
        { '@type': FCM_ERROR, errorCode: 'QUOTA_EXCEEDED' },
        { '@type': QUOTA_FAILURE, violations: [{ subject: 'device:x', description: 'Device message rate exceeded' }] },
      ],
    }),
    { kind: 'deferred', pace: 'busy', reason: 'DEVICE_QUOTA_EXCEEDED' },
  ],
  [
    'a 502 of some proxy',
    Object.assign(new Error('x'), { httpResponse: { status: 502, headers: {}, data: '<html>' } }),
    { kind: 'deferred', pace: 'busy', reason: 'http_502' },
  ],
  [
    'a 200 that is not of FCM',
    Object.assign(new Error('x'), { httpResponse: { status: 200, headers: {}, data: '<html>' } }),
    { kind: 'deferred', pace: 'fault', reason: 'unreadable_answer' },
  ],
  [
    'a certificate that is not trusted',
    Object.assign(new Error('x'), {
      code: 'app/network-error',
      cause: new NotConnected('fcm.googleapis.com', {
        code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
        message: 'unable; if the root CA is installed locally, try running Node.js with --use-system-ca',
      }),
    }),
    {
      kind: 'unavailable',
      reason: 'connect_failed',
      words: 'fcm.googleapis.com: UNABLE_TO_VERIFY_LEAF_SIGNATURE (unable)',
    },
  ],
  [
    'a message that the SDK does not like',
    Object.assign(new Error('x'), { code: 'messaging/invalid-payload' }),
    { kind: 'rejected', reason: 'message_refused' },
  ],
];
for (const [name, error, outcome] of FCM) {
  test(`FCM: ${name}`, () => {
    assert.equal(fcmOutcome(error), outcome);
  });
}

test('FCM: a Retry-After that is a date is counted from now', () => {
  const inAMinute = new Date(Date.now() + 60_000).toUTCString();
  const outcome = fcmOutcome(answered(503, { status: 'UNAVAILABLE' }, { 'retry-after': inAMinute }));
  const seconds = outcome.kind === 'deferred' ? outcome.retryAfterS : undefined;
  assert.ok(seconds !== undefined && seconds > 55 && seconds <= 60);
});

test('FCM: a Retry-After that is neither whole seconds nor a date says nothing', () => {
  for (const wrong of ['1.5', '120.5', '-1', '+5', '', 'soon']) {
    const outcome = fcmOutcome(answered(503, { status: 'UNAVAILABLE' }, { 'retry-after': wrong }));
    assert.equal(outcome, { kind: 'deferred', pace: 'busy', reason: 'UNAVAILABLE' }, wrong);
  }
});

test.run();
