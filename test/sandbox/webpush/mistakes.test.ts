import { test } from 'uvu';
import * as assert from 'uvu/assert';
import webPush from 'web-push';
import type { WebPushRoute } from '../../../src/contract/push-services.ts';
import { PROVIDERS } from '../../../src/push.ts';
import { aSandbox } from '../../support/sandbox.ts';
import {
  answerText,
  issuedSubscription,
  NO_ENDPOINT,
  OUR_KEYS,
  postWebPush,
  vapidHeader,
  type WebPushPost,
} from '../../support/web-push.ts';

const nowS = Math.floor(Date.now() / 1000);
const OTHER_KEYS = webPush.generateVAPIDKeys();
const TOO_LONG = Buffer.alloc(4097);
const [good = '', key = ''] = vapidHeader('https://x').split(', k=');

/** Everything that senders do wrong. */
const MISTAKES = {
  'no authorization': { headers: { authorization: undefined } },
  'an authorization of another scheme': { headers: { authorization: 'Bearer abc' } },
  'a signature of another key': { headers: { authorization: `${good}, k=${OTHER_KEYS.publicKey}` } },
  'a key of 64 bytes': { headers: { authorization: `${good}, k=${key.slice(0, 86)}` } },
  'a key on no curve': { headers: { authorization: `${good}, k=${Buffer.alloc(65, 4).toString('base64url')}` } },
  'no audience': { claims: { aud: undefined } },
  'another audience': { claims: { aud: 'https://push.example.com' } },
  'no expiry': { claims: { exp: undefined } },
  'an expiry in words': { claims: { exp: String(nowS + 3600) } },
  'an expired token': { claims: { exp: nowS - 1 } },
  'a token for more than a day': { claims: { exp: nowS + 86_400 + 600 } },
  'no contact': { claims: { sub: undefined } },
  'a contact on a local domain': { contact: 'mailto:ada@printer.local' },
  'a contact on this machine': { contact: 'mailto:ada@localhost' },
  'a contact at an IP address': { contact: 'https://10.0.0.1/' },
  'another key than the subscription was made with': { vapid: OTHER_KEYS },
  'no TTL': { headers: { ttl: undefined } },
  'a TTL in words': { headers: { ttl: 'soon' } },
  'a negative TTL': { headers: { ttl: '-1' } },
  'a TTL of 0': { headers: { ttl: '0' } },
  'a TTL above 28 days': { headers: { ttl: '2419201' } },
  'a topic of 33 characters': { headers: { topic: 'x'.repeat(33) } },
  'a topic with a dot': { headers: { topic: 'disk.full' } },
  'a topic that is no base64url': { headers: { topic: 'alert' } },
  'an urgency that there is not': { headers: { urgency: 'urgent' } },
  'no content encoding': { headers: { 'content-encoding': undefined } },
  'an older content encoding': { headers: { 'content-encoding': 'aesgcm' } },
  'a body of 4097 bytes': { body: TOO_LONG },
  'no cache policy': { headers: { 'x-wns-cache-policy': undefined } },
  GET: { method: 'GET', headers: { 'content-encoding': undefined }, body: Buffer.alloc(0) },
} as const satisfies Record<string, WebPushPost>;
type Mistake = keyof typeof MISTAKES;
const UNSIGNED: readonly Mistake[] = [
  'an authorization of another scheme',
  'a signature of another key',
  'a key of 64 bytes',
  'a key on no curve',
  'no audience',
  'another audience',
  'no expiry',
  'an expiry in words',
  'an expired token',
  'a token for more than a day',
];

const OTHER_KEY =
  '403 the VAPID credentials in the authorization header do not correspond to the credentials used to create the subscriptions.';

/** The answer of each service; a mistake that is not listed is none to that service. */
const ANSWERS: Readonly<Record<WebPushRoute, Partial<Record<Mistake, string>>>> = {
  webpush_google: {
    'no authorization': '403 sender is not authenticated.',
    'an authorization of another scheme':
      '403 authorization header had invalid format. authorization header should have the following format: t=jwtToken; k=base64(publicApplicationServerKey)',
    'a signature of another key': '403 invalid JWT provided',
    'a key of 64 bytes': '403 public key must be 65 bytes long',
    'a key on no curve': '403 VAPID public key must be on the P-256 curve',
    'no audience': '403 invalid aud claim',
    'another audience': '403 aud claim in the token MUST include the origin of the push resource URL',
    'no expiry': '403 exp claim is missing',
    'an expiry in words': '403 exp claim is missing',
    'an expired token': '403 token has expired',
    'a token for more than a day': '403 exp claim MUST NOT be more than 24 hours from the time of the request',
    'another key than the subscription was made with': OTHER_KEY,
    'no TTL': '400 invalid TTL',
    'a TTL in words': '400 invalid TTL',
    'a negative TTL': '400 invalid TTL',
    'a TTL above 28 days': '400 invalid TTL',
    'a topic of 33 characters': '400 invalid topic',
    'a topic with a dot': '400 invalid topic',
    'an urgency that there is not': '400 invalid urgency',
    'no content encoding': '400 invalid content encoding',
    'an older content encoding': '400 invalid content encoding',
    'a body of 4097 bytes': '413 The request payload is too large.',
    GET: NO_ENDPOINT,
  },
  webpush_mozilla: {
    'no authorization': '401 109 Missing VAPID public key',
    'an authorization of another scheme': '401 109 Missing VAPID token',
    'a signature of another key': '401 109 VAPID public key mismatch',
    'a key of 64 bytes': '401 109 Invalid VAPID public key',
    'a key on no curve': '401 109 VAPID public key mismatch',
    'no audience': '401 109 Invalid VAPID audience',
    'another audience': '401 109 Invalid VAPID audience',
    'no expiry': '401 109 Invalid VAPID expiry',
    'an expiry in words': '401 109 Invalid VAPID expiry',
    'an expired token': '401 109 ExpiredSignature',
    'a token for more than a day': '401 109 The VAPID token expiration is too long',
    'another key than the subscription was made with': '401 109 VAPID public key mismatch',
    'no TTL': '400 111 Missing TTL value',
    'a TTL in words': '400 111 Missing TTL value',
    'a negative TTL': '400 114 TTL must be greater than 0',
    'a topic of 33 characters': '400 113 Topic must be no greater than 32 characters',
    'a topic with a dot': '400 113 Topic must be URL and Filename safe Base64 alphabet',
    'no content encoding': '400 110 Missing Content-Encoding header',
    'an older content encoding': '400 110 Unknown Content-Encoding header',
    'a body of 4097 bytes': '413 104 Request is too large',
    GET: '404 102 Invalid token',
  },
  webpush_apple: {
    'no authorization': '403 BadJwtToken',
    'an authorization of another scheme': '403 BadJwtToken',
    'a signature of another key': '403 BadJwtToken',
    'a key of 64 bytes': '403 BadVapidPublicKey',
    'a key on no curve': '403 BadVapidPublicKey',
    'no audience': '403 BadJwtToken',
    'another audience': '403 BadJwtToken',
    'no expiry': '403 BadJwtToken',
    'an expiry in words': '403 BadJwtToken',
    'an expired token': '403 BadJwtToken',
    'a token for more than a day': '403 BadJwtToken',
    'no contact': '403 BadJwtToken',
    'a contact on a local domain': '403 BadJwtToken',
    'a contact on this machine': '403 BadJwtToken',
    'a contact at an IP address': '403 BadJwtToken',
    'another key than the subscription was made with': '400 VapidPkHashMismatch',
    'no TTL': '400 BadTtl',
    'a TTL in words': '400 BadTtl',
    'a negative TTL': '400 BadTtl',
    'a TTL of 0': '400 BadTtl',
    'a topic of 33 characters': '400 BadWebPushTopic',
    'a topic with a dot': '400 BadWebPushTopic',
    'a topic that is no base64url': '400 BadWebPushTopic',
    'an urgency that there is not': '400 BadUrgency',
    'no content encoding': '400 BadWebPushRequest',
    'an older content encoding': '400 BadWebPushRequest',
    'a body of 4097 bytes': '413 PayloadTooLarge',
    GET: '405 MethodNotAllowed',
  },
  webpush_microsoft: {
    ...forEach(['no authorization', ...UNSIGNED], '401 Authorization is missing or invalid.'),
    'another key than the subscription was made with': '403 The key does not match the channel.',
    ...forEach(['no TTL', 'a TTL in words', 'a negative TTL'], '400 Ttl value is missing or invalid.'),
    ...forEach(['a TTL of 0', 'no cache policy'], '400 Ttl value conflicts with X-WNS-Cache-Policy.'),
    ...forEach(['a topic of 33 characters', 'a topic with a dot'], '400 Topic is invalid.'),
    ...forEach(['no content encoding', 'an older content encoding'], '400 Content-Encoding is missing or invalid.'),
    'a body of 4097 bytes': '413 The payload is too large.',
    GET: '404 The channel is not valid.',
  },
  webpush_other: {
    'no authorization': '401 Unauthorized',
    ...forEach([...UNSIGNED, 'another key than the subscription was made with'], '403 Forbidden'),
    ...forEach(
      [
        'no TTL',
        'a TTL in words',
        'a negative TTL',
        'a topic of 33 characters',
        'a topic with a dot',
        'an urgency that there is not',
        'no content encoding',
        'an older content encoding',
      ],
      '400 Bad Request',
    ),
    'a body of 4097 bytes': '413 Content Too Large',
    GET: '404 Not Found',
  },
};

for (const service of PROVIDERS.webpush.routes) {
  test(`${service} refuses what its real service refuses, in its words, and takes the rest`, async () => {
    await using sandbox = await aSandbox();
    const subscription = issuedSubscription(sandbox, { service, vapidKey: OUR_KEYS.publicKey });
    for (const [mistake, post] of Object.entries(MISTAKES) as [Mistake, WebPushPost][]) {
      assert.is(
        answerText(await postWebPush(sandbox, subscription, post)),
        ANSWERS[service][mistake] ?? '201 ',
        mistake,
      );
    }
    assert.is(sandbox.counts.refused, Object.keys(ANSWERS[service]).length);
  });
}

test.run();

function forEach(mistakes: readonly Mistake[], answer: string): Partial<Record<Mistake, string>> {
  return Object.fromEntries(mistakes.map((mistake) => [mistake, answer]));
}
