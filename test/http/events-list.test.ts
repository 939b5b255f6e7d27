import * as assert from 'uvu/assert';
import { ADA } from '../support/cast.ts';
import { type Api, type Reply, apiTest as test } from '../support/http.ts';
import { granted } from '../support/refusals.ts';
import { aPerson } from '../support/sign-in.ts';

async function post(api: Api, title: string, more: object = {}): Promise<void> {
  assert.is((await api.post({ channel: 'alerts', title, ...more })).status, 202);
}

function titlesOf({ body }: Reply): readonly string[] {
  return (body.events as { title: string }[]).map(({ title }) => title);
}

/** The id of an event that is not there. */
const CURSOR = 'evt_01m7yq1whvehx9w1n0h5r0c6ct';

const list = (api: Api, query = '', key = api.key) => api.request(`/api/v1/events${query}`, { key });

test('a key lists the events of its workspace, newest first, with channel, title and counts', async (api) => {
  granted(await api.store.createChannel({ workspace: 'acme', slug: 'builds' }));
  await post(api, 'One', { description: 'private', url: 'https://example.com/secret', collapse_key: 'a' });
  await post(api, 'Two', { channel: 'builds' });
  const reply = await list(api);
  assert.is(reply.status, 200);
  assert.equal(titlesOf(reply), ['Two', 'One']);
  const [, older] = reply.body.events as { channel: string; collapse_key: string; deliveries: { pending: number } }[];
  assert.equal([older?.channel, older?.collapse_key, older?.deliveries.pending], ['alerts', 'a', 0]);
  assert.not.match(reply.text, /private|secret/);
  assert.is(reply.headers['ratelimit-policy'], '"reads";q=60;w=60');
});

test('filters go together', async (api) => {
  granted(await api.store.createChannel({ workspace: 'acme', slug: 'builds' }));
  await post(api, '1', { level: 'error' });
  await post(api, '2', { event_type: 'deploy.finished' });
  await post(api, '3', { channel: 'builds', level: 'error' });
  const [, second] = (await list(api)).body.events as { received_at: string; public_id: string }[];
  for (const [query, titles] of [
    ['?channel=alerts', ['2', '1']],
    ['?level=error', ['3', '1']],
    ['?channel=alerts&level=error', ['1']],
    ['?since=24h', ['3', '2', '1']],
    [`?since=${encodeURIComponent(second?.received_at ?? '')}&channel=builds`, ['3']],
    [`?since=${second?.received_at}&channel=builds`, ['3']],
    ['?since=2999-01-01T00:00:00Z', []],
    [`?before=${second?.public_id}`, ['1']],
    [`?after=${second?.public_id}`, ['3']],
    [`?after=evt_${'0'.repeat(26)}&channel=alerts`, ['1', '2']],
    [`?until=${second?.received_at}&since=24h&channel=alerts`, ['2', '1']],
    ['?until=24h', []],
    ['?event_type=deploy.finished', ['2']],
    ['?event_type=deploy', []],
  ] as const) {
    assert.equal(titlesOf(await list(api, query)), titles, query);
  }
});

test('a key cannot search the texts that it is not shown, nor name a workspace', async (api) => {
  const { status, body, headers } = await list(api, '?q=private&workspace=acme&chanel=alerts&level=loud');
  assert.is(status, 422);
  assert.equal(body.errors, {
    level: ['The level field must be one of info, success, warning, error.'],
    q: ['The q field cannot be used with an API key.'],
    workspace: ['The workspace field cannot be used with an API key.'],
    chanel: ['The chanel field is unknown: did you mean channel?'],
  });
  assert.ok(headers.ratelimit, 'it counts as a read');
});

test('its pages stay as they are while events arrive', async (api) => {
  for (const title of ['1', '2', '3']) await post(api, title);
  const first = await list(api, '?limit=2');
  await post(api, '4');
  const second = await list(api, `?limit=2&before=${first.body.next}`);
  assert.equal([titlesOf(first), titlesOf(second), second.body.next], [['3', '2'], ['1'], null]);
});

test('a follower asks with the `up_to` of the last page, even if that page was empty', async (api) => {
  await post(api, '1');
  const [first] = (await list(api)).body.events as { public_id: string }[];
  let after = first?.public_id ?? '';
  const later = async () => {
    const reply = await list(api, `?after=${after}&limit=2`);
    after = String(reply.body.up_to);
    return [titlesOf(reply), reply.body.next];
  };
  assert.equal(await later(), [[], null]);
  for (const title of ['2', '3', '4']) await post(api, title);
  assert.equal(await later(), [['2', '3'], after]);
  assert.equal(await later(), [['4'], null]);
  assert.equal(await later(), [[], null]);
});

test('a wrong filter is named in a 422, and an unknown channel is a 404', async (api) => {
  for (const [query, field] of [
    ['?level=loud', 'level'],
    ['?since=yesterday', 'since'],
    ['?since=2026-11-21', 'since'],
    ['?since=2026-02-30T00:00:00Z', 'since'],
    ['?until=tomorrow', 'until'],
    ['?before=nonsense', 'before'],
    ['?after=dev_7m3q0f9t2xkd4w6z', 'after'],
    [`?after=${CURSOR}&before=${CURSOR}`, 'after'],
    ['?limit=0', 'limit'],
  ]) {
    const reply = await list(api, query);
    assert.equal([reply.status, Object.keys(reply.body.errors as object)], [422, [field]], query);
  }
  assert.is((await list(api, '?channel=nowhere')).status, 404);
});

test('a key that is bound to channels lists those alone, and their events', async (api) => {
  granted(await api.store.createChannel({ workspace: 'acme', slug: 'builds' }));
  granted(await api.store.updateChannel({ workspace: 'acme', slug: 'builds', status: 'inactive' }));
  await post(api, 'One');
  const { text: key } = await api.issueKey({ channels: ['builds'] });
  assert.equal(titlesOf(await list(api, '', key)), []);
  assert.is((await list(api, '?channel=alerts', key)).status, 404);
  const builds = { slug: 'builds', name: 'builds', status: 'inactive' };
  assert.equal((await api.request('/api/v1/channels', { key })).body, { channels: [builds], next: null });
  const all = (await api.request('/api/v1/channels', { key: api.key })).body.channels;
  assert.equal(all, [{ slug: 'alerts', name: 'alerts', status: 'active' }, builds]);
});

test('events of another workspace are not found', async (api) => {
  await post(api, 'One');
  await api.addWorkspace('umbrella');
  const { text: key } = await api.issueKey({ workspace: 'umbrella' });
  assert.equal(titlesOf(await list(api, '', key)), []);
  assert.equal((await api.request('/api/v1/channels', { key })).body.channels, []);
});

test('a refusal to list names the kind of token that is wanted', async (api) => {
  const { text: writer } = await api.issueKey({ scopes: ['events:write'] });
  const person = await aPerson(api, ADA);
  for (const path of ['/api/v1/events', '/api/v1/channels']) {
    const refused = await api.request(path, { key: writer });
    assert.equal([refused.status, refused.body.code], [403, 'missing_scope']);
    const unknown = await api.request(path, { key: `${api.key.slice(0, -4)}0000` });
    assert.equal([unknown.status, unknown.body.message], [401, 'The API key is missing or not valid.']);
  }
  const anonymous = await api.request('/api/v1/events');
  assert.equal([anonymous.status, anonymous.body.message], [401, 'The request needs an API key or a session token.']);
  assert.is((await api.request('/api/v1/events', { key: person })).status, 200);
  assert.is((await api.request('/api/v1/channels', { key: person })).body.code, 'unauthenticated');
});

test.run();
