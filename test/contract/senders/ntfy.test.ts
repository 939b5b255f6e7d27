import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { NTFY } from '../../../src/contract/senders/ntfy.ts';
import { type AskedRequest, accepted, publishWith } from '../../support/senders.ts';

const inJson = (body: unknown) => publishWith(NTFY, '/', { body: JSON.stringify(body) });
const inText = (request: AskedRequest) =>
  publishWith(NTFY, '/{channel}', { params: { channel: 'alerts' }, ...request });

test('JSON, header fields and query say the same', async () => {
  const expected = {
    channel: 'alerts',
    title: '🎉 💾 Backup',
    description: 'done\n\nTags: db-1',
    level: 'success',
    delivery_urgency: 'time_sensitive',
    url: 'https://example.com/',
    collapse_key: 'backup',
  };
  const fields = { title: 'Backup', priority: 4, click: 'https://example.com/', sequence_id: 'backup' };
  const tags = ['tada', 'floppy_disk', 'db-1'];
  const json = await inJson({ topic: 'alerts', message: 'done', tags, ...fields });
  const headers = {
    'x-title': 'Backup',
    priority: 'high',
    'x-tags': tags.join(', '),
    click: 'https://example.com/',
    'x-sequence-id': 'backup',
  };
  const text = await inText({ headers, body: 'done' });
  const query = await inText({
    query: 't=Backup&m=done&prio=4&ta=tada,floppy_disk,db-1&click=https://example.com/&sid=backup',
  });
  for (const { event } of [json, text, query]) assert.equal(event, expected);
});

test('header fields have what JSON leaves out, as Apprise sends them', async () => {
  const headers = {
    'x-priority': 'high',
    'x-tags': 'warning',
    'x-click': 'https://example.com/',
    'x-title': 'Another',
  };
  const body = JSON.stringify({ topic: 'alerts', title: 'Backup failed', message: 'no space left' });
  assert.equal((await publishWith(NTFY, '/', { headers, body })).event, {
    channel: 'alerts',
    title: '⚠️ Backup failed',
    description: 'no space left',
    level: 'warning',
    delivery_urgency: 'time_sensitive',
    url: 'https://example.com/',
  });
});

test('a tap leads where the first button does that opens a page, unless the message has a link', async () => {
  const button = (action: string, url: string) => ({ action, label: 'Open', url });
  const actions = [button('http', 'https://example.com/close'), button('view', 'https://example.com/shop')];
  assert.is((await inJson({ message: 'down', actions })).event.url, 'https://example.com/shop');
  assert.is(
    (await inJson({ message: 'down', actions, click: 'https://example.com/' })).event.url,
    'https://example.com/',
  );
});

test('a body without a title is the title', async () => {
  assert.equal((await inText({ body: 'Backup successful 😀' })).event, {
    channel: 'alerts',
    title: 'Backup successful 😀',
    level: 'info',
    delivery_urgency: 'standard',
  });
});

test('a message without any text is "triggered", as ntfy has it', async () => {
  for (const request of [{}, { body: ' \n' }, { query: 'title=' }]) {
    assert.is((await inText(request)).event.title, 'triggered');
  }
  assert.equal((await inText({ headers: { title: 'Radarr' } })).event.description, 'triggered');
});

test('the body wins over the message in a header field, in which \\n is a line break', async () => {
  assert.is((await inText({ headers: { message: 'a' }, body: 'b' })).event.title, 'b');
  assert.equal((await inText({ headers: { 'x-message': 'a\\nb' } })).event.description, 'b');
});

test('header fields may be written in encoded words', async () => {
  const headers = { title: '=?UTF-8?B?8J+HqfCfh6o=?= ab', tags: '=?UTF-8?Q?sk=C3=BCll?=' };
  const { event } = await inText({ headers, body: 'x' });
  assert.equal([event.title, event.description], ['🇩🇪 ab', 'x\n\nTags: sküll']);
});

test('an uploaded file is told of by its name', async () => {
  const { event } = await inText({ headers: { filename: 'flower.jpg' }, body: '\ufffd\ufffd' });
  assert.is(event.title, 'You received a file: flower.jpg');
});

test("what has no counterpart is ignored, and so is a priority that is none, such as a browser's", async () => {
  const ignored = {
    delay: '30m',
    attach: 'https://example.com/a.jpg',
    actions: [{ action: 'view' }],
    email: 'a@example.com',
    icon: 'x',
    markdown: true,
  };
  const { event } = await inJson({ topic: 'alerts', message: 'x', priority: 9, tags: 'warning', ...ignored });
  assert.equal(event, { channel: 'alerts', title: 'x', level: 'info', delivery_urgency: 'standard' });
  assert.is((await inText({ headers: { priority: 'u=1, i' }, body: 'x' })).event.delivery_urgency, 'standard');
});

test('tags that are the name of something in JavaScript are tags like others', async () => {
  const { event } = await inJson({ topic: 'alerts', message: 'x', tags: ['constructor', '__proto__'] });
  assert.is(event.description, 'Tags: constructor, __proto__');
});

test('the answer is as ntfy has it: what was sent, with a time in seconds', async () => {
  const { answer } = await inJson({ topic: 'alerts', message: 'x', title: 'y', priority: 'max', tags: ['tada'] });
  assert.equal(answer?.(accepted('alerts')), {
    id: 'evt_1',
    time: 1_795_000_000,
    expires: 1_795_000_060,
    event: 'message',
    topic: 'alerts',
    title: 'y',
    message: 'x',
    priority: 5,
    tags: ['tada'],
  });
});

test('an error has the code of ntfy', () => {
  assert.equal(NTFY.error({ status: 401, reason: 'Unauthorized', message: 'No.' }), {
    code: 40101,
    http: 401,
    error: 'No.',
    link: 'https://docs.ntfy.sh/publish/',
  });
});

test.run();
