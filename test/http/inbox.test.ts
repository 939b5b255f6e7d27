import * as assert from 'uvu/assert';
import { ADA, CARL } from '../support/cast.ts';
import { type Api, type Reply, apiTest as test } from '../support/http.ts';
import { granted } from '../support/refusals.ts';
import { aPerson, signIn } from '../support/sign-in.ts';
import { valuesOf } from '../support/values-of.ts';

/** Signs a member in whose device listens on `alerts`. */
async function aListener(api: Api, email = ADA): Promise<string> {
  const key = await aPerson(api, email);
  const token = Buffer.from(email).toString('hex');
  const body = { platform: 'ios', token: token.length % 2 ? `${token}0` : token };
  const registered = await api.request('/api/v1/devices', { method: 'POST', key, body });
  const { id } = registered.body.device as { id: string };
  await api.request(`/api/v1/devices/${id}/subscriptions/acme/alerts`, { method: 'PUT', key });
  return key;
}

async function post(api: Api, title: string, more: object = {}): Promise<string> {
  const { body } = await api.post({ channel: 'alerts', title, ...more });
  return (body.event as { public_id: string }).public_id;
}

function titlesOf({ body }: Reply): readonly string[] {
  return (body.events as { title: string }[]).map(({ title }) => title);
}

test('the inbox has the events of subscribed channels, newest first, with their texts and without links', async (api) => {
  const key = await aListener(api);
  granted(await api.store.createChannel({ workspace: 'acme', slug: 'noise' }));
  await post(api, 'One', { description: 'in full', url: 'https://example.com/secret' });
  await post(api, 'Two');
  await post(api, 'Noise', { channel: 'noise' });
  const reply = await api.request('/api/v1/events?workspace=acme', { key });
  assert.equal(titlesOf(reply), ['Two', 'One']);
  assert.is((reply.body.events as { description: string | null }[])[1]?.description, 'in full');
  assert.not.match(reply.text, /secret/);
  assert.equal((await api.request('/api/v1/events', { key })).body, reply.body);
});

test('an event says when it happened, wherever it is shown in full; the answer to its post does not', async (api) => {
  const key = await aListener(api);
  const { body } = await api.post({ channel: 'alerts', title: 'One', occurred_at: '2026-11-21T09:30:00+01:00' });
  const { public_id: id, ...posted } = body.event as { public_id: string };
  assert.not('occurred_at' in posted);
  const read = await api.request(`/api/v1/events/${id}`, { key });
  const page = await api.request('/api/v1/events', { key });
  for (const event of [read.body.event, ...(page.body.events as object[])])
    assert.is((event as { occurred_at: string }).occurred_at, '2026-11-21T08:30:00.000+00:00');
});

test('pages stay as they are while events arrive', async (api) => {
  const key = await aListener(api);
  for (const title of ['1', '2', '3', '4', '5']) await post(api, title);
  const first = await api.request('/api/v1/events?limit=2', { key });
  await post(api, '6');
  const second = await api.request(`/api/v1/events?limit=2&before=${first.body.next}`, { key });
  const third = await api.request(`/api/v1/events?limit=2&before=${second.body.next}`, { key });
  assert.equal([first, second, third].map(titlesOf), [['5', '4'], ['3', '2'], ['1']]);
  assert.is(third.body.next, null);
});

test('an event read on one device is read on all, and the list says so', async (api) => {
  const key = await aListener(api);
  const other = await signIn(api, ADA);
  const id = await post(api, 'One');
  await post(api, 'Two');
  const body = { workspace: 'acme', up_to: id };
  assert.is((await api.request('/api/v1/inbox/read', { method: 'PUT', key, body })).status, 204);
  const { events, unread } = (await api.request('/api/v1/events', { key: other })).body;
  assert.equal(valuesOf(events as { unread: boolean }[], 'unread'), [true, false]);
  assert.equal(unread, [{ workspace: 'acme', events: 1, channels: [{ channel: 'alerts', events: 1 }] }]);
});

test('events are read and unread alone, or as far as a channel and level go, and listed by that', async (api) => {
  const key = await aListener(api);
  const ids = [await post(api, 'One'), await post(api, 'Two', { level: 'error' }), await post(api, 'Three')];
  const put = async (path: string, body: object) =>
    (await api.request(`/api/v1/inbox/${path}`, { method: 'PUT', key, body })).status;
  const unread = async () => titlesOf(await api.request('/api/v1/events?unread=true', { key }));
  assert.is(await put('read', { events: [ids[2]] }), 204);
  assert.equal(await unread(), ['Two', 'One']);
  assert.is(await put('unread', { events: [ids[2]] }), 204);
  assert.is(await put('read', { workspace: 'acme', up_to: ids[2], channel: 'alerts', level: 'info' }), 204);
  assert.equal(await unread(), ['Two']);
  assert.equal(titlesOf(await api.request('/api/v1/events?unread=false', { key })), ['Three', 'Two', 'One']);
});

test('which events are meant is said in one of two ways, and by ids of events', async (api) => {
  const key = await aListener(api);
  const id = await post(api, 'One');
  const wrong = async (path: string, body: object) => {
    const { status, body: answer } = await api.request(`/api/v1/inbox/${path}`, { method: 'PUT', key, body });
    return [status, answer.errors];
  };
  for (const [body, errors] of [
    [{ events: [] }, { events: ['The events field must have at least one entry.'] }],
    [{ events: Array(101).fill(id) }, { events: ['The events field must not have more than 100 entries.'] }],
    [{ events: [1] }, { events: ['The events field must be a list of ids of events.'] }],
    [{ events: ['evt_1'] }, { events: ['The events field must be a list of ids of events.'] }],
    [{ events: id }, { events: ['The events field must be a list of ids of events.'] }],
  ] as const)
    for (const path of ['read', 'unread']) assert.equal(await wrong(path, body), [422, errors], JSON.stringify(body));
  assert.equal(await wrong('read', { events: [id], workspace: 'acme', up_to: id }), [
    422,
    { events: ['The events and up_to fields must not be used together: pass event ids, or the last one.'] },
  ]);
  assert.equal(await wrong('unread', {}), [422, { events: ['The events field is required.'] }]);
  assert.equal((await wrong('read', { workspace: 'acme', up_to: id, level: 'loud' }))[0], 422);
  assert.is((await api.request('/api/v1/events?unread=true', { key: api.key })).status, 422);
  assert.is((await api.request('/api/v1/events?unread=1', { key })).status, 422);
});

test('a mark that is no event is a 422, one in a foreign workspace a 404', async (api) => {
  const key = await aListener(api);
  await api.addWorkspace('umbrella');
  const id = await post(api, 'One');
  const mark = async (body: object) => {
    const { status, body: answer } = await api.request('/api/v1/inbox/read', { method: 'PUT', key, body });
    return [status, Object.keys(answer.errors ?? {})];
  };
  assert.equal(await mark({ workspace: 'acme', up_to: 'evt_1' }), [422, ['up_to']]);
  assert.equal(await mark({}), [422, ['workspace', 'up_to']]);
  assert.equal(await mark({ workspace: 'umbrella', up_to: id }), [404, []]);
});

test('the inbox is filtered and searched', async (api) => {
  const key = await aListener(api);
  await post(api, 'One', { level: 'error', description: 'disk full' });
  await post(api, 'Two');
  for (const [query, titles] of [
    ['?level=error', ['One']],
    ['?channel=alerts&since=1h', ['Two', 'One']],
    ['?since=2999-01-01T00:00:00Z', []],
    ['?q=FULL+disk&workspace=acme', ['One']],
    ['?q=', ['Two', 'One']],
  ] as const) {
    assert.equal(titlesOf(await api.request(`/api/v1/events${query}`, { key })), titles, query);
  }
  assert.is((await api.request(`/api/v1/events?q=${'x'.repeat(201)}`, { key })).status, 422);
});

test('a cursor or limit that is none is answered 422, a foreign workspace 404', async (api) => {
  const key = await aListener(api);
  await api.addWorkspace('umbrella');
  for (const query of ['before=nonsense', 'limit=1000', `before=${'x'.repeat(300)}`]) {
    assert.is((await api.request(`/api/v1/events?${query}`, { key })).status, 422, query);
  }
  for (const slug of ['umbrella', 'nowhere']) {
    assert.is((await api.request(`/api/v1/events?workspace=${slug}`, { key })).status, 404, slug);
  }
});

test('one event is shown to integrators with its deliveries, to members with its text', async (api) => {
  const key = await aListener(api);
  const path = `/api/v1/events/${await post(api, 'Done', { description: 'in full' })}`;
  const [forKey, forMember] = [await api.request(path, { key: api.key }), await api.request(path, { key })];
  assert.equal(Object.keys(forKey.body), [
    'event',
    'deliveries',
    'state',
    'cancelled_at',
    'send_at',
    'quiet',
    'on_call',
    'alert',
  ]);
  assert.not.match(forKey.text, /in full/);
  assert.equal(Object.keys(forMember.body), [
    'event',
    'state',
    'cancelled_at',
    'on_call',
    'alert',
    'notified',
    'own_devices',
  ]);
  assert.is((forMember.body.event as { description: string }).description, 'in full');
});

test('an event names its channel as people see it, in the inbox, on its own, and to those who run the workspace', async (api) => {
  const key = await aListener(api);
  granted(await api.store.updateChannel({ workspace: 'acme', slug: 'alerts', name: 'Payments' }));
  const id = await post(api, 'Done');
  const owner = await aPerson(api, CARL, { role: 'owner' });
  const named = async (path: string, of: string) => {
    const { events, event } = (await api.request(`/api/v1/${path}`, { key: of })).body;
    const { channel, channel_name } = (event ?? (events as object[])[0]) as Record<string, unknown>;
    return [channel, channel_name];
  };
  for (const path of ['events', `events/${id}`]) assert.equal(await named(path, key), ['alerts', 'Payments'], path);
  for (const path of ['events', `events/${id}`]) {
    assert.equal(await named(`workspaces/acme/${path}`, owner), ['alerts', 'Payments'], path);
  }
});

test('a former member sees nothing of the workspace', async (api) => {
  await api.addWorkspace('umbrella');
  const key = await aListener(api);
  granted(await api.store.addMember({ workspace: 'umbrella', email: ADA, role: 'member' }));
  const id = await post(api, 'Done');
  granted(await api.store.removeMember({ workspace: 'acme', email: ADA }));
  assert.equal(titlesOf(await api.request('/api/v1/events', { key })), []);
  assert.is((await api.request(`/api/v1/events/${id}`, { key })).status, 404);
  assert.is((await api.request('/api/v1/events?workspace=acme', { key })).status, 404);
});

test.run();
