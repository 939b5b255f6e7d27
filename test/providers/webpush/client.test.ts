import { createECDH, randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { uuidOf } from '../../../src/contract/public-id.ts';
import { systemClock } from '../../../src/process/clock.ts';
import { TokenKeeper } from '../../../src/providers/signing/tokens.ts';
import { createWebPushClient } from '../../../src/providers/webpush/client.ts';
import { encryptFor, MAX_PLAINTEXT_BYTES } from '../../../src/providers/webpush/payload.ts';
import { type Outcome, PROVIDERS, type Target } from '../../../src/push.ts';
import { decryptPush } from '../../../src/sandbox/webpush/subscriptions.ts';
import { browserKeys } from '../../support/browser-keys.ts';
import { scriptedService } from '../../support/push-service.ts';
import { aBatch, aPushEvent, aTarget } from '../../support/pushes.ts';
import { Resources } from '../../support/resources.ts';
import { aSandbox } from '../../support/sandbox.ts';
import { issuedSubscription, OUR_KEYS } from '../../support/web-push.ts';

const CLOCK = systemClock();
const ACCEPTED = { kind: 'accepted' };
const OPTIONS = { ttlS: 60, topic: '00'.repeat(16) };
const MOZILLA = 'https://updates.push.services.mozilla.com/wpush/v2/x';

for (const route of PROVIDERS.webpush.routes) {
  test(`${route}: a service as strict as the real one takes our push, and its browser can read it`, async () => {
    await using opened = new Resources();
    const sandbox = opened.add(await aSandbox());
    const { endpoint, keys } = issuedSubscription(sandbox, { service: route, vapidKey: OUR_KEYS.publicKey });
    const { origin, hostname } = new URL(endpoint);
    const service = await scriptedService(opened, route, {
      settings: {
        hosts: [hostname],
        endpoints: { [origin]: sandbox.webpush.urls[route] },
        ca: sandbox.caPem,
      },
    });
    assert.equal(await service.push({ token: endpoint, keys: JSON.stringify(keys) }), ACCEPTED);
    const { payload } = await sandbox.waitForPush(({ token }) => token === endpoint);
    assert.match(JSON.stringify(payload), '"event_id":"evt_01m7y7qp55ea087ggd7fpjkv29"');
  });
}

test('the headers say how long, how urgent, what it takes the place of, and who sends', async () => {
  await using opened = new Resources();
  const service = await scriptedService(opened, 'webpush_microsoft');
  await service.push({}, { ttlMs: 90_500 });
  await service.push({}, { event: aPushEvent({ collapseKey: 'disk' }) });
  await service.push({}, { ttlMs: 90 * 86_400_000, event: aPushEvent({ collapseKey: 'disk' }) });
  const [first, second, third] = service.posted.map(({ headers }) => headers);
  assert.is(first?.ttl, '90');
  assert.is(first?.urgency, 'high');
  assert.is(first?.topic, uuidOf(aPushEvent().publicId)?.replaceAll('-', ''));
  assert.match(String(second?.topic), /^[0-9a-f]{32}$/);
  assert.is(first?.['content-encoding'], 'aes128gcm');
  assert.is(first?.['x-wns-cache-policy'], 'cache');
  assert.is(first?.host, 'wns2-par02p.notify.windows.com');
  assert.is(second?.ttl, '86400');
  assert.is(third?.ttl, '2419200');
  assert.is.not(second?.topic, first?.topic);
  assert.is(second?.topic, third?.topic);
  assert.match(first?.authorization ?? '', new RegExp(`^vapid t=.*, k=${OUR_KEYS.publicKey}$`));
  assert.is(first?.authorization, third?.authorization, 'signed once for all');
});

test('a push service that keeps a push for less than it was asked for is believed', async () => {
  await using opened = new Resources();
  const service = await scriptedService(opened, 'webpush_mozilla');
  const kept = async (headers: Readonly<Record<string, string>>) => {
    service.answer((response) => void response.writeHead(201, headers).end());
    return service.push({}, { ttlMs: 3_600_000 });
  };
  assert.equal(await kept({ TTL: '60' }), { kind: 'accepted', keptS: 60 });
  assert.equal(await kept({ TTL: '0' }), { kind: 'accepted', keptS: 0 });
  for (const headers of [{ TTL: '3600' }, { TTL: '86400' }, { TTL: '-1' }, { TTL: 'soon' }, {}]) {
    assert.equal(await kept(headers), ACCEPTED);
  }
});

test('a page is the answer of something in between: no push was taken, no signature refused, and no browser gone', async () => {
  await using opened = new Resources();
  const service = await scriptedService(opened, 'webpush_google');
  const page = '<!DOCTYPE html><title>Sign in</title>';
  for (const [status, headers, body] of [
    [200, { 'content-type': 'text/html; charset=utf-8' }, 'Sign in to the network'],
    [200, {}, page],
    [403, {}, page],
    [404, {}, page],
    [407, {}, page],
    [410, {}, page],
  ] as const) {
    service.answer((response) => void response.writeHead(status, headers).end(body));
    assert.equal(await service.push(), { kind: 'deferred', pace: 'fault', reason: 'unreadable_answer' });
  }
});

test('a rejected signature is made again at once, and once', async () => {
  await using opened = new Resources();
  const service = await scriptedService(opened, 'webpush_apple');
  const refuse = (response: ServerResponse) => void response.writeHead(403).end('{"reason":"BadJwtToken"}');
  service.answer((response) => {
    service.answer((next) => void next.writeHead(201).end());
    refuse(response);
  });
  assert.equal(await service.push(), ACCEPTED);
  const [refused, taken] = service.posted.map(({ headers }) => headers.authorization);
  assert.is.not(taken, refused);
  service.answer(refuse);
  assert.is((await service.push()).kind, 'unauthorized');
  assert.is(service.posted.length, 3, 'the provider took it before, and the clock did not jump');
});

test('connections are kept, and used again', async () => {
  await using opened = new Resources();
  const service = await scriptedService(opened, 'webpush_google');
  for (let push = 0; push < 5; push += 1) assert.equal(await service.push(), ACCEPTED);
  assert.is(service.client.connections(), 1);
});

test('an answer without an end, or byte by byte, costs no more than its deadline, and its status stands', async () => {
  await using opened = new Resources();
  const service = await scriptedService(opened, 'webpush_other', { limits: { deadlineMs: 1_000 } });
  service.answer((response) => {
    response.writeHead(410);
    const blanks = Buffer.alloc(65_536, ' ');
    const go = () => {
      while (!response.destroyed && response.write(blanks));
    };
    response.on('drain', go);
    go();
  });
  assert.equal(await service.push(), { kind: 'unregistered', reason: 'other_410' });
  service.answer((response) => void response.writeHead(201).write('x'));
  assert.equal(await service.push(), ACCEPTED);
  service.answer(() => {});
  assert.equal(await service.push(), { kind: 'deferred', pace: 'fault', reason: 'timeout' });
  service.answer((response) => response.socket?.destroy());
  assert.equal(await service.push(), { kind: 'deferred', pace: 'fault', reason: 'connection_lost' });
});

test('hosts that never accepted a push, and never answer, keep no place from one that did', async () => {
  await using opened = new Resources();
  const { settings, answer } = await scriptedService(opened, 'webpush_apple');
  answer((response, { headers }) => {
    if (!headers.host?.startsWith('silent')) response.writeHead(201).end();
  });
  const [[good, here] = ['', '']] = Object.entries(settings.endpoints);
  const silent = Array.from({ length: 40 }, (_, n) => `https://silent${n}.push.apple.com`);
  const endpoints = Object.fromEntries([good, ...silent].map((origin) => [origin, here]));
  const limits = { deadlineMs: 2_000, inFlight: 8 };
  const client = opened.add(
    createWebPushClient('webpush_apple', { ...settings, endpoints }, CLOCK, new TokenKeeper(CLOCK), limits),
  );
  const browserAt = (origin: string) => aTarget({ token: `${origin}/x`, keys: JSON.stringify(browserKeys()) });
  const send = (targets: readonly Target[]) => client.send(aBatch({ route: 'webpush_apple', targets }));

  const lost = send(silent.map(browserAt));
  const known = send([{ ...browserAt(good), wasAccepted: true }]);
  assert.equal((await Promise.race([known, lost]))[0]?.outcome, ACCEPTED);
  const reasons = (await lost).map(({ outcome }) => 'reason' in outcome && outcome.reason);
  assert.equal([...new Set(reasons)].sort(), ['not_sent', 'timeout']);
  assert.equal((await send([browserAt(good)]))[0]?.outcome, ACCEPTED);
});

test('a service with a certificate that is not trusted, or that is not there, concerns its route alone', async () => {
  await using opened = new Resources();
  const distrustful = await scriptedService(opened, 'webpush_mozilla', {
    settings: { ca: (await scriptedService(opened, 'webpush_mozilla')).settings.ca ?? '' },
  });
  assert.match(wordsOf(await distrustful.push()), /^127\.0\.0\.1:\d+: \w*CERT\w* \(.*; it is for CN=.*, issued by CN=/);
  const nowhere = await scriptedService(opened, 'webpush_mozilla', {
    settings: { endpoints: { 'https://updates.push.services.mozilla.com': 'https://127.0.0.1:1' } },
  });
  assert.is(wordsOf(await nowhere.push()), '127.0.0.1:1: ECONNREFUSED 127.0.0.1');
});

test('nothing is sent to a host that is not that of the route any more, nor without a key', async () => {
  await using opened = new Resources();
  const removed = await scriptedService(opened, 'webpush_other', { settings: { hosts: [] } });
  const unknown = { kind: 'rejected', reason: 'unknown_push_service' };
  assert.equal(await removed.push(), unknown);
  assert.equal(await removed.push({ token: 'https://127.0.0.1/' }), unknown);
  assert.equal(await removed.push({ token: MOZILLA }), unknown);
  const keyless = await scriptedService(opened, 'webpush_mozilla', { settings: { vapid: null } });
  assert.equal(await keyless.push(), { kind: 'unauthorized', reason: 'provider_off' });
  assert.equal([...removed.posted, ...keyless.posted], []);
});

test('keys that are none are an outcome of their device alone', async () => {
  await using opened = new Resources();
  const service = await scriptedService(opened, 'webpush_mozilla');
  for (const keys of [null, '{}', 'x', '{"p256dh":"AAAA","auth":"AAAA"}']) {
    assert.equal(await service.push({ keys }), { kind: 'rejected', reason: 'message_refused' });
  }
  assert.equal(await service.push(), ACCEPTED);
});

test('the largest message is 4096 bytes, and one that is larger is refused before it is sent', () => {
  const ecdh = createECDH('prime256v1');
  const auth = randomBytes(16);
  const keys = JSON.stringify({ p256dh: ecdh.generateKeys('base64url'), auth: auth.toString('base64url') });
  const plaintext = Buffer.alloc(MAX_PLAINTEXT_BYTES, 'x');
  const { body } = encryptFor(MOZILLA, keys, plaintext, OPTIONS);
  assert.is(body.length, 4096);
  assert.equal(decryptPush(body, { ecdh, auth }), plaintext);
  assert.throws(() => encryptFor(MOZILLA, keys, Buffer.alloc(MAX_PLAINTEXT_BYTES + 1), OPTIONS), /3994 bytes/);
  assert.is.not(encryptFor(MOZILLA, keys, plaintext, OPTIONS).body.toString('hex'), body.toString('hex'));
});

test('the library beneath makes the message of RFC 8291, appendix A, byte by byte', () => {
  const { encrypt } = createRequire(createRequire(import.meta.url).resolve('web-push'))('http_ece') as {
    encrypt(plaintext: Buffer, how: object): Buffer;
  };
  const privateKey = createECDH('prime256v1');
  privateKey.setPrivateKey('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw', 'base64url');
  const body = encrypt(Buffer.from('When I grow up, I want to be a watermelon'), {
    version: 'aes128gcm',
    privateKey,
    dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    authSecret: 'BTBZMqHH6r4Tts7J_aSIgg',
    salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  });
  assert.is(
    body.toString('base64url'),
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_' +
      'yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  );
});

test.run();

function wordsOf(outcome: Outcome): string {
  assert.is(outcome.kind, 'unavailable');
  return 'words' in outcome ? (outcome.words ?? '') : '';
}
