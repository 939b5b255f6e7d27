import * as assert from 'uvu/assert';
import { type Api, type Reply, apiTest as test } from '../support/http.ts';
import { valuesOf } from '../support/values-of.ts';

const EVENT = { channel: 'alerts', title: 'Done' };
const LINKS = { url: 'https://example.com/a', image_url: 'https://example.com/a.png' };

/** In UTF-8, as most clients write it, though Node writes header fields as Latin-1. */
const withKey = (key: string) => ({ headers: { 'Idempotency-Key': Buffer.from(key).toString('latin1') } });

/** Whether a reply is a replay, and of the same request. */
function kindOf({ status, headers }: Reply): string {
  if (status !== 200 || headers['idempotent-replayed'] !== 'true') return String(status);
  return String(headers['idempotent-body'] ?? 'same');
}

test('the header Idempotency-Key means the same as the field', async (api) => {
  // Node would write the header as UTF-8 once more beside a body that is text.
  const post = (body: object, options: object) => api.post(Buffer.from(JSON.stringify(body)), options);
  const first = await post(EVENT, withKey('Größe 1'));
  assert.is(first.status, 202);
  for (const [body, options] of [
    [EVENT, withKey('Größe 1')],
    [{ ...EVENT, idempotency_key: 'Größe 1' }, {}],
    [{ ...EVENT, idempotency_key: 'Größe 1' }, withKey('Größe 1')],
  ] as const) {
    const again = await post(body, options);
    assert.equal([again.status, again.text], [200, first.text]);
  }
  assert.is((await post(EVENT, withKey('Größe 2'))).status, 202);
});

test('if header and field differ nothing is done, and all faults are reported at once', async (api) => {
  const reply = await api.post({ channel: 'alerts', idempotency_key: 'a' }, withKey('b'));
  assert.is(reply.status, 422);
  assert.equal(reply.body.errors, {
    title: ['The title field is required.'],
    idempotency_key: [
      'The idempotency_key field differs from the Idempotency-Key header. Send only one, or the same value in both.',
    ],
  });
});

test('the header keeps to the rules of the field, and an empty one counts as absent', async (api) => {
  const reply = await api.post(EVENT, withKey('x'.repeat(256)));
  const message = 'The idempotency_key field must not be greater than 255 characters.';
  assert.equal([reply.status, reply.body.message], [422, message]);
  const first = await api.post({ ...EVENT, idempotency_key: 'three' }, withKey(''));
  assert.is(first.status, 202);
  assert.is((await api.post({ ...EVENT, idempotency_key: null }, withKey('three'))).text, first.text);
  for (const _ of [1, 2]) assert.is((await api.post(EVENT, withKey(''))).status, 202);
});

test('a repeated request whose body differs gets the first event, and a header that says so', async (api) => {
  const occurred = { occurred_at: '2026-11-21T09:00:00Z' };
  const data = { run: '1', app: 'api' };
  const body = { ...EVENT, ...LINKS, ...occurred, data, idempotency_key: 'one', description: '', level: 'info' };
  const first = await api.post(body);
  const { description: _, level: __, ...shorter } = body;
  const elsewhere = { ...body, occurred_at: '2026-11-21T10:00:00+01:00' };
  const reordered = { ...body, data: { app: 'api', run: '1' } };
  for (const same of [body, shorter, elsewhere, reordered, { ...body, unknown: 1 }])
    assert.is(kindOf(await api.post(same)), 'same');
  for (const change of [
    { channel: 'nowhere' },
    { title: 'Other' },
    { description: 'x' },
    { level: 'error' },
    { delivery_urgency: 'time_sensitive' },
    { event_type: 'x' },
    { collapse_key: 'x' },
    { expires_in: 60 },
    { occurred_at: '2026-11-21T09:00:01Z' },
    { occurred_at: undefined },
    { url: 'https://example.com/b' },
    { image_url: undefined },
    { url: undefined, image_url: undefined },
    { data: { ...data, run: '2' } },
    { data: {} },
    { url: LINKS.image_url, image_url: LINKS.url.replace('/a', '/a.png') },
  ]) {
    const again = await api.post({ ...body, ...change });
    assert.is(kindOf(again), 'different', JSON.stringify(change));
    assert.is(again.text, first.text);
  }
});

test('links cannot be compared under another key, and count as the same', async (api) => {
  const body = { ...EVENT, ...LINKS, idempotency_key: 'one' };
  await api.post(body);
  const { text: key } = await api.issueKey();
  assert.is(kindOf(await api.post({ ...body, url: 'https://example.com/b' }, { key })), 'same');
  assert.is(kindOf(await api.post({ ...body, url: undefined, image_url: undefined }, { key })), 'different');
  assert.is(kindOf(await api.post({ ...body, title: 'Other' }, { key })), 'different');
});

test('the log says of a replay whether it was the same request', async (api) => {
  for (const title of ['Done', 'Done', 'Other']) await api.post({ ...EVENT, title }, withKey('one'));
  const lines = linesOf(api).filter(({ route }) => route === '/api/v1/events');
  assert.equal(valuesOf(lines, 'replay'), [undefined, 'same', 'different']);
});

test('an event that is only to be checked is neither stored nor counted', async (api) => {
  const reply = await api.post({ ...EVENT, ...LINKS, validate_only: true, idempotency_key: 'one' });
  assert.equal([reply.status, reply.body], [200, { valid: true, target_device_count: 0, unknown_fields: [] }]);
  assert.is(reply.headers['idempotent-replayed'], undefined);
  assert.match(reply.headers.ratelimit as string, /^"burst";r=59;/);
  assert.is((await api.request('/api/v1/usage', { key: api.key })).body.used, 0);
  assert.is(api.held.size, 0);
  assert.is((await api.post({ ...EVENT, idempotency_key: 'one' })).status, 202);
});

test('a check names the fields that mean nothing, and what they may stand for', async (api) => {
  const others = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`x${index}`.padEnd(90, 'é'), 1]));
  const typos = { urgency: 'time_sensitive', idempotencyKey: 'one', titel: 'Done', colour: 'red' };
  const { body } = await api.post({ ...EVENT, validate_only: true, ...typos, ...others });
  const unknown = body.unknown_fields as readonly { field: string; nearest: string | null }[];
  assert.equal(unknown.slice(0, 4), [
    { field: 'urgency', nearest: 'delivery_urgency' },
    { field: 'idempotencyKey', nearest: 'idempotency_key' },
    { field: 'titel', nearest: 'title' },
    { field: 'colour', nearest: null },
  ]);
  assert.is(unknown.length, 20);
  assert.ok(unknown.every(({ field }) => field.length <= 64));
});

test('a check gives the answer that the event would get', { limits: { burstPerMinute: 7 } }, async (api) => {
  const check = (change: object) => api.post({ ...EVENT, validate_only: true, ...change });
  assert.is((await check({ title: '' })).status, 422);
  assert.is((await check({ validate_only: 'yes' })).status, 422);
  assert.is((await check({ channel: 'nowhere' })).status, 404);
  const first = await api.post({ ...EVENT, idempotency_key: 'one' });
  const known = await check({ idempotency_key: 'one' });
  assert.equal([kindOf(known), known.text], ['same', first.text]);
  await api.store.setPlan({ name: 'none', monthlyEvents: 1 });
  await api.store.setWorkspacePlan({ slug: 'acme', plan: 'none' });
  assert.is((await check({})).body.code, 'allowance_exhausted');
  assert.is((await check({ validate_only: false })).body.code, 'allowance_exhausted');
  assert.is((await check({})).body.code, 'rate_limited');
});

test.run();

function linesOf(api: Api): { route?: string; replay?: string }[] {
  return api
    .log()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
