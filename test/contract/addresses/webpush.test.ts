import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { BrowserSubscription, DeviceAddress } from '../../../src/contract/addresses/address.ts';
import { addressProblems, givenAddress, pushServiceOf, storedAddress } from '../../../src/contract/addresses.ts';
import { browserKeys } from '../../support/browser-keys.ts';

const MOZILLA = 'https://updates.push.services.mozilla.com/wpush/v2/gAAAAABn';
const KEYS = browserKeys();

const ROUTES = [
  ['https://fcm.googleapis.com/fcm/send/dXo:APA91b', 'webpush_google'],
  ['https://jmt17.google.com/fcm/send/dXo:APA91b', 'webpush_google'],
  [MOZILLA, 'webpush_mozilla'],
  ['https://web.push.apple.com/QGuQ', 'webpush_apple'],
  [`https://${'a'.repeat(63)}.a-1.push.apple.com/`, 'webpush_apple'],
  ['https://wns2-par02p.notify.windows.com/w/?token=BQYA', 'webpush_microsoft'],
  ['https://push.example.com/UP?token=x', 'webpush_other'],
] as const;

for (const [endpoint, route] of ROUTES) {
  test(`the browser at ${new URL(endpoint).hostname} is on ${route}`, () => {
    assert.equal(problemsOf({ endpoint }), []);
    assert.is(storedAddress(web({ endpoint })).route, route);
  });
}

/** Endpoints that a user might register to have the server call somewhere else. */
const HOSTILE: readonly (readonly [endpoint: string, what: string])[] = [
  ['https://evil.example/fcm.googleapis.com/', 'a known host in the path'],
  ['https://evil.example/?https://fcm.googleapis.com/', 'a known host in the query'],
  ['https://fcm.googleapis.com.evil.example/', 'a known host as the beginning of another'],
  ['https://evilfcm.googleapis.com/', 'a host that ends in a known one'],
  ['https://evilpush.apple.com/', 'a domain that ends in a known one'],
  ['https://..push.apple.com/', 'an empty label'],
  ['https://a..push.apple.com/', 'an empty label behind another'],
  ['https://-a.push.apple.com/', 'a label that begins with a hyphen'],
  ['https://a-.push.apple.com/', 'a label that ends with a hyphen'],
  ['https://a_b.push.apple.com/', 'a label with an underscore'],
  [`https://${'a'.repeat(64)}.push.apple.com/`, 'a label that is too long'],
  [`https://${'a.'.repeat(121)}push.apple.com/`, 'a name that is too long'],
  ['https://push.apple.com/', 'a known domain without a host in it'],
  ['https://notpush.example.com/', 'a host that ends in an added one'],
  ['https://a.push.example.com/', 'a host below an added one'],
  ['https://fcm.googleapis.com@evil.example/', 'a known host as user name'],
  ['https://me@fcm.googleapis.com/', 'a user name'],
  ['https://me:secret@fcm.googleapis.com/', 'a password'],
  ['https://fcm.googleapis.com:8443/', 'another port'],
  ['https://fcm.googleapis.com./fcm/send/x', 'a dot at the end'],
  ['http://fcm.googleapis.com/fcm/send/x', 'no TLS'],
  ['wss://updates.push.services.mozilla.com/', 'another scheme'],
  ['https://127.0.0.1/', 'an IP address'],
  ['https://2130706433/', 'an IP address in disguise'],
  ['https://[::1]/', 'an IPv6 address'],
  ['https://[::ffff:127.0.0.1]/', 'an IPv4 address as IPv6'],
  ['https://localhost/', 'this machine'],
  ['https://fcm.googleapis.com\\@evil.example/', 'a backslash, which parsers read differently'],
  ['https://fcm.googleаpis.com/', 'a Cyrillic letter'],
  ['https://fcm.googleapis.com/a b', 'a blank'],
  ['https://fcm.googleapis.com/\r\nx: y', 'line ends'],
  ['https://fcm.googleapis.com/#a', 'a fragment'],
  [`https://fcm.googleapis.com/${'a'.repeat(2048)}`, 'too long'],
  ['fcm.googleapis.com', 'no address'],
  ['', 'nothing'],
];

for (const [endpoint, what] of HOSTILE) {
  test(`an endpoint with ${what} is refused, or never leads elsewhere`, () => {
    const [problem] = problemsOf({ endpoint });
    if (problem === undefined)
      assert.is(new URL(storedAddress(web({ endpoint })).token).hostname, 'fcm.googleapis.com');
    else assert.is(problem, 'subscription.endpoint');
  });
}

test('the answer to an unknown host names the known hosts, and nothing of the endpoint', () => {
  const address = web({ endpoint: 'https://push.example.com/UP?token=x' });
  const [{ message = '' } = {}] = addressProblems(address, { pushHosts: [], apps: [] });
  assert.match(message, /known push service: fcm\.googleapis\.com, .*\*\.push\.apple\.com, .* webpush\.hosts\.$/);
  assert.not.match(message, /example|UP|token/);
});

const P256DH = 'subscription.keys.p256dh';
const AUTH = 'subscription.keys.auth';
const WRONG_KEYS: readonly (readonly [keys: unknown, what: string, fields: readonly string[]])[] = [
  [undefined, 'no keys', ['subscription.keys']],
  ['{}', 'a text', ['subscription.keys']],
  [null, 'null', ['subscription.keys']],
  [{}, 'neither', [P256DH, AUTH]],
  [{ auth: KEYS.auth }, 'no p256dh', [P256DH]],
  [{ p256dh: KEYS.p256dh }, 'no auth', [AUTH]],
  [{ ...KEYS, p256dh: 5 }, 'a number', [P256DH]],
  [{ ...KEYS, p256dh: Buffer.alloc(65, 4).toString('base64url') }, 'a point on no curve', [P256DH]],
  [
    { ...KEYS, p256dh: Buffer.from(KEYS.p256dh, 'base64url').fill(2, 0, 1).toString('base64url') },
    'a first byte of 2',
    [P256DH],
  ],
  [{ ...KEYS, p256dh: KEYS.p256dh.slice(0, 44) }, 'a short p256dh', [P256DH]],
  [{ ...KEYS, p256dh: `${KEYS.p256dh}AAAA` }, 'a long p256dh', [P256DH]],
  [{ ...KEYS, auth: Buffer.alloc(15).toString('base64url') }, 'an auth of 15 bytes', [AUTH]],
  [{ ...KEYS, auth: Buffer.alloc(17).toString('base64url') }, 'an auth of 17 bytes', [AUTH]],
  [{ ...KEYS, auth: '!!!!!!!!!!!!!!!!!!!!!!' }, 'no base64url', [AUTH]],
];

for (const [keys, what, fields] of WRONG_KEYS) {
  test(`keys with ${what} are refused`, () => {
    assert.equal(problemsOf({ keys } as Partial<BrowserSubscription>), fields);
  });
}

test('a value that is no object is no subscription', () => {
  for (const subscription of [undefined, null, MOZILLA, [MOZILLA]]) {
    const address = { platform: 'web', subscription } as unknown as DeviceAddress;
    assert.equal(fieldsOf(address), ['subscription']);
  }
});

test('two spellings of one subscription are stored alike', () => {
  const padded = { p256dh: `${KEYS.p256dh}=`, auth: `${KEYS.auth}==` };
  const shouted = MOZILLA.replace('https://updates', 'HTTPS://UPDATES').replace('.com/', '.com:443/');
  assert.equal(problemsOf({ endpoint: shouted, keys: padded }), []);
  assert.equal(storedAddress(web({ endpoint: shouted, keys: padded })), storedAddress(web({})));
  assert.equal(storedAddress(web({})), {
    platform: 'web',
    route: 'webpush_mozilla',
    environment: null,
    token: MOZILLA,
    tokenKind: 'token',
    keys: JSON.stringify(KEYS),
  });
});

test('a stored address can be given again', () => {
  const stored = storedAddress(web({}));
  assert.equal(storedAddress({ platform: 'web', ...givenAddress('web', stored) }), stored);
  assert.is(pushServiceOf('web', stored.token), 'updates.push.services.mozilla.com');
});

test('a browser has no environment, no token, and no kind of token', () => {
  const address = { ...web({}), environment: 'production', token: MOZILLA, tokenKind: 'installation_id' } as const;
  assert.equal(fieldsOf(address), ['environment', 'token_kind', 'token']);
});

test('only a browser has a subscription', () => {
  const { subscription } = web({});
  assert.equal(fieldsOf({ platform: 'ios', token: 'ab'.repeat(32), subscription }), ['subscription']);
  assert.equal(fieldsOf({ platform: 'android', token: 'a'.repeat(140), subscription }), ['subscription']);
});

test.run();

function web(changed: Partial<BrowserSubscription>) {
  return { platform: 'web', subscription: { endpoint: MOZILLA, keys: KEYS, ...changed } } as const;
}

function problemsOf(changed: Partial<BrowserSubscription>): readonly string[] {
  return fieldsOf(web(changed));
}

/** Those that are wrong. */
function fieldsOf(address: DeviceAddress): readonly string[] {
  return addressProblems(address, { pushHosts: ['push.example.com'], apps: [] }).map(({ field }) => field);
}
