import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readConfigSchema } from '../../../src/config/settings.ts';
import { SENDERS } from '../../../src/contract/senders/table.ts';
import { aNotification, withSender } from '../../support/senders.ts';

const basic = (key: string): string => `Basic ${Buffer.from(`:${key}`).toString('base64')}`;

test('a message of Gotify goes to the one channel of its key, wherever that stands', () =>
  withSender({}, async ({ api, key, accepted }) => {
    const post = (query: string, headers: Record<string, string>) =>
      api.request(`/senders/gotify/message${query}`, {
        method: 'POST',
        headers,
        body: { title: 'Disk full', message: 'x' },
      });
    const written = key('gtfya.');
    for (const reply of [
      await post(`?token=${written}`, {}),
      await post('', { 'X-Gotify-Key': written }),
      await post('', { Authorization: `Bearer ${written}` }),
    ]) {
      assert.equal([reply.status, reply.body.title, reply.body.appid], [200, 'Disk full', 1]);
    }
    assert.equal([accepted.length, accepted[0]?.channel], [3, 'alerts']);
    const { text: unbound } = await api.issueKey();
    const refused = await post('', { 'X-Gotify-Key': unbound });
    assert.equal([refused.status, refused.body.errorCode], [403, 403]);
    assert.match(String(refused.body.errorDescription), /bound to exactly one channel/);
  }));

test('one text of any format is marked as such, a title with a text is not, and no event of the API is', () =>
  withSender({}, async ({ api, key, last }) => {
    const headers = { Authorization: `Bearer ${key()}` };
    const trigger = { routing_key: key(), event_action: 'trigger', payload: { summary: 'x' } };
    for (const [path, body, expected] of [
      ['/senders/ntfy/alerts', 'x', 1],
      ['/senders/ntfy', { topic: 'alerts', title: 'x', message: 'y' }, null],
      ['/senders/gotify/message', { message: 'x' }, 1],
      [`/senders/slack/${key()}`, { text: 'x' }, 1],
      ['/senders/json/alerts?title=/a', { a: 'x' }, 1],
      ['/senders/json/alerts?title=/a&description=/a', { a: 'x' }, null],
      ['/senders/alertmanager/alerts', { message: 'x' }, 1],
      ['/senders/grafana/alerts', { message: 'y' }, 1],
      ['/senders/pagerduty/v2/enqueue', trigger, 1],
      ['/api/v1/events', { channel: 'alerts', title: 'x' }, null],
    ] as const) {
      const { status } = await api.request(path, { method: 'POST', headers, body });
      assert.ok([200, 202].includes(status), path);
      assert.is(last().oneText, expected, path);
    }
  }));

test('every client may ask for the health and version of Gotify', () =>
  withSender({}, async ({ api }) => {
    assert.equal((await api.request('/senders/gotify/health')).body, { health: 'green', database: 'green' });
    assert.match(String((await api.request('/senders/gotify/version')).body.version), /^2\.\d+\.\d+$/);
  }));

test('notifications of Alertmanager and Grafana go to the channel in the address', () =>
  withSender({}, async ({ api, key, last }) => {
    for (const [method, path] of [
      ['POST', '/senders/alertmanager/alerts'],
      ['POST', '/senders/grafana/alerts'],
      ['PUT', '/senders/grafana/alerts'],
    ] as const) {
      const receiver = `${method} ${path}`;
      const headers = { Authorization: basic(key()) };
      const reply = await api.request(path, { method, headers, body: aNotification({ receiver }) });
      assert.is(reply.status, 200, reply.text);
      assert.equal([last().title, last().collapseKey], ['[FIRING:1] InstanceDown', '{}:{alertname="InstanceDown"}']);
    }
    const elsewhere = await api.request('/senders/alertmanager/nowhere', { method: 'POST', key: key(), body: {} });
    assert.equal([elsewhere.status, elsewhere.body.message], [400, 'The request has no text.']);
  }));

test('a message of Slack or Mattermost is answered ok in plain text, and so are errors', () =>
  withSender({}, async ({ api, key, last }) => {
    for (const path of [`/senders/slack/${key()}`, `/senders/slack/hooks/${key()}`]) {
      const reply = await api.request(path, { method: 'POST', body: { text: 'Disk full' } });
      assert.equal([reply.status, reply.text], [200, 'ok']);
      assert.is(reply.headers['content-type'], 'text/plain; charset=utf-8');
    }
    assert.equal([last().title, last().channel], ['Disk full', 'alerts']);
    const form = { method: 'POST', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } };
    const payload = `payload=${encodeURIComponent('{"text":"from a form"}')}`;
    assert.is((await api.request(`/senders/slack/${key()}`, { ...form, body: payload })).text, 'ok');
    assert.is(last().title, 'from a form');
    const wrong = await api.request('/senders/slack/pctl_nobody', { method: 'POST', body: { text: 'x' } });
    assert.equal([wrong.status, wrong.text], [401, 'The API key is missing or not valid.']);
  }));

test('an event of PagerDuty goes to the one channel of the key that it names as routing key', () =>
  withSender({}, async ({ api, key, accepted, last }) => {
    const enqueue = (body: object, headers = {}) =>
      api.request('/senders/pagerduty/v2/enqueue', { method: 'POST', headers, body });
    const event = { event_action: 'trigger', dedup_key: 'disk', payload: { summary: 'Disk full', severity: 'error' } };
    for (const reply of [
      await enqueue({ ...event, routing_key: key() }),
      await enqueue({ ...event, dedup_key: 'b' }, { 'X-Routing-Key': key() }),
      await enqueue({ ...event, dedup_key: 'c' }, { Authorization: `Bearer ${key()}` }),
    ]) {
      assert.equal([reply.status, reply.body.status, reply.body.message], [202, 'success', 'Event processed']);
    }
    assert.equal([accepted.length, last().title, last().channel, last().collapseKey], [3, 'Disk full', 'alerts', 'c']);
    const again = await enqueue({ ...event, routing_key: key() });
    assert.equal([again.status, accepted.length], [202, 3], 'a further try');
    const acknowledged = await enqueue({ routing_key: key(), event_action: 'acknowledge', dedup_key: 'disk' });
    assert.equal([acknowledged.status, acknowledged.body.dedup_key, accepted.length], [202, 'disk', 3]);
    const unauthorized = await enqueue({ ...event, routing_key: 'pctl_nobody' });
    assert.equal([unauthorized.status, unauthorized.body.status], [401, 'unauthorized']);
    const { text: unbound } = await api.issueKey();
    assert.is((await enqueue({ ...event, routing_key: unbound })).status, 403);
  }));

test('JSON of any program goes to the channel in the address, by the patterns there', () =>
  withSender({}, async ({ api, key, last }) => {
    const body = { repository: { name: 'shop' }, action: 'opened', url: 'not a link' };
    const query = '?title={repository.name}:%20{action}&url=/url&level=warning';
    const reply = await api.request(`/senders/json/alerts${query}&token=${key()}`, { method: 'POST', body });
    assert.equal([reply.status, reply.headers['pushctl-shortened']], [200, 'url']);
    assert.equal([last().title, last().level, last().channel], ['shop: opened', 'warning', 'alerts']);
    const options = { method: 'PUT', headers: { Authorization: basic(key()) }, body };
    assert.is((await api.request(`/senders/json/alerts${query}`, options)).status, 200);
    const { text: unbound } = await api.issueKey();
    const refused = await api.request(`/senders/json/alerts${query}&token=${unbound}`, { method: 'POST', body });
    assert.is(refused.status, 403);
  }));

test('a 429 of the API is a 503 for senders that try again only then, with the time to wait', () =>
  withSender({ limits: { burstPerMinute: 1 } }, async ({ api, key }) => {
    await api.post({ channel: 'alerts', title: 'x' }, { key: key() });
    for (const path of [
      '/senders/alertmanager/alerts',
      '/senders/grafana/alerts',
      '/senders/gotify/message',
      `/senders/slack/${key()}`,
      '/senders/json/alerts',
    ]) {
      const { status, headers } = await api.request(path, { method: 'POST', key: key(), body: { text: 'x' } });
      assert.is(status, 503, path);
      assert.ok(Number(headers['retry-after']) > 0);
    }
  }));

test('the configuration may name each format that there is, and no other', () => {
  const hosts = readConfigSchema().properties?.senders?.properties?.hosts as {
    additionalProperties: { enum: string[] };
  };
  const named = Object.entries(SENDERS).flatMap(([name, { addresses }]) => (addresses.length > 0 ? name : []));
  assert.equal(hosts.additionalProperties.enum, named);
});

test.run();
