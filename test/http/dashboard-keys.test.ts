import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiKey } from '../../src/store/calls.ts';
import { EVENT, keyOf, withDashboard } from '../support/dashboard.ts';
import type { Reply } from '../support/http.ts';
import { valuesOf } from '../support/values-of.ts';

test('a key is created, used, rotated and revoked, and its secret shown once', () =>
  withDashboard(async ({ api, ask }) => {
    const terms = {
      name: 'ci',
      scopes: ['events:write'],
      burst_per_minute: 7,
      expires_at: '2999-01-01T00:00:00+01:00',
    };
    const created = await ask('POST', 'keys', terms);
    assert.is(created.status, 201);
    assert.equal(
      [keyOf(created).name, keyOf(created).scopes, keyOf(created).burst_per_minute, keyOf(created).expires_at],
      ['ci', ['events:write'], 7, '2998-12-31T23:00:00.000+00:00'],
    );
    const first = await api.post(EVENT, { key: String(created.body.key) });
    assert.equal([first.status, first.headers['ratelimit-policy']], [202, '"burst";q=7;w=60']);

    const rotated = await ask('POST', `keys/${keyOf(created).id}/rotate`);
    assert.is(rotated.status, 201);
    for (const key of [created.body.key, rotated.body.key]) {
      assert.is((await api.post(EVENT, { key: String(key) })).status, 202);
    }
    const revoked = await ask('POST', `keys/${keyOf(rotated).id}/revoke`);
    assert.equal([revoked.status, keyOf(revoked).status], [200, 'revoked']);
    assert.is((await api.post(EVENT, { key: String(rotated.body.key) })).body.code, 'key_revoked');
    assert.is((await ask('POST', `keys/${keyOf(rotated).id}/rotate`)).body.code, 'conflict');

    const listed = await ask('GET', 'keys');
    assert.equal((listed.body.api_keys as ApiKey[]).map(({ status }) => status).sort(), [
      'active',
      'active',
      'revoked',
    ]);
    for (const key of [created.body.key, rotated.body.key]) assert.not.match(listed.text, String(key));
  }));

test('the defaults of a key hold for events that name none, in the API and in each format', () =>
  withDashboard(async ({ api, ask }) => {
    const defaults = { level: 'warning', delivery_urgency: 'time_sensitive' };
    const terms = { name: 'nas', scopes: ['events:write', 'events:read'], channels: ['alerts'] };
    const { body: issued } = await ask('POST', 'keys', { ...terms, ...defaults });
    const created = issued.api_key as ApiKey;
    assert.equal([created.level, created.delivery_urgency], ['warning', 'time_sensitive']);
    const { body: rotated } = await ask('POST', `keys/${created.id}/rotate`);
    const key = String(rotated.key);
    const headers = { Authorization: `Bearer ${key}` };
    const firing = { status: 'firing', groupKey: 'g', alerts: [{ status: 'firing', labels: { alertname: 'x' } }] };
    const trigger = { routing_key: key, event_action: 'trigger', payload: { summary: 'x' } };
    const both = ['warning', 'time_sensitive'];
    for (const [path, body, expected] of [
      ['/api/v1/events', EVENT, both],
      ['/api/v1/events', { ...EVENT, level: 'info' }, ['info', 'time_sensitive']],
      ['/api/v1/events', { ...EVENT, delivery_urgency: 'standard' }, ['warning', 'standard']],
      ['/senders/ntfy/alerts', 'x', both],
      ['/senders/ntfy', { topic: 'alerts', message: 'x', priority: 3 }, both],
      ['/senders/ntfy', { topic: 'alerts', message: 'x', priority: 2 }, ['info', 'standard']],
      ['/senders/ntfy', { topic: 'alerts', message: 'x', tags: ['skull'] }, ['error', 'time_sensitive']],
      ['/senders/gotify/message', { message: 'x' }, both],
      ['/senders/gotify/message', { message: 'x', priority: 9 }, ['error', 'time_sensitive']],
      [`/senders/slack/${key}`, { text: 'Volume 1 has crashed' }, both],
      ['/senders/json/alerts?title=/a', { a: 'x' }, both],
      ['/senders/json/alerts?title=/a', { a: 'x', type: 'info' }, both],
      ['/senders/json/alerts?title=/a', { a: 'x', status: 'failed' }, ['error', 'time_sensitive']],
      ['/senders/alertmanager/alerts', firing, both],
      ['/senders/grafana/alerts', { ...firing, groupKey: 'h' }, both],
      ['/senders/alertmanager/alerts', { ...firing, status: 'resolved' }, ['success', 'standard']],
      ['/senders/pagerduty/v2/enqueue', trigger, both],
    ] as const) {
      const { status } = await api.request(path, { method: 'POST', headers, body });
      assert.ok([200, 202].includes(status), `${path} ${status}`);
      const { body: listed } = await ask('GET', 'events?limit=1');
      const [newest] = listed.events as { level: string; delivery_urgency: string }[];
      assert.equal([newest?.level, newest?.delivery_urgency], expected, `${path} ${JSON.stringify(body)}`);
    }
  }));

test('rotating a key again is a conflict that names its successor, unless that one shall be replaced', () =>
  withDashboard(async ({ api, ask }) => {
    const { id } = await api.issueKey();
    const first = await ask('POST', `keys/${id}/rotate`, { expires_at: '2999-01-01T00:00:00Z' });
    assert.is(keyOf(first).expires_at, '2999-01-01T00:00:00.000+00:00');
    const conflict = await ask('POST', `keys/${id}/rotate`);
    assert.equal([conflict.status, conflict.body.code], [409, 'conflict']);
    assert.match(String(conflict.body.message), keyOf(first).id);
    const second = await ask('POST', `keys/${id}/rotate`, { again: true });
    assert.equal([second.status, keyOf(second).expires_at], [201, null]);
    assert.is((await api.post(EVENT, { key: String(first.body.key) })).body.code, 'key_revoked');
    const wrong = await ask('POST', `keys/${id}/rotate`, { again: 'yes', expires_at: 'soon' });
    assert.equal(Object.keys(wrong.body.errors as object), ['expires_at', 'again']);
  }));

test('a key that is bound to channels finds no other, to post to or to read', () =>
  withDashboard(async ({ api, ask }) => {
    await ask('POST', 'channels', { slug: 'builds' });
    const terms = { name: 'ci', scopes: ['events:write', 'events:read'], channels: ['builds'] };
    const created = await ask('POST', 'keys', terms);
    assert.equal(keyOf(created).channels, ['builds']);
    const key = String(created.body.key);
    const posted = await api.post({ ...EVENT, channel: 'builds' }, { key });
    assert.is(posted.status, 202);
    const [unknown, foreign] = [
      await api.post({ ...EVENT, channel: 'nowhere' }, { key }),
      await api.post(EVENT, { key }),
    ];
    assert.equal([foreign.status, foreign.text], [404, unknown.text]);
    const idOf = ({ body }: Reply) => (body.event as { public_id: string }).public_id;
    assert.is((await api.request(`/api/v1/events/${idOf(posted)}`, { key })).status, 200);
    const deploy = await api.post({ ...EVENT, idempotency_key: 'one' });
    assert.is((await api.request(`/api/v1/events/${idOf(deploy)}`, { key })).status, 404);
    const own = await api.post({ ...EVENT, channel: 'builds', idempotency_key: 'one' }, { key });
    assert.is(own.status, 202, 'nor their idempotency keys');
    const seen = async (path: string) => (await api.request(`/api/v1/${path}`, { key })).body;
    assert.equal(((await seen('connection')).key as ApiKey).channels, ['builds']);
    const events = (await seen('events')).events as readonly { channel: string }[];
    assert.equal(valuesOf(events, 'channel'), ['builds', 'builds']);
    const channels = (await seen('channels')).channels as readonly { slug: string }[];
    assert.equal(valuesOf(channels, 'slug'), ['builds']);
    const [hidden, missing] = [
      await api.request('/api/v1/events?channel=alerts', { key }),
      await api.request('/api/v1/events?channel=nowhere', { key }),
    ];
    assert.equal([hidden.status, hidden.text], [missing.status, missing.text]);
    for (const channels of [[], ['nowhere'], ['builds', 'builds'], 'builds', [1]]) {
      const wrong = await ask('POST', 'keys', { ...terms, channels });
      assert.equal([wrong.status, Object.keys(wrong.body.errors as object)], [422, ['channels']]);
    }
  }));

test('all that is wrong with a new key is said at once', () =>
  withDashboard(async ({ ask }) => {
    const reply = await ask('POST', 'keys', { scopes: ['everything'], expires_at: 'soon', burst_per_minute: 0 });
    assert.equal(reply.body.errors, {
      name: ['The name field is required.'],
      scopes: [
        'The scopes field must be one of events:write, events:read, alerts:write, heartbeats:write, heartbeats:ping.',
      ],
      expires_at: [
        'The expires_at field must be a time in ISO 8601 with an explicit offset, such as 2026-11-21T09:30:00Z.',
      ],
      burst_per_minute: ['The burst_per_minute field must be a whole number from 1 to 1000000.'],
    });
    const none = await ask('POST', 'keys', { name: 'ci', scopes: [1] });
    assert.equal(none.body.errors, {
      scopes: [
        'The scopes field must be one of events:write, events:read, alerts:write, heartbeats:write, heartbeats:ping.',
      ],
    });
    const past = await ask('POST', 'keys', { name: 'ci', scopes: ['events:read'], expires_at: '2020-01-01T00:00:00Z' });
    assert.is(past.status, 422);
    assert.equal(past.body.errors, { expires_at: ['The expires_at field must be in the future.'] });
  }));

test('keys of another workspace are not there', () =>
  withDashboard(async ({ api, ask }) => {
    await api.addWorkspace('umbrella');
    const { id, text } = await api.issueKey({ workspace: 'umbrella' });
    for (const verb of ['rotate', 'revoke']) assert.is((await ask('POST', `keys/${id}/${verb}`)).status, 404);
    assert.is((await api.request('/api/v1/usage', { key: text })).status, 200);
  }));

test.run();
