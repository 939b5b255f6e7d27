import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { WEB_PUSH_LIMIT_BYTES, webPushHeaders, webPushPayload } from '../../../src/providers/webpush/payload.ts';
import { aPushEvent } from '../../support/pushes.ts';
import { schemaCheck } from '../../support/schemas.ts';

const APP = 'https://push.example.com';
const { check, examples } = schemaCheck('payload-webpush');
const bytesOf = (payload: object) => Buffer.byteLength(JSON.stringify(payload));

test('a payload is a declarative push message with a click that opens the page of the event', () => {
  const { payload, fitted } = webPushPayload(aPushEvent(), APP);
  assert.not(fitted);
  assert.equal(payload, {
    web_push: 8030,
    notification: {
      title: 'Deploy finished',
      body: 'Version 2.4.1 is live.',
      lang: '',
      dir: 'auto',
      navigate: 'https://push.example.com/events/evt_01m7y7qp55ea087ggd7fpjkv29',
      tag: 'evt_01m7y7qp55ea087ggd7fpjkv29',
      silent: false,
      timestamp: Date.UTC(2026, 10, 21, 9, 30, 0, 123),
      data: {
        event_id: 'evt_01m7y7qp55ea087ggd7fpjkv29',
        workspace: 'acme',
        channel: 'alerts',
        level: 'success',
        delivery_urgency: 'standard',
        received_at: '2026-11-21T09:30:00.123+00:00',
        event_type: 'deploy.finished',
      },
    },
  });
});

test('a click on a push about a rota opens the page of rotas', () => {
  const { navigate } = webPushPayload(aPushEvent({ channel: 'on call' }), APP).payload.notification;
  assert.is(navigate, 'https://push.example.com/on-call');
});

test("an event's own link is what a click opens; its image is shown, and what is urgent stays on the screen", () => {
  const links = { url: 'https://ci.example.com/1', imageUrl: 'https://ci.example.com/1.png' };
  const { payload } = webPushPayload(aPushEvent({ urgency: 'time_sensitive', links }), APP);
  const { navigate, image, requireInteraction, data } = payload.notification;
  assert.equal([navigate, image, requireInteraction, data.url], [links.url, links.imageUrl, true, links.url]);
  assert.is(check(payload), null);
});

test('a browser shows the time of the event, if the sender gave it', () => {
  const occurredAtMs = Date.UTC(2026, 10, 21, 8, 15);
  const { timestamp, data } = webPushPayload(aPushEvent({ occurredAtMs }), APP).payload.notification;
  assert.equal([timestamp, data.occurred_at], [occurredAtMs, '2026-11-21T08:15:00.000+00:00']);
});

test('a time that no browser knows is left to the app alone', () => {
  const yearOne = aPushEvent({ occurredAtMs: Date.parse('0001-01-01T00:00:00Z') });
  const { payload } = webPushPayload(yearOne, APP);
  assert.is(payload.notification.timestamp, yearOne.receivedAtMs);
  assert.is(payload.notification.data.occurred_at, '0001-01-01T00:00:00.000+00:00');
  assert.is(check(payload), null);
});

test('an event with a collapse key has its tag and topic in common with all others of that key', () => {
  const [first, second] = ['evt_01m7y7qp55ea087ggd7fpjkv29', 'evt_01m7y7qp55ea087ggd7fpjkv2a'].map((publicId) =>
    aPushEvent({ publicId, collapseKey: 'disk db-1' }),
  );
  assert.ok(first && second);
  assert.is(webPushPayload(first, APP).payload.notification.tag, webPushHeaders(second, 1_000).topic);
  assert.equal(webPushHeaders(first, 1_000), webPushHeaders(second, 1_000));
  assert.is.not(webPushHeaders(aPushEvent(), 1_000).topic, webPushHeaders(first, 1_000).topic);
});

test('a time to live is 1 second to 28 days, never 0', () => {
  const ttlOf = (ms: number) => webPushHeaders(aPushEvent(), ms).ttlS;
  assert.equal([0, 1, 1_999, 90_500, 90 * 86_400_000].map(ttlOf), [1, 1, 1, 90, 2_419_200]);
});

test('any posted event fits into the limit of Firefox on Android, the body giving way first', () => {
  const long = {
    url: `https://ci.example.com/${'u'.repeat(500)}`,
    imageUrl: `https://ci.example.com/${'i'.repeat(300)}`,
  };
  const { payload, fitted } = webPushPayload(aPushEvent({ description: '漢'.repeat(2000), links: long }), APP);
  assert.ok(fitted);
  assert.is(payload.notification.data.fitted, true);
  assert.is(payload.notification.navigate, long.url);
  assert.is(payload.notification.image, long.imageUrl);
  assert.ok(bytesOf(payload) <= WEB_PUSH_LIMIT_BYTES && bytesOf(payload) > WEB_PUSH_LIMIT_BYTES - 10);
  assert.is(check(payload), null);
});

test('with all of the limits at their maximum it fits as well, with its whole title', () => {
  const event = aPushEvent({
    title: '😀'.repeat(127),
    description: '"'.repeat(10_000),
    workspace: 'w'.repeat(63),
    channel: 'c'.repeat(63),
    eventType: 'e'.repeat(255),
    collapseKey: '"'.repeat(255),
    occurredAtMs: 0,
    links: { url: `https://e.com/${'u'.repeat(2000)}`, imageUrl: `https://e.com/${'i'.repeat(2000)}` },
  });
  const { payload } = webPushPayload(event, APP);
  assert.is(check(payload), null);
  assert.ok(bytesOf(payload) <= WEB_PUSH_LIMIT_BYTES, String(bytesOf(payload)));
  assert.is(payload.notification.title, event.title);
});

test('in a browser 1,500 bytes of data fit beside 100 characters of title, and 2 KiB beside the longest go', () => {
  const sent = (title: string, size: number) => {
    const names = { workspace: 'w'.repeat(63), channel: 'c'.repeat(120), description: '漢'.repeat(1000) };
    const data = JSON.stringify({ pair: 'x'.repeat(size - 11) });
    return webPushPayload(aPushEvent({ ...names, title, links: { data } }), APP).payload;
  };
  assert.is(sent('漢'.repeat(100), 1500).notification.data.data?.pair?.length, 1489);
  const { title, data } = sent('🚀'.repeat(255), 2048).notification;
  assert.equal([title.length, data.data, data.fitted], [510, undefined, true]);
});

test('the examples of its schema are such payloads', () => {
  assert.ok(examples.length > 0);
  for (const example of examples) assert.is(check(example), null);
});

test.run();
