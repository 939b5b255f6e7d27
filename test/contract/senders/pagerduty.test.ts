import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PAGERDUTY } from '../../../src/contract/senders/pagerduty.ts';
import { accepted, publishedBy, publishWith } from '../../support/senders.ts';

const asked = (body: unknown) => ({ body: typeof body === 'string' ? body : JSON.stringify(body) });
const publish = (body: unknown) => publishWith(PAGERDUTY, '/v2/enqueue', asked(body));
const replied = (body: unknown) => publishedBy(PAGERDUTY, '/v2/enqueue', asked(body));

/** https://developer.pagerduty.com/docs/send-alert-event */
const TRIGGER = {
  routing_key: 'pctl_secret',
  event_action: 'trigger',
  dedup_key: 'db-1/disk',
  payload: {
    summary: 'Disk of db-1 is full',
    source: 'db-1',
    severity: 'critical',
    timestamp: '2026-11-21T09:30:00Z',
    component: 'postgres',
    group: 'prod',
    class: 'disk',
    custom_details: { free: '0 B', used: 100, raid: false, disks: { sda: ['full', 9] }, deep: [[[[[]]]]] },
  },
  images: [{ alt: 'none' }, { src: 'https://example.com/plot.png' }],
  links: [{ text: 'none' }, { href: 'https://wiki.example.com/disk', text: 'Runbook' }],
  client: 'Monitoring',
  client_url: 'https://monitoring.example.com/',
};

test('a trigger becomes an event whose collapse key is the deduplication key', async () => {
  const { event, status, answer, notification } = await publish(TRIGGER);
  assert.equal(event, {
    title: 'Disk of db-1 is full',
    description: 'db-1 · postgres · prod · disk\nfree: 0 B\nused: 100\nraid: false\ndisks: {"sda":["full",9]}',
    level: 'error',
    delivery_urgency: 'time_sensitive',
    url: 'https://wiki.example.com/disk',
    image_url: 'https://example.com/plot.png',
    collapse_key: 'db-1/disk',
    occurred_at: '2026-11-21T09:30:00.000+00:00',
  });
  assert.is(notification?.sameForMs, 300_000);
  assert.is(status, 202);
  const processed = { status: 'success', message: 'Event processed', dedup_key: 'db-1/disk' };
  assert.equal(answer(accepted('alerts')), processed);
});

test('a trigger without a key is given one, and is an event each time', async () => {
  const payload = { summary: 'x', source: 'y', severity: 'warning', custom_details: 'as a text' };
  const { event, answer, notification } = await publish({
    event_action: 'trigger',
    payload,
    client_url: 'https://a.example/',
  });
  assert.equal(
    [event.description, event.level, event.delivery_urgency, event.url, event.collapse_key, notification],
    ['y\nas a text', 'warning', 'standard', 'https://a.example/', undefined, undefined],
  );
  const { dedup_key: made } = Object(answer(accepted('alerts')));
  assert.match(made, /^[0-9a-f]{32}$/);
  const unweighed = await publish({ event_action: 'trigger', payload: { summary: 'x', severity: 'blue' } });
  assert.equal([unweighed.event.level, unweighed.event.delivery_urgency], ['error', 'standard']);
});

test('a resolve that says what it is about takes the place of its trigger, as a success', async () => {
  const { event } = await publish({ ...TRIGGER, event_action: 'resolve' });
  assert.equal(
    [event.title, event.level, event.delivery_urgency, event.collapse_key],
    ['[RESOLVED] Disk of db-1 is full', 'success', 'standard', 'db-1/disk'],
  );
  const resolved = await publish({ ...TRIGGER, event_action: 'resolve', payload: { summary: '[RESOLVED] DiskFull' } });
  assert.is(resolved.event.title, '[RESOLVED] DiskFull');
});

test('names of fields may be in any case', async () => {
  const { event } = await publish({ Event_Action: 'trigger', Dedup_Key: 'k', PAYLOAD: { summary: 'Disk full' } });
  assert.equal([event.title, event.collapse_key], ['Disk full', 'k']);
});

test('an acknowledgement, or a resolve that says nothing, changes the alert of its key, and makes no event', async () => {
  const reply = { status: 'success', message: 'Event processed', dedup_key: 'k' };
  for (const body of [
    { ...TRIGGER, event_action: 'acknowledge', dedup_key: 'k' },
    { event_action: 'resolve', dedup_key: 'k' },
    { event_action: 'resolve', dedup_key: 'k', payload: { summary: ' ' } },
  ]) {
    const kind = body.event_action === 'resolve' ? 'resolve' : 'acknowledge';
    assert.equal(await replied(body), { status: 202, reply, change: { kind, collapseKey: 'k' } });
  }
});

test('other events are refused in words of PagerDuty, and shown nowhere', async () => {
  for (const [body, error] of [
    ['Disk full', "'event_action' must be one of trigger, acknowledge, resolve"],
    ['[]', "'event_action' must be one of trigger, acknowledge, resolve"],
    [{ ...TRIGGER, event_action: 'Trigger' }, "'event_action' must be one of trigger, acknowledge, resolve"],
    [{ ...TRIGGER, event_action: 'resolve', dedup_key: ' ' }, "'dedup_key' is missing or blank"],
    [{ ...TRIGGER, payload: { source: 'db-1' } }, "'payload.summary' is missing or blank"],
    [{ ...TRIGGER, payload: 'Disk full' }, "'payload.summary' is missing or blank"],
  ] as const) {
    const reply = { status: 'invalid event', message: 'Event object is invalid', errors: [error] };
    assert.equal(await replied(body), { status: 400, reply });
  }
});

test('the first of many details are shown, and a note that they were cut', async () => {
  const details = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`k${at}`, at]));
  const { event, cut } = await publish({ ...TRIGGER, payload: { summary: 'x', custom_details: details } });
  assert.equal([event.description?.split('\n').length, cut], [100, ['custom_details']]);
});

test.run();
