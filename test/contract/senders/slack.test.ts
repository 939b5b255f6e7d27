import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SLACK } from '../../../src/contract/senders/slack.ts';
import { accepted, publishedBy, publishWith } from '../../support/senders.ts';

const publishText = (body: string) => publishWith(SLACK, '/{key}', { body });
const publish = (body: unknown) => publishText(JSON.stringify(body));

test('a text is told without the marks of Slack, and leads where its first link leads', async () => {
  const { event } = await publish({
    text: 'Build <https://ci.example.com/42?a=1&amp;b=2|#42> failed\n<!channel> see &lt;log&gt; at <https://ci.example.com/log>',
  });
  assert.equal(event, {
    title: 'Build #42 failed',
    description: '@channel see <log> at https://ci.example.com/log',
    level: 'info',
    delivery_urgency: 'standard',
    url: 'https://ci.example.com/42?a=1&b=2',
  });
});

test('it happened at the latest time that an attachment is of', async () => {
  const occurred = async (...times: unknown[]) =>
    (await publish({ attachments: times.map((ts) => ({ text: 'Done', ts })) })).event.occurred_at;
  assert.is(await occurred(1_763_717_400), '2025-11-21T09:30:00.000+00:00');
  assert.is(await occurred('1763717400.123400', 7, undefined), '2025-11-21T09:30:00.123+00:00');
  for (const none of [0, -1, 1_763_717_400_000, 1e300, 'now', '', null, {}]) assert.is(await occurred(none), undefined);
});

test('of attachments the title, the text, the fields, the colour and the link count', async () => {
  const attachment = {
    color: 'danger',
    title: '[FIRING:1] InstanceDown',
    title_link: 'https://alertmanager.example.com/',
    text: 'db-1 is down',
    fallback: 'not this',
    fields: [{ title: 'severity', value: 'critical', short: true }, { value: 'no title' }],
    image_url: 'https://example.com/a.png',
  };
  const { event } = await publish({ channel: '#ignored', username: 'x', attachments: [attachment] });
  assert.equal(event, {
    title: '[FIRING:1] InstanceDown',
    description: 'db-1 is down\nseverity: critical\nno title',
    level: 'error',
    delivery_urgency: 'standard',
    url: 'https://alertmanager.example.com/',
    image_url: 'https://example.com/a.png',
  });
  const plain = await publish({ attachments: [{ fallback: 'Disk full', color: '#36a64f' }] });
  assert.equal([plain.event.title, plain.event.level], ['Disk full', 'success']);
});

test('of blocks every text counts, in its order', async () => {
  const blocks = [
    { type: 'header', text: { type: 'plain_text', text: 'Your service is down' } },
    { type: 'divider' },
    { type: 'section', fields: [{ type: 'mrkdwn', text: '*Message*\ntimeout' }] },
    { type: 'context', elements: [{ type: 'mrkdwn', text: 'db-1' }] },
    { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'more' }] }] },
  ];
  const texts = 'Your service is down\n*Message*\ntimeout\ndb-1\nmore'.split('\n');
  const { event } = await publish({ blocks });
  assert.equal([event.title, ...(event.description?.split('\n') ?? [])], texts);
  const nested = await publish({ text: 'Uptime Kuma Alert', attachments: [{ color: '#e01e5a', blocks }] });
  assert.equal([nested.event.title, nested.event.level], ['Uptime Kuma Alert', 'error']);
  assert.equal(nested.event.description?.split('\n'), texts);
});

test('a button is where a tap leads, and what was said is not said again, as Uptime Kuma would have it', async () => {
  const button = { type: 'button', text: { type: 'plain_text', text: 'Visit' }, url: 'https://kuma.example.com/3' };
  const blocks = [
    { type: 'header', text: { type: 'plain_text', text: 'Alert' } },
    { type: 'section', text: { type: 'mrkdwn', text: 'Shop is down' } },
    { type: 'section', text: { type: 'mrkdwn', text: 'down' } },
    { type: 'actions', elements: [button] },
  ];
  const { event } = await publish({ text: 'Alert\nShop is down', attachments: [{ blocks }] });
  assert.equal([event.title, event.description, event.url], ['Alert', 'Shop is down\ndown', button.url]);
});

test('a form holds the same in payload, and what is neither is the text', async () => {
  const payload = JSON.stringify({ text: 'Disk full' });
  assert.is((await publishText(`payload=${encodeURIComponent(payload)}`)).event.title, 'Disk full');
  assert.is((await publishText('payload=Disk+full')).event.title, 'Disk full');
  assert.is((await publishText('Disk full')).event.title, 'Disk full');
  assert.is((await publish({ message: 'Disk full' })).event.title, 'Disk full');
});

test('only where there is no text at all there is nothing to publish', async () => {
  for (const body of ['', '{}', '[]', 'payload=', 'payload={}', '{"text": " "}', '{"attachments": [{}]}']) {
    assert.is(await publishedBy(SLACK, '/{key}', { body }), null, body);
  }
});

test('it is answered ok, and nothing else', async () => {
  assert.is((await publish({ text: 'x' })).answer?.(accepted('alerts')), 'ok');
  assert.is(SLACK.error({ status: 404, reason: 'Not Found', message: 'No.' }), 'No.');
});

test.run();
