import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { apnsPayload } from '../../../src/providers/apns/payload.ts';
import { fcmMessage } from '../../../src/providers/fcm/payload.ts';
import { collapseIdOf } from '../../../src/providers/payload/collapse.ts';
import { aPushEvent } from '../../support/pushes.ts';
import { schemaCheck } from '../../support/schemas.ts';

const DAY_MS = 86_400_000;
const WITH_LINKS = aPushEvent({
  urgency: 'time_sensitive',
  links: { url: 'https://ci.example.com/1', imageUrl: 'https://ci.example.com/1.png' },
});

test("an iOS payload carries the event's keys beside aps", () => {
  assert.equal(apnsPayload(WITH_LINKS), {
    fitted: false,
    payload: {
      aps: {
        alert: { title: 'Deploy finished', body: 'Version 2.4.1 is live.' },
        sound: 'default',
        'thread-id': 'acme/alerts',
        'interruption-level': 'time-sensitive',
        'mutable-content': 1,
      },
      event_id: 'evt_01m7y7qp55ea087ggd7fpjkv29',
      workspace: 'acme',
      channel: 'alerts',
      level: 'success',
      delivery_urgency: 'time_sensitive',
      received_at: '2026-11-21T09:30:00.123+00:00',
      event_type: 'deploy.finished',
      url: 'https://ci.example.com/1',
      image_url: 'https://ci.example.com/1.png',
    },
  });
});

test('an iOS payload without image and urgency is not mutable and only active', () => {
  const { aps } = apnsPayload(aPushEvent()).payload;
  assert.is(aps['interruption-level'], 'active');
  assert.not('mutable-content' in aps);
});

test('an Android message in style data carries everything as strings in data', () => {
  assert.equal(fcmMessage(WITH_LINKS, 'data', DAY_MS), {
    fitted: false,
    payload: {
      data: {
        title: 'Deploy finished',
        body: 'Version 2.4.1 is live.',
        event_id: 'evt_01m7y7qp55ea087ggd7fpjkv29',
        workspace: 'acme',
        channel: 'alerts',
        level: 'success',
        delivery_urgency: 'time_sensitive',
        received_at: '2026-11-21T09:30:00.123+00:00',
        event_type: 'deploy.finished',
        url: 'https://ci.example.com/1',
        image_url: 'https://ci.example.com/1.png',
      },
      android: { priority: 'high', ttl: '86400s' },
    },
  });
});

test('an Android message in style notification repeats text and image for the system, tagged with the event', () => {
  const { payload } = fcmMessage(WITH_LINKS, 'notification', DAY_MS);
  assert.equal(payload.data, fcmMessage(WITH_LINKS, 'data', DAY_MS).payload.data);
  assert.equal(payload.notification, {
    title: 'Deploy finished',
    body: 'Version 2.4.1 is live.',
    image: 'https://ci.example.com/1.png',
  });
  assert.equal(payload.android.notification, { tag: 'evt_01m7y7qp55ea087ggd7fpjkv29' });
});

test('with a collapse key the tag is made of workspace, channel and that key, and the app gets both', () => {
  const event = aPushEvent({ collapseKey: 'disk db-1' });
  const { data, android } = fcmMessage(event, 'notification', DAY_MS).payload;
  assert.match(String(data.collapse_id), /^[0-9a-f]{32}$/);
  assert.equal([data.collapse_key, android.notification?.tag], ['disk db-1', data.collapse_id]);
  assert.equal(fcmMessage(event, 'data', DAY_MS).payload.data, data);
  assert.is(apnsPayload(event).payload.collapse_key, 'disk db-1');
});

test('events of the same key collapse within their channel only', () => {
  const ofEvent = (with_: Parameters<typeof aPushEvent>[0]) => collapseIdOf(aPushEvent({ collapseKey: 'a', ...with_ }));
  assert.is(ofEvent({ publicId: 'evt_1' }), ofEvent({ publicId: 'evt_2', title: 'Another' }));
  const others = [
    { collapseKey: 'b' },
    { channel: 'builds' },
    { workspace: 'umbrella' },
    { workspace: 'a', channel: 'c' },
  ];
  assert.is(new Set([{}, ...others].map(ofEvent)).size, 5);
  assert.is(ofEvent({ publicId: 'evt_1', collapseKey: null }), 'evt_1');
});

test('an Android message lives for whole seconds, four weeks at most', () => {
  const ttl = (ms: number) => fcmMessage(aPushEvent(), 'data', ms).payload.android.ttl;
  assert.equal([-1, 0, 1999, 90 * DAY_MS].map(ttl), ['0s', '0s', '1s', '2419200s']);
});

test('the title stands in for a description that is absent or empty', () => {
  for (const description of [null, '']) {
    assert.is(apnsPayload(aPushEvent({ description })).payload.aps.alert.body, 'Deploy finished');
  }
});

test('an event without a type has no such key', () => {
  assert.not('event_type' in apnsPayload(aPushEvent({ eventType: null })).payload);
});

test('the app gets when it happened where the sender said so', () => {
  const event = aPushEvent({ occurredAtMs: Date.UTC(2026, 10, 21, 8, 15) });
  const told = '2026-11-21T08:15:00.000+00:00';
  assert.is(apnsPayload(event).payload.occurred_at, told);
  assert.is(fcmMessage(event, 'data', DAY_MS).payload.data.occurred_at, told);
  assert.not('occurred_at' in apnsPayload(aPushEvent()).payload);
});

test('control characters become spaces but newline and tab stay', () => {
  const { alert } = apnsPayload(aPushEvent({ title: 'a\u0000b\u007fc\u0085d', description: 'a\r\nb\tc' })).payload.aps;
  assert.equal(alert, { title: 'a b c d', body: 'a \nb\tc' });
});

test('lone surrogates become the replacement character', () => {
  assert.is(apnsPayload(aPushEvent({ title: 'a\ud83d' })).payload.aps.alert.title, 'a\ufffd');
});

for (const name of ['payload-apns', 'payload-fcm']) {
  test(`the examples of ${name} are valid`, () => {
    const { check, examples } = schemaCheck(name);
    assert.ok(examples.length > 0);
    for (const example of examples) assert.is(check(example), null);
  });
}

test.run();
