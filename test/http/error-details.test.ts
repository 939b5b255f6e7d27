import { randomBytes } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createSessionToken, SESSION_COOKIE } from '../../src/contract/secret-token.ts';
import { withDashboard } from '../support/dashboard.ts';
import { withApi } from '../support/http.ts';

test('errors say without words to a person what is wrong, and nothing more to an API key', () =>
  withDashboard(async ({ api, token, ask }) => {
    const channel = { slug: 'alerts' };
    const { body: taken } = await ask('POST', 'channels', channel);
    assert.equal(taken.details, [{ code: 'channel_exists', params: { workspace: 'acme', channel: 'alerts' } }]);
    const { body: wrong } = await ask('POST', 'channels', { name: 'n'.repeat(256) });
    assert.equal(wrong.details, [
      { code: 'required', field: 'slug', params: {} },
      { code: 'max_length', field: 'name', params: { most: '255' } },
    ]);
    const missing = await ask('PATCH', 'channels/none', {});
    assert.equal(missing.body, {
      message: 'The channel does not exist in this workspace, or it is inactive.',
      details: [{ code: 'channel_not_found', params: {} }],
    });
    const list = (key?: string) => api.request('/api/v1/events?limit=0', key === undefined ? {} : { key });
    assert.equal((await list(token)).body.details, [
      { code: 'whole_number', field: 'limit', params: { least: '1', most: '100' } },
    ]);
    for (const { body } of [
      await list(api.key),
      await list(),
      await api.post({}),
      await api.request('/api/v1/nowhere', { key: token }),
      await api.request('/api/v1/inbox/unread', { method: 'DELETE', key: token }),
    ])
      assert.is(body.details, undefined, JSON.stringify(body));
    const signIn = { method: 'POST', body: { email: 'ada@example.com', password: 'wrong' } };
    const refused = await api.request('/api/v1/session', signIn);
    assert.equal(refused.body.details, [{ code: 'wrong_password', params: {} }]);
  }));

test('an API key at a route of people gets no details', () =>
  withDashboard(async ({ api }) => {
    for (const path of ['/api/v1/session', '/api/v1/workspaces/acme/channels']) {
      const { status, body } = await api.request(path, { headers: { Authorization: `bearer ${api.key}` } });
      assert.equal([status, body.code], [401, 'not_signed_in']);
      assert.is(body.details, undefined, path);
    }
  }));

test('an overloaded server says so without words to a person, and to no API key', () =>
  withApi(
    async (api) => {
      const { text: token } = createSessionToken(randomBytes);
      const cookie = { Cookie: `${SESSION_COOKIE}=${token}` };
      for (const path of ['/api/v1/session', '/api/v1/events']) {
        for (const asked of [{ key: token }, { headers: cookie }]) {
          const { status, body } = await api.request(path, asked);
          assert.equal([status, body.details], [503, [{ code: 'overloaded', params: {} }]], path);
        }
        const { status, body } = await api.request(path, { key: api.key });
        assert.equal([status, body.details], [503, undefined], path);
      }
    },
    { maxInFlight: 0 },
  ));

test.run();
