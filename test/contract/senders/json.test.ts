import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { SenderEvent } from '../../../src/contract/senders/format.ts';
import { JSON_FIELDS } from '../../../src/contract/senders/json.ts';
import { publishedBy, publishWith } from '../../support/senders.ts';

const asked = (patterns: Readonly<Record<string, string>>, body: unknown) => ({
  params: { channel: 'alerts' },
  query: new URLSearchParams(patterns).toString(),
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const publish = async (patterns: Readonly<Record<string, string>>, body: unknown): Promise<SenderEvent> =>
  (await publishWith(JSON_FIELDS, '/{channel}', asked(patterns, body))).event;

/** https://docs.github.com/en/webhooks/webhook-events-and-payloads#workflow_run, in short. */
const WORKFLOW_RUN = {
  action: 'completed',
  workflow_run: {
    name: 'CI',
    conclusion: 'failure',
    html_url: 'https://github.com/acme/shop/actions/runs/42',
    updated_at: '2026-11-21T09:30:00Z',
  },
  repository: { full_name: 'acme/shop' },
};

test('patterns in the address name the place of each field', async () => {
  const patterns = {
    title: '{workflow_run.name} of {repository.full_name}: {workflow_run.conclusion}',
    description: '/action',
    url: '/workflow_run/html_url',
    level: '{workflow_run.conclusion}',
    collapse_key: '{/repository/full_name} {workflow_run.name}',
    occurred_at: '/workflow_run/updated_at',
    image_url: 'https://example.com/{action}.png',
  };
  const expected = {
    channel: 'alerts',
    title: 'CI of acme/shop: failure',
    description: 'completed',
    level: 'error',
    delivery_urgency: 'standard',
    url: 'https://github.com/acme/shop/actions/runs/42',
    image_url: 'https://example.com/completed.png',
    collapse_key: 'acme/shop CI',
    occurred_at: '2026-11-21T09:30:00.000+00:00',
  };
  assert.equal(await publish(patterns, WORKFLOW_RUN), expected);
  const form = `payload=${encodeURIComponent(JSON.stringify(WORKFLOW_RUN))}`;
  assert.equal(await publish(patterns, form), expected);
});

test('a pointer is that of RFC 6901, names reach into lists, and a body may be one', async () => {
  const body = [{ 'a/b': { '~': 'tilde', 'x.y': 'dot', '': 'empty' }, list: ['first', 7] }];
  for (const [pattern, expected] of [
    ['/0/a~1b/~0', 'tilde'],
    ['{/0/a~1b/x.y}', 'dot'],
    ['/0/a~1b/', 'empty'],
    ['{0.list.0} and { 0.list.1 }', 'first and 7'],
  ] as const) {
    assert.is((await publish({ title: pattern }, body)).title, expected, pattern);
  }
});

test('a missing value is an empty text, even for names that every object has', async () => {
  const body = { name: 'Shop', nothing: null, yes: true, list: [1], object: {} };
  const pattern = '{name}{nothing}{yes}{list}{object}{name.length}{constructor}{__proto__}{toString.name}{a.b.c}{}';
  assert.is((await publish({ title: pattern }, body)).title, 'Shoptrue');
});

test('a pattern that finds none of its fields gives way to the next text, and false and 0 are found', async () => {
  const textsOf = async (patterns: Record<string, string>, body: object) => {
    const { title, description } = await publish(patterns, body);
    return [title, description];
  };
  const isAndIs = '{a} is {b}';
  for (const [patterns, body, expected] of [
    [{ title: isAndIs }, { a: 'x' }, ['x is', undefined]],
    [{ title: isAndIs }, { a: false, b: 0 }, ['false is 0', undefined]],
    [{ title: isAndIs }, { a: '', b: null, message: 'Disk full' }, ['Disk full', undefined]],
    [{ title: isAndIs, description: 'of {host}' }, { host: 'db-1' }, ['of db-1', undefined]],
    [
      { title: isAndIs, description: '/host' },
      { host: { name: 'db-1' }, subject: 'Disk full' },
      ['Disk full', undefined],
    ],
    [{ title: isAndIs }, { ok: false }, ['ok: false', undefined]],
    [{ title: '{a}', description: 'at {b}' }, { a: 'x', text: 'Disk full' }, ['x', 'Disk full']],
    [{ title: '{text}', description: 'at {b}' }, { text: 'Disk full' }, ['Disk full', undefined]],
    [{ title: 'Backup', description: 'at {b}' }, { ok: 0 }, ['Backup', 'ok: 0']],
    [{ title: 'Backup' }, { ok: 0 }, ['Backup', undefined]],
  ] as const) {
    assert.equal(await textsOf(patterns, body), expected, JSON.stringify([patterns, body]));
  }
});

test('a collapse key that lacks a field is none, and so is a link that lacks all of them', async () => {
  const patterns = { title: 'x', url: 'https://example.com/{id}', collapse_key: '{check} on {host}' };
  assert.is((await publish(patterns, { check: 'disk', host: 0 })).collapse_key, 'disk on 0');
  const { collapse_key: collapse, url } = await publish(patterns, { check: 'disk' });
  assert.equal([collapse, url], [undefined, undefined]);
});

test('if no pattern finds a text, the body is shown by well-known fields, or as it is', async () => {
  const apprise = { version: '1.0', title: 'Backup failed', message: 'no space left', type: 'failure' };
  const attached = await publishWith(
    JSON_FIELDS,
    '/{channel}',
    asked({}, { ...apprise, Attachments: [{ base64: 'AA==' }] }),
  );
  assert.equal([attached.event.title, attached.cut], ['Backup failed', ['attachment']]);
  assert.equal(await publish({}, apprise), {
    channel: 'alerts',
    title: 'Backup failed',
    description: 'no space left',
    level: 'error',
    delivery_urgency: 'standard',
  });
  assert.is((await publish({ title: '{missing}', description: '/missing' }, apprise)).title, 'Backup failed');
  assert.is((await publish({ description: '/message' }, apprise)).title, 'no space left');
  assert.is((await publish({}, 'Disk full')).title, 'Disk full');
  for (const body of ['', '{}', '[]', 'payload={}']) {
    assert.is(await publishedBy(JSON_FIELDS, '/{channel}', asked({ title: '{a}' }, body)), null, body);
  }
});

const posted = async (body: string, contentType: string, patterns = {}) => {
  const request = { ...asked(patterns, body), headers: { 'content-type': contentType } };
  const { title, description, level } = (await publishWith(JSON_FIELDS, '/{channel}', request)).event;
  return [title, description, level];
};
const URLENCODED = 'application/x-www-form-urlencoded';

test('the fields of a form, of parts and in any case are those of JSON', async () => {
  const robot = 'monitorFriendlyName=Shop&alertTypeFriendlyName=Down&alertDetails=HTTP+503%0Afor+5+min';
  const patterns = { title: '{MonitorFriendlyName} is {alertTypeFriendlyName}', description: '/alertdetails' };
  assert.equal(await posted(robot, URLENCODED, patterns), ['Shop is Down', 'HTTP 503\nfor 5 min', 'info']);
  const apprise = 'version=1.0&title=Backup+failed&message=no+space&type=failure';
  assert.equal(await posted(apprise, URLENCODED), ['Backup failed', 'no space', 'error']);
  assert.equal(await posted('{"Title":"Backup","Message":"no space","Severity":"warning"}', 'application/json'), [
    'Backup',
    'no space',
    'warning',
  ]);
  const file = 'Content-Disposition: form-data; name="file01"; filename="a.jpg"\r\n\r\n\x00\r\n';
  const part = 'Content-Type: text/plain\r\ncontent-disposition: form-data; Name=message\r\n\r\nno "space"\r\n';
  const parts = `--b\r\n${file}--b\r\n${part}--b--\r\n`;
  assert.equal(await posted(parts, 'multipart/form-data; boundary="b"'), ['no "space"', undefined, 'info']);
  assert.equal(await posted('Disk full', URLENCODED), ['Disk full', undefined, 'info']);
});

test('a form is read in its charset, and a part in its own', async () => {
  const form = 'message=Gr%FC%DFe+und+%FC';
  for (const type of [URLENCODED, `${URLENCODED}; charset=iso-8859-1`]) {
    assert.is((await posted(form, type))[0], 'Grüße und ü');
  }
});

test("Uptime Kuma's form in parts holds JSON", async () => {
  const kuma = { heartbeat: { msg: 'refused' }, monitor: { name: 'Shop' }, msg: '[Shop] [🔴 Down] refused' };
  const body = `----7\r\nContent-Disposition: form-data; name="data"\r\n\r\n${JSON.stringify(kuma)}\r\n----7--\r\n`;
  const patterns = { title: '{monitor.name}: {heartbeat.msg}', description: '{msg}' };
  const expected = ['Shop: refused', '[Shop] [🔴 Down] refused', 'error'];
  assert.equal(await posted(body, 'multipart/form-data; boundary=--7', patterns), expected);
  assert.equal(await posted(body, 'multipart/form-data', patterns), expected);
});

test('JSON of a template is repaired if possible, else shown in lines that say something', async () => {
  const json = 'application/json';
  for (const [body, expected] of [
    ['{"message": "Disk\nis "full", he said", "title": "db-1",}', ['db-1', 'Disk\nis "full", he said']],
    ['{"title": "Film "X", 2nd", "message": "C:\\dir"}', ['Film "X", 2nd', 'C:\\dir']],
    ["{'title': 'it's full', 'up': True, 'at': None}", ["it's full", undefined]],
    ['{title: "Disk full", message: "2 GB", level: }', ['Disk full', '2 GB']],
    ['{"title": "Disk full", "message": "2 GB le', ['Disk full', '2 GB le']],
    ['{"a": {"host": "db-1"}}\n{"a": {"host": "db-2"}}', ['0.a.host: db-1', '1.a.host: db-2']],
    ['{"list": [1, 2], "more": [{"x": true}, null]}', ['list: 1, 2', 'more.0.x: true']],
    ['{\n  broken\n}', ['broken', '}']],
    ['{{ name }} is down', ['{{ name }} is down', undefined]],
  ] as const) {
    assert.equal((await posted(body, json)).slice(0, 2), [...expected], body);
  }
});

test("the level comes from the address, else from a field of that meaning, else from Uptime Kuma's text", async () => {
  const weigh = async (patterns: Record<string, string>, body: object) => {
    const { level, delivery_urgency: urgency } = await publish({ title: 'x', ...patterns }, body);
    return `${level} ${urgency}`;
  };
  assert.is(await weigh({ level: 'warning' }, {}), 'warning standard');
  assert.is(await weigh({ level: '{status}' }, { status: 'CLEAR', severity: 'critical' }), 'success standard');
  assert.is(await weigh({ level: '/nothing' }, { severity: 'critical' }), 'error time_sensitive');
  assert.is(await weigh({}, { type: 'warning' }), 'warning standard');
  assert.is(await weigh({}, { type: 'blue' }), 'info standard');
  assert.is(await weigh({}, { state: 'PROBLEM', type: 'info' }), 'error standard');
  assert.is(await weigh({ title: '/msg' }, { msg: '[Shop] [🔴 Down] timeout' }), 'error standard');
  assert.is(await weigh({ title: '/msg' }, { msg: '[Shop] [✅ Up] 200 - OK' }), 'success standard');
});

test('only= in the address takes posts with these values, and posts that it cannot judge', async () => {
  const isTaken = async (only: string | readonly string[], body: unknown) => {
    const query = new URLSearchParams([...[only].flat().map((value) => ['only', value]), ['title', 'x']]);
    const published = await publishedBy(JSON_FIELDS, '/{channel}', { ...asked({}, body), query: query.toString() });
    if (published !== null && 'reply' in published) assert.is(published.status, 200);
    return published !== null && !('reply' in published);
  };
  const conclusions = '{workflow_run.conclusion}=failure,timed_out';
  assert.ok(await isTaken(conclusions, WORKFLOW_RUN));
  assert.ok(await isTaken('/workflow_run/conclusion= Timed_out , FAILURE', WORKFLOW_RUN));
  assert.ok(await isTaken([conclusions, '{action}=completed'], WORKFLOW_RUN));
  assert.ok(await isTaken('{ok}=false', { ok: false }));
  assert.ok(await isTaken(conclusions, 'Disk full'), 'no JSON');
  for (const mistake of ['{action}', 'action=x', '=', '{action}=', '{action}= , '])
    assert.ok(await isTaken(mistake, WORKFLOW_RUN), mistake);
  assert.not(await isTaken(conclusions, { zen: 'Keep it logically awesome.', hook_id: 1 }));
  assert.not(await isTaken(conclusions, { ...WORKFLOW_RUN, workflow_run: { conclusion: null } }));
  assert.not(await isTaken([conclusions, '{action}=requested'], WORKFLOW_RUN));
});

test('the first of many names in a pattern are filled, and a long text keeps its beginning', async () => {
  const { title } = await publish({ title: '{a}'.repeat(5_000) }, { a: 'x'.repeat(60_000) });
  assert.is(title.length, 10 * 4_096);
});

test.run();
