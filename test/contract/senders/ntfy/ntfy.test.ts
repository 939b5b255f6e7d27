import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { NTFY } from '../../../../src/contract/senders/ntfy/ntfy.ts';
import { type AskedRequest, accepted, publishedBy, publishWith } from '../../../support/senders.ts';

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

test('a tap opens the first button that opens a page, unless the message has a link', async () => {
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

test('a body that is to be JSON and is none is the message, as no alert is lost to a mistake in it', async () => {
  const broken = '{"topic": "alerts", "message": "disk "sda" is full"}';
  for (const [body, message = body] of [
    [broken, 'disk "sda" is full'],
    ['Disk full'],
    ['"Disk full"'],
    ['["Disk full"]', 'Disk full'],
  ] as const) {
    const { event } = await publishWith(NTFY, '/', { headers: { title: 'db-1' }, body });
    assert.equal([event.title, event.description], ['db-1', message]);
  }
  for (const body of ['', ' \n', '[]', 'null']) {
    assert.is((await publishWith(NTFY, '/', { body })).event.title, 'triggered');
  }
});

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const JSON_TYPE = { 'content-type': 'application/json' };

test('fields of a form, of parts and in any case are those of JSON', async () => {
  const expected = {
    channel: 'alerts',
    title: '⚠️ Disk full',
    description: '2 GB left',
    level: 'warning',
    delivery_urgency: 'time_sensitive',
    url: 'https://example.com/',
  };
  const fields = { Topic: 'alerts', TITLE: 'Disk full', Message: '2 GB left', Priority: '5', Tags: 'warning' };
  const links = { Click: 'https://example.com/' };
  const form = new URLSearchParams({ ...fields, ...links }).toString();
  const parts = Object.entries({ ...fields, ...links }).map(
    ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const inParts = { 'content-type': 'multipart/form-data; boundary=b' };
  const buttons = [{ Action: 'view', Label: 'Open', Url: links.Click }];
  for (const [body, headers] of [
    [JSON.stringify({ ...fields, ...links, Priority: 5, Tags: ['warning'] }), {}],
    [JSON.stringify({ ...fields, Priority: 5, Actions: buttons }), {}],
    [form, FORM],
    [`${parts.join('')}--b--`, inParts],
  ] as const) {
    assert.equal((await publishWith(NTFY, '/', { body, headers })).event, expected, body);
  }
  for (const [body, headers] of [
    [form, FORM],
    [JSON.stringify({ ...fields, ...links, Priority: 5, Topic: 'elsewhere' }), JSON_TYPE],
  ] as const) {
    const request = { params: { channel: 'alerts' }, body, headers };
    assert.equal((await publishWith(NTFY, '/{channel}', request)).event, expected, body);
  }
});

test('the address names the sequence and the topic, even if the body names others', async () => {
  const params = { channel: 'alerts', sequence: 'disk' };
  const body = JSON.stringify({ topic: 'elsewhere', message: 'x', sequence_id: 'other' });
  const { event } = await publishWith(NTFY, '/{channel}/{sequence}', { params, body, headers: JSON_TYPE });
  assert.equal([event.channel, event.collapse_key], ['alerts', 'disk']);
});

test('a tag of a recovery names its urgency, unless the priority does', async () => {
  const urgencyOf = async (tags: string, priority: string) => {
    const request = { params: { channel: 'alerts' }, headers: { tags, priority }, body: 'x' };
    return Object(await publishedBy(NTFY, '/{channel}', request)).event.delivery_urgency;
  };
  assert.is(await urgencyOf('white_check_mark', ''), 'standard');
  assert.is(await urgencyOf('white_check_mark', '5'), 'time_sensitive');
  assert.is(await urgencyOf('rotating_light', ''), undefined);
});

test('a text for a topic stays a text even if curl declares a form; JSON without a message becomes lines', async () => {
  const shown = async (body: string, headers: Record<string, string>) => {
    const { title, description } = (await inText({ body, headers })).event;
    return [title, description].filter((text) => text !== undefined).join('|');
  };
  for (const body of ['Disk full', 'load=7', 'a=b and more', '[ERROR] Disk full', '{host}: disk full']) {
    assert.is(await shown(body, FORM), body);
  }
  assert.is(await shown('{"event": {"host": "db-1"}, "ok": false}', JSON_TYPE), 'event.host: db-1|ok: false');
  assert.is(await shown('{\n "message": "Disk full"\n}', {}), 'message: Disk full');
});

test('Markdown is shown without its marks', async () => {
  const [title, body] = ['x', '**Disk** of `db_1` is [full](https://example.com/)'];
  for (const headers of [
    { title, markdown: 'yes' },
    { title, 'content-type': 'text/markdown; charset=utf-8' },
  ]) {
    const { description, url } = (await inText({ headers, body })).event;
    assert.equal([description, url], ['Disk of db_1 is full', 'https://example.com/']);
  }
});

test('the request priority of browsers and proxies does not become the priority of the message', async () => {
  for (const priority of ['u=3', 'u=4, i', 'u=1,i', 'u=0, 2']) {
    const { event } = await inText({ headers: { priority }, query: 'priority=urgent', body: 'x' });
    assert.is(event.level, 'error', priority);
  }
});

test('the body wins over header fields, and in a message there \\n is a line break', async () => {
  assert.is((await inText({ headers: { message: 'a' }, body: 'b' })).event.title, 'b');
  assert.equal((await inText({ headers: { 'x-message': 'a\\nb' } })).event.description, 'b');
  const json = { headers: { 'x-title': 'another' }, body: '{"topic": "alerts", "title": "mine", "message": "b"}' };
  assert.is((await publishWith(NTFY, '/', json)).event.title, 'mine');
});

test('header fields may be written in encoded words', async () => {
  const headers = { title: '=?UTF-8?B?8J+HqfCfh6o=?= ab', tags: '=?UTF-8?Q?sk=C3=BCll?=' };
  const { event } = await inText({ headers, body: 'x' });
  assert.equal([event.title, event.description], ['🇩🇪 ab', 'x\n\nTags: sküll']);
});

test('buttons in a header field or the query count like those in JSON, in the short form and in JSON', async () => {
  const url = 'https://example.com/shop?a=1;b=2,3';
  const json = JSON.stringify([
    { action: 'http', url: 'https://example.com/close' },
    { action: 'view', url },
  ]);
  for (const actions of [
    `http, Close, https://example.com/close, body='{"a": 1; 2}', method=PUT; view, "Open, \\"now\\"", "${url}", clear=true`,
    `action=View, url='${url}', label=Open`,
    `view,Open,"${url}"`,
    json,
    ` ${json}`,
  ]) {
    for (const request of [{ headers: { actions } }, { query: `action=${encodeURIComponent(actions)}` }]) {
      const { event } = await inText({ ...request, body: 'down' });
      assert.is(event.url, url, actions);
    }
  }
  for (const actions of [
    '',
    ';;',
    'broadcast, Take a picture',
    'view, Open',
    '[',
    '[1]',
    'constructor=1, __proto__=2',
  ]) {
    assert.is((await inText({ headers: { actions }, body: 'down' })).event.url, undefined, actions);
  }
});

test('an attached image is shown, and other attachments by address are mentioned by name', async () => {
  const image = 'https://cam.example.com/door.JPG?t=1';
  assert.is((await inText({ headers: { attach: image }, body: 'Ding' })).event.image_url, image);
  assert.is((await inText({ query: `a=${encodeURIComponent(image)}`, body: 'Ding' })).event.image_url, image);
  assert.is((await inJson({ topic: 'alerts', attach: image })).event.image_url, image);
  const named = await inJson({ attach: 'https://cam.example.com/snapshot', filename: 'door.png' });
  assert.equal(
    [named.event.title, named.event.image_url, named.cut],
    ['You received a file: door.png', 'https://cam.example.com/snapshot', []],
  );
  for (const attach of ['http://cam.example.com/door.jpg', 'https://example.com/app.apk', 'door.jpg']) {
    const { event, cut } = await inText({ headers: { 'x-attach': attach } });
    assert.equal(
      [event.title, event.image_url, cut],
      [`You received a file: ${attach.slice(attach.lastIndexOf('/') + 1)}`, undefined, ['attach']],
    );
  }
});

test('a delay says when it is to be sent, in all the ways and forms that ntfy documents', async () => {
  const laterOf = async (delay: string) => (await inText({ headers: { delay }, body: 'x' })).event.send_at;
  // NOW_MS is a Saturday, at 9:30.
  const at = (day: number, time: string) => `2026-11-${day}T${time}+00:00`;
  for (const [delay, sendAt] of [
    ['1795257000', at(21, '10:30:00.000')],
    ['30m', at(21, '10:00:00.123')],
    ['3h', at(21, '12:30:00.123')],
    ['1h30m', at(21, '11:00:00.123')],
    ['2 days', at(23, '09:30:00.123')],
    ['in 10 Minutes', at(21, '09:40:00.123')],
    ['10am', at(21, '10:00:00.000')],
    ['8:30pm', at(21, '20:30:00.000')],
    ['9am', at(22, '09:00:00.000')],
    ['15:45', at(21, '15:45:00.000')],
    ['tomorrow', at(22, '09:30:00.123')],
    ['tomorrow, 3pm', at(22, '15:00:00.000')],
    ['Tomorrow at 12am', at(22, '00:00:00.000')],
    ['Tuesday, 7am', at(24, '07:00:00.000')],
    ['saturday, 9am', at(28, '09:00:00.000')],
    ['next friday', at(27, '09:30:00.123')],
  ] as const) {
    assert.is(await laterOf(delay), sendAt, delay);
  }
  for (const name of ['x-delay', 'delay', 'x-at', 'at', 'x-in', 'in']) {
    const { event } = await publishWith(NTFY, '/{channel}/publish', { query: `message=x&${name}=30m` });
    assert.is(event.send_at, at(21, '10:00:00.123'));
  }
  const { event, answer } = await inJson({ message: 'x', delay: '30m' });
  assert.is(event.send_at, at(21, '10:00:00.123'));
  const answered = answer(accepted('alerts')) as { time: number } | undefined;
  assert.is(answered?.time, Date.parse(at(21, '10:00:00.000')) / 1_000);
});

test('delays that are none, files and templates are refused as ntfy refuses them', async () => {
  const codeOf = async (path: string, request: AskedRequest) => {
    const asked = await publishedBy(NTFY, path, { params: { channel: 'alerts' }, ...request });
    if (asked === null || !('reply' in asked)) throw new Error('it was not refused');
    return [asked.status, (asked.reply as { code: number }).code];
  };
  for (const delay of ['soon', '10', '1639194738', '-5m', 'today', '25:00', '13pm', 'tomorrow, 10', 'tuesday 7am?']) {
    assert.equal(await codeOf('/{channel}', { headers: { delay }, body: 'x' }), [400, 40004], delay);
  }
  assert.equal(await codeOf('/', { body: '{"message": "x", "delay": "31 days"}' }), [400, 40006]);
  for (const [template, code] of [
    ['yes', 40045],
    ['1', 40045],
    ['github', 40047],
  ] as const) {
    assert.equal(await codeOf('/{channel}', { headers: { template }, body: '{}' }), [400, code]);
    assert.equal(await codeOf('/{channel}', { query: `tpl=${template}`, body: '{}' }), [400, code]);
  }
});

test('a file as the body is dropped and named, and title and text arrive', async () => {
  const read = async (headers: Record<string, string>, body: string, query = '') => {
    const { event, cut } = await publishWith(NTFY, '/{channel}', { headers, body, query });
    return [event.title, event.description, cut];
  };
  assert.equal(await read({ filename: 'a.jpg', title: 'Disk full', message: '2 GB left' }, '\ufffd\0'), [
    ...['Disk full', '2 GB left'],
    ['attachment'],
  ]);
  assert.equal(await read({ filename: 'log.txt' }, 'all is lost'), [
    'You received a file: log.txt',
    undefined,
    ['attachment'],
  ]);
  assert.equal(await read({}, 'PNG\0', 'message=Motion&title=Door'), ['Door', 'Motion', ['attachment']]);
  assert.equal(await read({}, 'PNG\0'), ['You received a file: attachment', undefined, ['attachment']]);
});

test('fields without a counterpart are left out, and named', async () => {
  const unkept = { email: 'a@example.com', icon: 'x', call: 'yes', cache: 'no', firebase: 'no' };
  const actions = [{ action: 'view', url: 'https://example.com/' }, { action: 'http' }];
  const { event, cut } = await inJson({ topic: 'alerts', message: 'x', ...unkept, markdown: true, actions });
  assert.equal(event, {
    channel: 'alerts',
    title: 'x',
    level: 'info',
    delivery_urgency: 'standard',
    url: 'https://example.com/',
  });
  assert.equal([...(cut ?? [])].sort(), ['actions', 'cache', 'call', 'email', 'firebase', 'icon', 'markdown']);
  const inHeaders = await inText({
    headers: { ...unkept, 'x-markdown': 'yes', up: '1' },
    query: 'poll-id=1',
    body: 'x',
  });
  const named = ['cache', 'call', 'email', 'firebase', 'icon', 'markdown', 'poll_id', 'unifiedpush'];
  assert.equal([...(inHeaders.cut ?? [])].sort(), named);
  const viewed = await inText({ headers: { actions: 'view, Open, https://example.com/' }, body: 'x' });
  assert.equal(viewed.cut, []);
});

test("a priority that is none is ignored, such as a browser's", async () => {
  const { event } = await inJson({ topic: 'alerts', message: 'x', priority: 9, tags: 7 });
  assert.equal(event, { channel: 'alerts', title: 'x', level: 'info', delivery_urgency: 'standard' });
  assert.is((await inText({ headers: { priority: 'u=1, i' }, body: 'x' })).event.delivery_urgency, 'standard');
});

test('if nothing else says so, the icon of Apprise shows the kind of notification', async () => {
  const levelOf = async (type: string, headers = {}) => {
    const icon = `https://github.com/caronc/apprise/raw/master/apprise/assets/themes/default/apprise-${type}-256x256.png`;
    const body = JSON.stringify({ topic: 'alerts', message: 'x' });
    const { event } = await publishWith(NTFY, '/', { headers: { 'x-icon': icon, ...headers }, body });
    return `${event.level} ${event.delivery_urgency}`;
  };
  assert.is(await levelOf('failure'), 'error standard');
  assert.is(await levelOf('warning'), 'warning standard');
  assert.is(await levelOf('success'), 'success standard');
  assert.is(await levelOf('info'), 'info standard');
  assert.is(await levelOf('failure', { 'x-priority': 'high' }), 'warning time_sensitive');
  assert.is(await levelOf('failure', { 'x-tags': 'tada' }), 'success standard');
});

test('a recovery of Gatus is a success and not urgent, since all of its messages have one priority', async () => {
  const message = 'An alert has been resolved after passing successfully 3 time(s) in a row';
  for (const tags of [['white_check_mark'], []]) {
    const { event } = await inJson({ topic: 'alerts', title: 'Gatus: shop', message, tags, priority: 5 });
    assert.equal([event.level, event.delivery_urgency], ['success', 'standard']);
  }
});

test('tags that are the name of something in JavaScript are tags like others', async () => {
  const { event } = await inJson({ topic: 'alerts', message: 'x', tags: ['constructor', '__proto__'] });
  assert.is(event.description, 'Tags: constructor, __proto__');
});

test('the answer is like that of ntfy: the sent message, with a time in seconds', async () => {
  const { answer } = await inJson({ topic: 'alerts', message: 'x', title: 'y', priority: 'max', tags: ['tada'] });
  assert.equal(answer(accepted('alerts')), {
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
