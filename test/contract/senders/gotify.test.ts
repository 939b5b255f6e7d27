import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { GOTIFY } from '../../../src/contract/senders/gotify.ts';
import { type AskedRequest, accepted, publishedBy, publishWith } from '../../support/senders.ts';

const publish = (request: AskedRequest) => publishWith(GOTIFY, '/message', request);
const json = (body: unknown): AskedRequest => ({ body: JSON.stringify(body) });
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

test('JSON, a form and a form in parts say the same', async () => {
  const expected = { title: 'Backup', description: 'done', level: 'warning', delivery_urgency: 'standard' };
  const parts = ['title', 'Backup', 'message', 'done', 'priority', '5'];
  const multipart = [0, 2, 4]
    .map((at) => `--b\r\nContent-Disposition: form-data; name="${parts[at]}"\r\n\r\n${parts[at + 1]}\r\n`)
    .join('');
  for (const request of [
    json({ title: 'Backup', message: 'done', priority: 5 }),
    json({ Title: 'Backup', MESSAGE: 'done', Priority: 5 }),
    { headers: FORM, body: 'title=Backup&message=done&priority=5' },
    { headers: FORM, query: 'title=Backup&priority=5', body: 'message=done' },
    { headers: { 'content-type': 'multipart/form-data; boundary=b' }, body: `${multipart}--b--\r\n` },
  ]) {
    assert.equal((await publish(request)).event, expected);
  }
});

test('the link and the image are those of its extras', async () => {
  const extras = {
    'client::notification': { click: { url: 'https://example.com/' }, bigImageUrl: 'https://example.com/a.png' },
  };
  const { event } = await publish(json({ message: 'x', priority: 8, extras }));
  assert.equal(event, {
    title: 'x',
    level: 'error',
    delivery_urgency: 'time_sensitive',
    url: 'https://example.com/',
    image_url: 'https://example.com/a.png',
  });
});

test('a monitor that is up again is a success and not urgent at any priority, and a program without priorities reports errors', async () => {
  const weightOf = async (message: string, priority?: number, title = 'x') => {
    const { level, delivery_urgency: urgency } = (await publish(json({ title, message, priority }))).event;
    return `${level} ${urgency}`;
  };
  const gatus = 'An alert for `shop` has been resolved after passing successfully 3 time(s) in a row';
  assert.is(await weightOf('[Shop] [✅ Up] 200 - OK', 8), 'success standard');
  assert.is(await weightOf(gatus, 10), 'success standard');
  assert.is(await weightOf('Mon Nov 23', 1, 'CLEAR, disk_full = 20%, on db-1'), 'success standard');
  assert.is(await weightOf('Mon Nov 23', 1, 'NOT CLEAR, disk_full'), 'info standard');
  assert.is(await weightOf('🟢 The check [Backup](https://hc.example.com/1) is now **UP**.'), 'success standard');
  assert.is(await weightOf('🔴 The check [Backup](https://hc.example.com/1) is **DOWN**.'), 'error standard');
  assert.is(await weightOf('[Shop] [🔴 Down] timeout', 8), 'error time_sensitive');
  assert.is(await weightOf(`${'.'.repeat(1_000)}[✅ Up]`, 8), 'error time_sensitive');
  assert.is(await weightOf('Disk full', 11), 'error time_sensitive');
});

test('a text declared as Markdown is shown without its marks, and any other text as it is', async () => {
  const extras = { 'client::display': { contentType: 'text/markdown' } };
  const shown = async (message: string, marked = true) =>
    (await publish(json({ title: 'x', message, ...(marked && { extras }) }))).event.description;
  for (const [message, expected] of [
    [
      '# Backup\n> **failed** on __db-1__, see [the log](https://example.com/a_b_)',
      'Backup\nfailed on db-1, see the log',
    ],
    ['\\*\\_not\\_\\* marked, `a*b*c`, snake_case_name', '*_not_* marked, a*b*c, snake_case_name'],
    ['\ue040 of \ue07e \\*', '\ue040 of \ue07e *'],
    ['```sh\nls *.log\n```\nafter', 'ls *.log\nafter'],
    ['```\nls *.log *.txt\n```', 'ls *.log *.txt'],
    [`\`\`\`\n${'a *b* c\n'.repeat(2_000)}\`\`\`\n*end*`, `${'a *b* c\n'.repeat(2_000)}`.slice(0, 8_188).trim()],
  ] as const) {
    assert.is(await shown(message), expected);
  }
  assert.is(await shown('# a **b**', false), '# a **b**');
});

test('a body that is neither JSON nor a form is the message, and so is JSON without a message', async () => {
  assert.is((await publish({ body: '{"message": "no end' })).event.title, 'no end');
  assert.is((await publish({ headers: FORM, body: 'Disk full' })).event.title, 'Disk full');
  assert.is((await publish({ headers: { 'content-type': 'multipart/form-data' }, body: 'x' })).event.title, 'x');
  assert.is((await publish(json({ text: 'Disk full' }))).event.title, 'Disk full');
  for (const body of ['', ' ', '{}', '[]']) assert.is(await publishedBy(GOTIFY, '/message', { body }), null);
});

test('the answer is as Gotify has it, with a number for its id', async () => {
  const { answer } = await publish(json({ message: 'x', title: 'y', priority: 5, extras: { a: 1 } }));
  assert.equal(answer(accepted('alerts')), {
    id: 0x0d3bed29ec49,
    appid: 1,
    message: 'x',
    title: 'y',
    priority: 5,
    extras: { a: 1 },
    date: '2026-11-18T11:06:40.000+00:00',
  });
});

test('an error is as Gotify has it', () => {
  assert.equal(GOTIFY.error({ status: 401, reason: 'Unauthorized', message: 'No.' }), {
    error: 'Unauthorized',
    errorCode: 401,
    errorDescription: 'No.',
  });
});

test.run();
