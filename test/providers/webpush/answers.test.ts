import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { WebPushRoute } from '../../../src/contract/push-services.ts';
import { explain } from '../../../src/providers/explain.ts';
import { WEB_PUSH_OUTCOMES } from '../../../src/providers/webpush/outcomes.ts';
import { PROVIDERS } from '../../../src/push.ts';
import { scriptedService } from '../../support/push-service.ts';
import { Resources } from '../../support/resources.ts';

interface Row {
  readonly status: number;
  readonly body?: string | object;
  readonly headers?: Readonly<Record<string, string>>;
  /** The outcome's kind, `?` where the breaker decides, its pace, and its reason. */
  readonly is: string;
}

const mozilla = (status: number, errno: number | null, is: string, message = 'no'): Row => ({
  status,
  body: { code: status, errno, error: 'Some', message, more_info: 'https://example.com' },
  is,
});
const apple = (status: number, reason: string, is: string): Row => ({ status, body: { reason }, is });
const google = (status: number, body: string, is: string): Row => ({ status, body, is });

/** Texts with which Google refuses a signature. */
const UNSIGNED = [
  'sender is not authenticated.',
  'invalid JWT provided',
  'invalid aud claim',
  'aud claim in the token MUST include the origin of the push resource URL',
  'exp claim MUST NOT be more than 24 hours from the time of the request',
  'token has expired',
  'exp claim is missing',
  'public key must be 65 bytes long',
  'VAPID public key must be on the P-256 curve',
  'authorization header had invalid format.',
];

/** Every answer that is known of each push service. */
const ROWS: Readonly<Record<WebPushRoute, readonly Row[]>> = {
  webpush_google: [
    google(400, '<TITLE>UnauthorizedRegistration</TITLE>', 'unregistered? google_unauthorized_registration'),
    google(400, 'invalid TTL', 'rejected http_400'),
    google(
      403,
      'the VAPID credentials in the authorization header do not correspond to the credentials used to create the subscriptions.',
      'unregistered? google_key_mismatch',
    ),
    ...UNSIGNED.map((text) => google(403, text, 'unauthorized google_403')),
    google(404, 'A valid push subscription endpoint should be specified …', 'unregistered? google_404'),
    google(410, 'push subscription has unsubscribed or expired.', 'unregistered google_410'),
    google(413, '', 'rejected google_413'),
    { status: 429, headers: { 'retry-after': '30' }, is: 'deferred busy 30 google_429' },
  ],
  webpush_mozilla: [
    ...[101, 108, 110, 111, 113, 114].map((errno) => mozilla(400, errno, `rejected mozilla_${errno}`)),
    mozilla(400, 112, 'rejected mozilla_112'),
    mozilla(401, 109, 'unregistered? mozilla_key_mismatch', 'VAPID public key mismatch'),
    mozilla(401, 109, 'unauthorized mozilla_109', 'Invalid VAPID audience'),
    mozilla(404, 102, 'unregistered mozilla_102'),
    ...[103, 105, 106].map((errno) => mozilla(410, errno, `unregistered mozilla_${errno}`)),
    mozilla(413, 104, 'rejected mozilla_104'),
    mozilla(500, null, 'deferred busy http_500'),
    mozilla(500, 999, 'deferred busy mozilla_999'),
    ...[900, 901, 902, 903].map((errno) => mozilla(502, errno, `deferred busy mozilla_${errno}`)),
    ...[201, 202].map((errno) => ({
      ...mozilla(503, errno, `deferred busy 120 mozilla_${errno}`),
      headers: { 'retry-after': '120' },
    })),
    { status: 410, body: '<html>', is: 'deferred fault unreadable_answer' },
    { status: 404, body: { errno: 106 }, is: 'unregistered? mozilla_106' },
  ],
  webpush_apple: [
    ...['BadTtl', 'BadUrgency', 'BadWebPushTopic', 'BadWebPushRequest'].map((reason) =>
      apple(400, reason, `rejected ${reason}`),
    ),
    ...[400, 403].map((status) => apple(status, 'VapidPkHashMismatch', 'unregistered? VapidPkHashMismatch')),
    apple(403, 'BadJwtToken', 'unauthorized BadJwtToken'),
    apple(403, 'BadVapidPublicKey', 'unauthorized BadVapidPublicKey'),
    apple(404, 'BadPath', 'unregistered apple_404'),
    apple(410, 'Unregistered', 'unregistered apple_410'),
    apple(413, 'PayloadTooLarge', 'rejected PayloadTooLarge'),
    apple(429, 'TooManyRequests', 'deferred busy TooManyRequests'),
    { status: 500, is: 'deferred busy apple_500' },
    { status: 503, is: 'deferred busy apple_503' },
  ],
  webpush_microsoft: [
    { status: 201, headers: { 'X-WNS-NOTIFICATIONSTATUS': 'received' }, is: 'accepted' },
    { status: 201, headers: { 'X-WNS-NOTIFICATIONSTATUS': 'dropped' }, is: 'rejected wns_dropped' },
    { status: 201, headers: { 'X-WNS-STATUS': 'dropped' }, is: 'rejected wns_dropped' },
    {
      status: 201,
      headers: { 'X-WNS-NOTIFICATIONSTATUS': 'channelthrottled' },
      is: 'deferred busy wns_channelthrottled',
    },
    { status: 400, headers: { 'X-WNS-ERROR-DESCRIPTION': 'Ttl value conflicts' }, is: 'rejected wns_400' },
    { status: 401, is: 'unauthorized wns_401' },
    { status: 403, is: 'unauthorized wns_403' },
    { status: 404, is: 'unregistered wns_404' },
    { status: 410, is: 'unregistered wns_410' },
    { status: 406, headers: { 'retry-after': '60' }, is: 'deferred busy 60 wns_406' },
    { status: 429, headers: { 'retry-after': '60' }, is: 'deferred busy 60 wns_429' },
  ],
  webpush_other: [
    { status: 404, is: 'unregistered other_404' },
    { status: 410, is: 'unregistered other_410' },
    { status: 413, is: 'rejected other_413' },
    { status: 429, is: 'deferred busy other_429' },
  ],
};

/** From every service. */
const OF_ALL: readonly Row[] = [
  ...[200, 201, 202, 203, 204, 226].map((status) => ({ status, is: 'accepted' })),
  ...[301, 302, 307, 308].map((status) => ({
    status,
    headers: { location: 'https://evil.example/' },
    is: `rejected http_${status}`,
  })),
  { status: 402, is: 'rejected http_402' },
  { status: 418, is: 'rejected http_418' },
  { status: 501, is: 'deferred busy http_501' },
  { status: 502, body: '<html>Bad gateway</html>', is: 'deferred busy http_502' },
  { status: 504, is: 'deferred busy http_504' },
];

for (const route of PROVIDERS.webpush.routes) {
  test(`${route}: every answer has its outcome, and a reason that is explained`, async () => {
    await using opened = new Resources();
    const service = await scriptedService(opened, route);
    for (const { status, body = '', headers = {}, is } of [...ROWS[route], ...OF_ALL]) {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      service.answer((response) => response.writeHead(status, headers).end(text));
      const outcome = await service.push();
      assert.is(summary(outcome), is, `${status} ${text}`);
      if (is !== 'accepted' && !/_(112|106)$/.test(is)) assert.ok(explain(is.split(' ').at(-1) ?? '').length > 0, is);
    }
  });
}

test('no answer of a kind that may pass ends a browser', () => {
  for (const [reason, { status, outcome }] of Object.entries(WEB_PUSH_OUTCOMES.entries)) {
    if (outcome.kind === 'unregistered') assert.ok([400, 401, 403, 404, 410].includes(status ?? 0), reason);
  }
});

test.run();

function summary(outcome: object): string {
  const { kind, quarantine, pace, retryAfterS, reason } = outcome as Readonly<Record<string, unknown>>;
  return [quarantine ? `${kind}?` : kind, pace, retryAfterS, reason].filter((part) => part !== undefined).join(' ');
}
