import * as assert from 'uvu/assert';
import { apiTest as test } from '../support/http.ts';

const PATH = '/api/v1/connection';

test('the connection test shows the workspace and the key', async (api) => {
  const reply = await api.request(PATH, { key: api.key });
  assert.is(reply.status, 200);
  const { allowance_resets_at, ...workspace } = reply.body.workspace as Record<string, unknown>;
  assert.equal(workspace, {
    slug: 'acme',
    name: 'acme',
    status: 'active',
    plan: 'unlimited',
    monthly_event_allowance: null,
    events_this_month: 0,
  });
  assert.match(String(allowance_resets_at), /^\d{4}-\d\d-01T00:00:00\.000\+00:00$/);
  const { id, scopes } = reply.body.key as Record<string, unknown>;
  assert.equal([id, scopes], [api.keyId, ['events:write', 'events:read']]);
});

test('it is throttled for each address, before the key is looked at', {
  limits: { connectionPerMinute: 2 },
}, async (api) => {
  assert.is((await api.request(PATH, { key: 'guess' })).status, 401);
  assert.is((await api.request(PATH)).status, 401);
  const reply = await api.request(PATH, { key: api.key });
  assert.equal([reply.status, reply.body.code], [429, 'connection_throttled']);
  assert.ok(Number(reply.headers['retry-after']) <= 60);
});

test('it costs nothing of the posting limit, and the other way round', {
  limits: { burstPerMinute: 1 },
}, async (api) => {
  assert.is((await api.request(PATH, { key: api.key })).status, 200);
  assert.is((await api.post({ channel: 'alerts', title: 'Done' })).status, 202);
  assert.is((await api.request(PATH, { key: api.key })).status, 200);
});

test('behind a trusted proxy each of its clients has its own count', {
  limits: { connectionPerMinute: 1 },
  trusted: ['127.0.0.0/8'],
}, async (api) => {
  const from = (client: string) => api.request(PATH, { key: api.key, headers: { 'X-Forwarded-For': client } });
  assert.is((await from('203.0.113.1')).status, 200);
  assert.is((await from('6.6.6.6, 203.0.113.1')).status, 429);
  assert.is((await from('203.0.113.2')).status, 200);
});

test('without one, X-Forwarded-For lifts no limit', { limits: { connectionPerMinute: 1 } }, async (api) => {
  const from = (client: string) => api.request(PATH, { key: api.key, headers: { 'X-Forwarded-For': client } });
  assert.is((await from('203.0.113.1')).status, 200);
  assert.is((await from('203.0.113.2')).status, 429);
});

test.run();
