import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { apnsPayload } from '../../../src/providers/apns/payload.ts';
import { fcmMessage } from '../../../src/providers/fcm/payload.ts';
import { collapseIdOf, contentOf } from '../../../src/providers/payload.ts';
import { webPushPayload } from '../../../src/providers/webpush/payload.ts';
import type { PushEvent } from '../../../src/push.ts';
import { aPushEvent } from '../../support/pushes.ts';
import { schemaCheck } from '../../support/schemas.ts';

const DAY_MS = 86_400_000;
const ALERT = 'evt_01m7y7qp55ea087ggd7fpjkv29';
const OPEN = { id: ALERT, state: 'open', reminder: 2 } as const;
const SHOWN = { shows: { publicId: 'evt_01m7yq1whvehx9w1n0h5r0c6ct', receivedAtMs: 0 }, channel: 'disks' };
const WITH_LINKS = aPushEvent({
  urgency: 'time_sensitive',
  links: { url: 'https://ci.example.com/1', imageUrl: 'https://ci.example.com/1.png' },
});

const KEYS = {
  event_id: 'evt_01m7y7qp55ea087ggd7fpjkv29',
  workspace: 'acme',
  channel: 'alerts',
  level: 'success',
  delivery_urgency: 'time_sensitive',
  received_at: '2026-11-21T09:30:00.123+00:00',
  event_type: 'deploy.finished',
  url: 'https://ci.example.com/1',
  image_url: 'https://ci.example.com/1.png',
};

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
      ...KEYS,
    },
  });
});

test('an iOS payload without image and urgency is not mutable and only active', () => {
  const { aps } = apnsPayload(aPushEvent()).payload;
  assert.is(aps['interruption-level'], 'active');
  assert.not('mutable-content' in aps);
});

test('a push of an open alert has the category of its buttons, and is critical if the app may', () => {
  const event = aPushEvent({ urgency: 'time_sensitive', alert: OPEN });
  const { aps, ...keys } = apnsPayload(event).payload;
  assert.equal([aps.category, aps.sound, aps['interruption-level']], ['pushctl.alert', 'default', 'time-sensitive']);
  assert.equal([keys.alert_id, keys.alert_state, keys.reminder, keys.quiet], [ALERT, 'open', 2, undefined]);
  const critical = apnsPayload(event, true).payload.aps;
  assert.equal(critical.sound, { critical: 1, name: 'default', volume: 1 });
  assert.is(critical['interruption-level'], 'critical');
});

test('in a browser a click on an open alert leads to its page, and to the link once it is taken', () => {
  const links = { url: 'https://ci.example.com/1' };
  const shown = (state: 'open' | 'acknowledged') =>
    webPushPayload(aPushEvent({ links, alert: { ...OPEN, state } }), 'https://p.example').payload.notification;
  assert.is(shown('open').navigate, `https://p.example/events/${aPushEvent().publicId}`);
  assert.is(shown('open').data.url, links.url);
  assert.is(shown('acknowledged').navigate, links.url);
});

test('a quiet push makes no sound and has no buttons', () => {
  const event = aPushEvent({ quiet: true, alert: { ...OPEN, state: 'acknowledged' } });
  const { aps, quiet } = apnsPayload(event, true).payload;
  assert.equal([aps.sound, aps.category, aps['interruption-level'], quiet], [undefined, undefined, 'passive', true]);
  const { silent, actions, requireInteraction } = webPushPayload(event, 'https://p.example').payload.notification;
  assert.equal([silent, actions, requireInteraction], [true, undefined, undefined]);
});

test('a push of an alert that somebody has begins with who, and one that is open again does not', () => {
  const taken = { ...OPEN, state: 'acknowledged', by: 'Ada' } as const;
  const textOf = (event: PushEvent) => contentOf(event).body;
  assert.is(textOf(aPushEvent({ description: 'db-1 is down', alert: taken })), 'Ada has it.\ndb-1 is down');
  assert.is(textOf(aPushEvent({ description: null, alert: taken })), 'Ada has it.');
  assert.is(textOf(aPushEvent({ description: 'db-1 is down', alert: { ...taken, state: 'open' } })), 'db-1 is down');
});

test('a push that rings for another person alone makes no sound, has no button, and names that person', () => {
  const alert = { ...OPEN, reminder: 0, onCall: 'Bob' };
  const event = aPushEvent({ urgency: 'time_sensitive', description: 'db-1 is down', alert });
  const loud = apnsPayload(event).payload;
  assert.equal([loud.aps.category, loud.aps.alert.body], ['pushctl.alert', 'db-1 is down']);
  const informing = { ...event, quiet: true } as const;
  const { aps, quiet } = apnsPayload(informing, true).payload;
  assert.equal([aps.sound, aps.category, aps['interruption-level'], quiet], [undefined, undefined, 'passive', true]);
  assert.is(aps.alert.body, 'Bob is on call.\ndb-1 is down');
  assert.is(fcmMessage(informing, 'data', DAY_MS).payload.data.quiet, 'true');
  const { silent, actions, requireInteraction } = webPushPayload(informing, 'https://p.example').payload.notification;
  assert.equal([silent, actions, requireInteraction], [true, undefined, undefined]);
});

test('an event that comes in quiet hours makes no sound either', () => {
  const event = aPushEvent({ quiet: true });
  const { aps, ...keys } = apnsPayload(event).payload;
  assert.equal([aps.sound, aps['interruption-level'], keys.quiet], [undefined, 'passive', true]);
  assert.not('alert_id' in keys);
  assert.is(fcmMessage(event, 'data', DAY_MS).payload.data.quiet, 'true');
  const { silent, data } = webPushPayload(event, 'https://p.example').payload.notification;
  assert.equal([silent, data.quiet], [true, true]);
});

test('a reminder shows the event that it is of, and leads to the page of its alert', () => {
  const event = aPushEvent({ urgency: 'time_sensitive', alert: { ...OPEN, ...SHOWN, open: 5 } });
  const { data } = fcmMessage(event, 'data', DAY_MS).payload;
  assert.equal([data.event_id, data.received_at], [SHOWN.shows.publicId, '1970-01-01T00:00:00.000+00:00']);
  assert.equal([data.reminder, data.open_alerts], ['2', '5'], 'all data are texts');
  const { navigate, actions } = webPushPayload(event, 'https://p.example').payload.notification;
  assert.is(navigate, `https://p.example/events/${ALERT}`);
  assert.equal(actions, [{ action: 'acknowledge', title: 'Acknowledge' }]);
});

test('all that is sent of an alert has one place on the device, and bundles of a channel one of their own', () => {
  const posted = collapseIdOf(aPushEvent({ channel: 'disks', collapseKey: 'db-1', alert: OPEN }));
  assert.is(collapseIdOf(aPushEvent({ channel: 'leads', collapseKey: 'db-1', alert: { ...OPEN, ...SHOWN } })), posted);
  assert.is(collapseIdOf(aPushEvent({ publicId: 'evt_other', alert: { ...OPEN, ...SHOWN } })), ALERT);
  const bundle = collapseIdOf(aPushEvent({ channel: 'leads', alert: { ...OPEN, ...SHOWN, open: 5 } }));
  assert.is(bundle, collapseIdOf(aPushEvent({ channel: 'disks', alert: { ...OPEN, open: 2 } })));
  assert.is.not(bundle, posted);
});

test('an Android message in style data carries everything as strings in data', () => {
  assert.equal(fcmMessage(WITH_LINKS, 'data', DAY_MS), {
    fitted: false,
    payload: {
      data: {
        title: 'Deploy finished',
        body: 'Version 2.4.1 is live.',
        ...KEYS,
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

test('a single text of a sender is the body, below the name of its channel, also if somebody has the alert', () => {
  const event = aPushEvent({ title: 'Disk full', description: null, headline: 'Our alerts' });
  const shown = { title: 'Our alerts', body: 'Disk full' };
  assert.equal(apnsPayload(event).payload.aps.alert, shown);
  const { data, notification } = fcmMessage(event, 'notification', DAY_MS).payload;
  assert.equal([{ title: data.title, body: data.body }, notification], [shown, shown]);
  const { title, body } = webPushPayload(event, 'https://push.example.com').payload.notification;
  assert.equal({ title, body }, shown);
  const alert = { id: 'evt_1', state: 'acknowledged', reminder: 0, by: 'Ada' } as const;
  assert.is(apnsPayload({ ...event, alert }).payload.aps.alert.body, 'Ada has it.\nDisk full');
});

test('the data of an event are an object on iOS and in browsers, and one text with JSON on Android', () => {
  const event = aPushEvent({ links: { data: '{"order":"1842"}' } });
  assert.equal(apnsPayload(event).payload.data, { order: '1842' });
  assert.equal(webPushPayload(event, 'https://push.example.com').payload.notification.data.data, { order: '1842' });
  assert.is(fcmMessage(event, 'data', DAY_MS).payload.data.data, '{"order":"1842"}');
});

test('an event without a type has no such key', () => {
  assert.not('event_type' in apnsPayload(aPushEvent({ eventType: null })).payload);
});

test('the app gets the time of the event if the sender gave it', () => {
  const event = aPushEvent({ occurredAtMs: Date.UTC(2026, 10, 21, 8, 15) });
  const written = '2026-11-21T08:15:00.000+00:00';
  assert.is(apnsPayload(event).payload.occurred_at, written);
  assert.is(fcmMessage(event, 'data', DAY_MS).payload.data.occurred_at, written);
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
