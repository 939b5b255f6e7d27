import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ALERTMANAGER } from '../../../src/contract/senders/alertmanager.ts';
import { type AskedRequest, aNotification, anAlert, publishedBy, publishWith } from '../../support/senders.ts';

const asked = (body: unknown): AskedRequest => ({ params: { channel: 'alerts' }, body: JSON.stringify(body) });
const publish = (body: unknown) => publishWith(ALERTMANAGER, '/{channel}', asked(body));

test('a single alert that fires says what its annotations say', async () => {
  const { event } = await publish(aNotification());
  assert.equal(event, {
    channel: 'alerts',
    title: '[FIRING:1] InstanceDown',
    description: 'db-1 is down\nIt has not answered for five minutes.',
    level: 'error',
    delivery_urgency: 'time_sensitive',
    url: 'http://alertmanager.example.com',
    collapse_key: '{}:{alertname="InstanceDown"}',
    occurred_at: '2026-11-21T09:30:00.000+00:00',
  });
});

test('a tap leads to the runbook that its alerts have in common, else to their dashboard, else to Alertmanager', async () => {
  const runbook = 'https://wiki.example.com/runbook';
  const dashboard = 'https://grafana.example.com/d/1';
  const urlOf = async (commonAnnotations: object) => (await publish(aNotification({ commonAnnotations }))).event.url;
  assert.is(await urlOf({ dashboard_url: dashboard, runbook_url: runbook }), runbook);
  assert.is(await urlOf({ dashboard_url: dashboard, runbook_url: 'see the wiki' }), dashboard);
  assert.is(await urlOf({ runbook_url: '', dashboard_url: {} }), 'http://alertmanager.example.com');
  const own = anAlert({ annotations: { runbook_url: runbook } });
  const { event } = await publish(aNotification({ alerts: [own, anAlert()] }));
  assert.is(event.url, 'http://alertmanager.example.com');
});

test('a group that is resolved is a success, and takes the place of the one that fires', async () => {
  const firing = await publish(aNotification());
  const resolved = await publish(aNotification({ status: 'resolved', alerts: [anAlert({ status: 'resolved' })] }));
  assert.equal(
    [resolved.event.title, resolved.event.level, resolved.event.delivery_urgency],
    ['[RESOLVED] InstanceDown', 'success', 'standard'],
  );
  assert.is(resolved.event.collapse_key, firing.event.collapse_key);
  assert.is.not(resolved.notification?.key, firing.notification?.key);
});

test('it happened when the newest of its alerts began or, resolved, ended', async () => {
  const occurred = async (...alerts: object[]) => (await publish(aNotification({ alerts }))).event.occurred_at;
  const began = anAlert({ startsAt: '2026-11-21T10:00:00+02:00', endsAt: '2026-11-21T12:00:00Z' });
  const ended = { status: 'resolved', startsAt: '2026-11-21T07:00:00Z', endsAt: '2026-11-21T09:15:00.123456789Z' };
  assert.is(await occurred(began), '2026-11-21T08:00:00.000+00:00');
  assert.is(await occurred(began, anAlert(ended)), '2026-11-21T09:15:00.123+00:00');
});

test('a time that says nothing is left out, and the alert is reported all the same', async () => {
  for (const time of ['0001-01-01T00:00:00Z', '1970-01-01T00:00:00Z', 'soon', '', 7, null, {}]) {
    const { event } = await publish(aNotification({ alerts: [anAlert({ startsAt: time })] }));
    assert.not('occurred_at' in event, String(time));
    assert.is(event.title, '[FIRING:1] InstanceDown');
  }
});

test('several alerts are a line each, those that fire first, with what distinguishes them', async () => {
  const alerts = [
    anAlert({ status: 'resolved', labels: { alertname: 'InstanceDown', instance: 'db-3' } }),
    anAlert({ labels: { alertname: 'InstanceDown', instance: 'db-1' } }),
    anAlert({ labels: { alertname: 'InstanceDown', instance: 'db-2' }, annotations: {} }),
  ];
  const { event } = await publish(
    aNotification({ alerts, commonLabels: { alertname: 'InstanceDown' }, truncatedAlerts: 7 }),
  );
  assert.is(event.title, '[FIRING:9] InstanceDown');
  assert.equal(event.description?.split('\n'), [
    'db-1 is down (db-1)',
    'alertname=InstanceDown, instance=db-2 (db-2)',
    'resolved: db-1 is down (db-3)',
    'and 7 more',
  ]);
  assert.is(event.url, 'http://alertmanager.example.com');
});

test('the level is that of the severity label, of a group the worst that fires; without one it is an error', async () => {
  const weigh = async (...severities: (string | undefined)[]) => {
    const alerts = severities.map((severity) => anAlert({ labels: { ...(severity && { severity }) } }));
    const { event } = await publish(aNotification({ alerts, commonLabels: {} }));
    return [event.level, event.delivery_urgency];
  };
  assert.equal(await weigh('warning'), ['warning', 'standard']);
  assert.equal(await weigh('info', 'Critical', 'warning'), ['error', 'time_sensitive']);
  assert.equal(await weigh('whatever'), ['error', 'standard']);
  assert.equal(await weigh(undefined), ['error', 'standard']);
});

test('a further try says the same of its notification, and one about other alerts does not', async () => {
  const of = async (body: unknown) => (await publish(body)).notification?.key;
  const first = await of(aNotification());
  assert.ok(first !== undefined);
  for (const same of [
    aNotification(),
    aNotification({ externalURL: 'http://alertmanager-2.example.com' }),
    aNotification({ notification_reason: 'repeat interval' }),
    aNotification({ alerts: [anAlert({ startsAt: '2026-11-21T10:30:00+01:00' })] }),
  ]) {
    assert.is(await of(same), first);
  }
  for (const other of [
    aNotification({ alerts: [anAlert(), anAlert({ fingerprint: 'another' })] }),
    aNotification({ alerts: [anAlert({ startsAt: '2026-11-21T10:00:00Z' })] }),
    aNotification({ groupKey: '{}:{alertname="DiskFull"}' }),
    aNotification({ receiver: 'another' }),
    aNotification({ alerts: [anAlert({ startsAt: '' })] }),
  ]) {
    assert.is.not(await of(other), first);
  }
});

test('a body of a template of one’s own is taken as far as it can be read, else as a whole', async () => {
  const own = await publish({ title: 'Disk full', text: '2 GB left', status: 'resolved', severity: 'critical' });
  assert.equal(own.event, {
    channel: 'alerts',
    title: 'Disk full',
    description: '2 GB left',
    level: 'success',
    delivery_urgency: 'standard',
  });
  assert.is(own.notification, undefined);
  const weigh = async (body: object) => {
    const asked = { params: { channel: 'alerts' }, body: JSON.stringify({ text: 'Disk full', ...body }) };
    const { event } = Object(await publishedBy(ALERTMANAGER, '/{channel}', asked));
    return [event.level, event.delivery_urgency];
  };
  assert.equal(await weigh({ status: 'firing' }), [undefined, undefined], 'the key decides');
  assert.equal(await weigh({ Status: 'Firing', Severity: 'critical' }), ['error', 'time_sensitive']);
  assert.equal(await weigh({ State: 'OK', severity: 'critical' }), ['success', 'standard']);
  assert.equal((await publish({ incident: 7 })).event.title, 'incident: 7');
  const broken = { params: { channel: 'alerts' }, body: 'DOWN: "db-1"' };
  assert.is((await publishWith(ALERTMANAGER, '/{channel}', broken)).event.title, 'DOWN: "db-1"');
});

test('there is nothing to publish only if there is no text at all', async () => {
  for (const body of ['', '  ', '{}', '[]', '[{}]']) {
    assert.is(await publishedBy(ALERTMANAGER, '/{channel}', { params: { channel: 'alerts' }, body }), null, body);
  }
  for (const body of [{ alerts: [] }, { alerts: [null, 7, {}] }, { groupKey: 'x', alerts: 'y', status: 7 }]) {
    assert.ok((await publish(body)).event.title.startsWith('[FIRING:'));
  }
});

test.run();
