import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { GRAFANA } from '../../../src/contract/senders/grafana.ts';
import { aNotification, anAlert, publishWith } from '../../support/senders.ts';

/** Grafana's own template begins so. */
const TEMPLATE = '**Firing**\n\nValue: A=1\nLabels:\n - alertname = InstanceDown';

const publish = (body: object) =>
  publishWith(GRAFANA, '/{channel}', {
    params: { channel: 'alerts' },
    body: JSON.stringify({ ...aNotification(), version: '1', title: '[FIRING:1] Down', state: 'alerting', ...body }),
  });

test('the title is its own, and so is a message that a user has written', async () => {
  const { event } = await publish({ message: 'Look at db-1' });
  assert.equal([event.title, event.description], ['[FIRING:1] Down', 'Look at db-1']);
  assert.equal([event.level, event.collapse_key], ['error', '{}:{alertname="InstanceDown"}']);
});

test('the texts of the alerts replace the template, if there are any', async () => {
  assert.is((await publish({ message: TEMPLATE })).event.description?.split('\n')[0], 'db-1 is down');
  const silent = await publish({ message: TEMPLATE, alerts: [anAlert({ annotations: {} })] });
  assert.is(silent.event.description, TEMPLATE.replaceAll('**', ''));
});

test('it leads to the panel, else to the dashboard, else to the rule; of several rules to Grafana', async () => {
  const place = {
    panelURL: 'http://g.example.com/p',
    dashboardURL: 'http://g.example.com/d',
    generatorURL: 'http://g/r',
  };
  const linkOf = async (...alerts: object[]) => (await publish({ alerts })).event.url;
  assert.is(await linkOf(anAlert(place)), place.panelURL);
  assert.is(await linkOf(anAlert({ ...place, panelURL: '' })), place.dashboardURL);
  assert.is(await linkOf(anAlert({ generatorURL: 'http://g/r' })), 'http://g/r');
  assert.is(await linkOf(anAlert(place), anAlert({ generatorURL: 'http://g/s' })), 'http://alertmanager.example.com');
});

test('its picture comes along', async () => {
  const alerts = [anAlert(), anAlert({ imageURL: 'https://g.example.com/1.png' })];
  assert.is((await publish({ alerts })).event.image_url, 'https://g.example.com/1.png');
});

test('resolved is a success', async () => {
  const { event } = await publish({ status: 'resolved', state: 'ok', title: '[RESOLVED] Down' });
  assert.equal([event.title, event.level], ['[RESOLVED] Down', 'success']);
});

test.run();
