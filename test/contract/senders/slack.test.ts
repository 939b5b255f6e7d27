import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SLACK } from '../../../src/contract/senders/slack.ts';
import { accepted, publishedBy, publishWith } from '../../support/senders.ts';

const publishText = (body: string) => publishWith(SLACK, '/{key}', { body });
const publish = (body: unknown) => publishText(JSON.stringify(body));

test('a text is shown without the marks of Slack, and a tap opens its first link', async () => {
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

test('attachments give their title, text, fields, colour and link', async () => {
  const attachment = {
    color: 'danger',
    title: '[FIRING:1] InstanceDown',
    title_link: 'https://alertmanager.example.com/',
    text: 'db-1 is down',
    fallback: 'not this',
    fields: [
      { title: 'severity', value: 'critical', short: true },
      { value: 'no title' },
      { title: 'up', value: false },
    ],
    image_url: 'https://example.com/a.png',
  };
  const { event } = await publish({ channel: '#ignored', username: 'x', attachments: [attachment] });
  assert.equal(event, {
    title: '[FIRING:1] InstanceDown',
    description: 'db-1 is down\nseverity: critical\nno title\nup: false',
    level: 'error',
    delivery_urgency: 'standard',
    url: 'https://alertmanager.example.com/',
    image_url: 'https://example.com/a.png',
  });
  const plain = await publish({ attachments: [{ fallback: 'Disk full', color: '#36a64f' }] });
  assert.equal([plain.event.title, plain.event.level], ['Disk full', 'success']);
  const icon_url =
    'https://github.com/caronc/apprise/raw/master/apprise/assets/themes/default/apprise-failure-72x72.png';
  assert.is((await publish({ text: 'x', icon_url })).event.level, 'error', 'as Apprise says it to Mattermost');
  assert.is((await publish({ text: 'x', icon_url, attachments: [{ color: 'good' }] })).event.level, 'success');
});

test('every text in blocks counts, in its order', async () => {
  const blocks = [
    { type: 'header', text: { type: 'plain_text', text: 'Your service is down' } },
    { type: 'divider' },
    { type: 'section', fields: [{ type: 'mrkdwn', text: '*Message*\ntimeout' }] },
    { type: 'context', elements: [{ type: 'mrkdwn', text: 'db-1' }] },
    { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'more' }] }] },
  ];
  const texts = 'Your service is down\nMessage\ntimeout\ndb-1\nmore'.split('\n');
  const { event } = await publish({ blocks });
  assert.equal([event.title, ...(event.description?.split('\n') ?? [])], texts);
  const nested = await publish({ text: 'Uptime Kuma Alert', attachments: [{ color: '#e01e5a', blocks }] });
  assert.equal([nested.event.title, nested.event.level], ['Uptime Kuma Alert', 'error']);
  assert.equal(nested.event.description?.split('\n'), texts);
});

test('a tap opens the link of a button, and no text is repeated, as Uptime Kuma sends it', async () => {
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

test('a link leads there however it is written: in a text, in Markdown, in rich text', async () => {
  const section = (...elements: object[]) => ({ type: 'rich_text_section', elements });
  const rich = (...elements: object[]) => ({ blocks: [{ type: 'rich_text', elements }] });
  const link = { type: 'link', url: 'https://ci.example.com/42', text: 'build 42' };
  for (const body of [
    { text: 'Failed: https://ci.example.com/42.' },
    { text: 'Failed (https://ci.example.com/42), then https://example.com/' },
    { text: 'Failed: [build 42](https://ci.example.com/42) and <https://example.com/|more>' },
    { text: '*<https://ci.example.com/42>* failed' },
    { attachments: [{ text: 'Failed `https://ci.example.com/42`' }] },
    rich(section({ type: 'text', text: 'Failed: ' }, link), section({ ...link, url: 'https://example.com/' })),
  ]) {
    assert.is((await publish(body)).event.url, 'https://ci.example.com/42', JSON.stringify(body));
  }
  const wiki = 'https://example.com/Disk_(full)_[1]';
  assert.is((await publish({ text: `[see](${wiki})` })).event.url, wiki);
  assert.is((await publish({ text: 'Nothing to see: http:// or ftp://example.com' })).event.url, undefined);
});

test('a section of rich text is one line, with its emoji, names and links in it', async () => {
  const elements = [
    { type: 'text', text: 'Build of ' },
    { type: 'link', url: 'https://ci.example.com/42', text: 'shop & <co>' },
    { type: 'text', text: ' failed', style: { bold: true } },
    { type: 'emoji', name: 'rotating_light' },
    { type: 'user', user_id: 'U1' },
    { type: 'broadcast', range: 'here' },
    { type: 'text', text: ' __init__ ', style: { code: true } },
    { type: 'link', url: 'https://ci.example.com/log' },
  ];
  const list = { type: 'rich_text_list', elements: ['a', 'b'].map((text) => section({ type: 'text', text })) };
  const { event } = await publish({ blocks: [{ type: 'rich_text', elements: [section(...elements), list] }] });
  assert.equal(
    [event.title, event.description],
    ['Build of shop & <co> failed🚨@U1@here __init__ https://ci.example.com/log', 'a\nb'],
  );
  function section(...parts: object[]): object {
    return { type: 'rich_text_section', elements: parts };
  }
});

test('marks and emoji of Slack and Mattermost become plain text, but not texts that only look like them', async () => {
  const shown = async (text: string) => (await publish({ text })).event.title;
  for (const [text, expected] of [
    [
      ':rotating_light: *Disk* of _db-1_ is ~nearly~ full :tada::wave::skin-tone-3:',
      '🚨 Disk of db-1 is nearly full 🎉👋',
    ],
    ['**Disk** of ~~db-1~~ is *_very_* full', 'Disk of db-1 is very full'],
    [
      '<@U012AB3CD> and <@U1|ada>, <#C1|general> and <#C2>, <!subteam^S1|@ops>',
      '@U012AB3CD and @ada, #general and #C2, @ops',
    ],
    ['<!channel|channel> <!here> at <!date^1392734382^{date}|noon>', '@channel @here at noon'],
    ['run `a_*b*_c` and ```*x*```', 'run a_*b*_c and *x*'],
    ['[log](https://ci.example.com/a_b_c) of https://ci.example.com/_x_/*y*', 'log of https://ci.example.com/_x_/*y*'],
    ['<mailto:ada@example.com|Ada> or <mailto:ada@example.com>', 'Ada or ada@example.com'],
    ['<tel:+4930123> or <tel:+4930123|030 123>', '+4930123 or 030 123'],
    ['snake_case_name, 5 * 3 * 2, *.log and ~/x ~/y', 'snake_case_name, 5 * 3 * 2, *.log and ~/x ~/y'],
    ['12:100:59 :no_such_emoji: :constructor: a::b', '12:100:59 :no_such_emoji: :constructor: a::b'],
    ['&lt;@U1&gt; &amp;lt; <b>bold</b>', '<@U1> &lt; <b>bold</b>'],
  ] as const) {
    assert.is(await shown(text), expected);
  }
});

test('a form holds the same in payload', async () => {
  const payload = JSON.stringify({ text: 'Disk full' });
  assert.is((await publishText(`payload=${encodeURIComponent(payload)}`)).event.title, 'Disk full');
});

test('a message without text is rejected in the words of Slack', async () => {
  const refused = async (body: string) => publishedBy(SLACK, '/{key}', { body });
  assert.equal(await refused(' '), { status: 400, reply: 'invalid_payload' });
  for (const body of ['{}', '[]', 'payload=', 'payload={}', '{"text": " "}', '{"attachments": [{}]}']) {
    assert.equal(await refused(body), { status: 400, reply: 'no_text' }, body);
  }
});

test('a text that stands elsewhere, or in no JSON, is shown', async () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  for (const [body, headers] of [
    ['Disk full', {}],
    ['{"text": "Disk full', {}],
    ['{"message": "Disk full"}', {}],
    ['{"Attachments": [{"text": "Disk full"}]}', {}],
    ['text=Disk+full', form],
  ] as const) {
    assert.is((await publishWith(SLACK, '/{key}', { body, headers })).event.title, 'Disk full', body);
  }
});

test('it is answered ok, and nothing else', async () => {
  assert.is((await publish({ text: 'x' })).answer(accepted('alerts')), 'ok');
  assert.is(SLACK.error({ status: 404, reason: 'Not Found', message: 'No.' }), 'No.');
});

test.run();
