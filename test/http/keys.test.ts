import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Clock, systemClock } from '../../src/process/clock.ts';
import { apiTest, withApi } from '../support/http.ts';
import { granted } from '../support/refusals.ts';
import { until } from '../support/until.ts';

const EVENT = { channel: 'alerts', title: 'Done' };

apiTest('a request without a good key is answered 401 and shown how to authenticate', async (api) => {
  const [prefix, id, secret] = api.key.split('_');
  const unknown = (await api.issueKey({ workspace: 'acme' })).text;
  const bad = [
    undefined,
    '',
    'Bearer',
    `Basic ${api.key}`,
    `Bearer ${api.key} x`,
    api.key,
    `Bearer pses_${'a'.repeat(52)}`,
    `Bearer ${prefix}_${id}_${unknown.split('_')[2]}`,
    `Bearer ${prefix}_${unknown.split('_')[1]}_${secret}`,
  ];
  for (const authorization of bad) {
    const headers: Record<string, string> = authorization === undefined ? {} : { Authorization: authorization };
    const reply = await api.request('/api/v1/events', { method: 'POST', headers, body: EVENT });
    assert.equal([reply.status, reply.body.code], [401, 'unauthenticated'], authorization);
    assert.is(reply.headers['www-authenticate'], 'Bearer');
  }
});

apiTest('the scheme of the Authorization header may be written in any case', async (api) => {
  const headers = { Authorization: `bearer  ${api.key}` };
  assert.is((await api.request('/api/v1/connection', { headers })).status, 200);
});

apiTest('a key in the body or in the address does not authenticate', async (api) => {
  const options = { method: 'POST', body: { ...EVENT, api_key: api.key } };
  assert.is((await api.request(`/api/v1/events?api_key=${api.key}`, options)).status, 401);
});

apiTest('revocation holds from the next request on', async (api) => {
  assert.is((await api.post(EVENT)).status, 202);
  granted(await api.store.revokeKey({ id: api.keyId }));
  const reply = await api.post(EVENT);
  assert.equal([reply.status, reply.body.code], [403, 'key_revoked']);
});

apiTest('a wrong secret on a revoked key is a 401', async (api) => {
  const other = (await api.issueKey()).text.split('_')[2];
  granted(await api.store.revokeKey({ id: api.keyId }));
  assert.is((await api.post(EVENT, { key: `pctl_${api.keyId}_${other}` })).status, 401);
});

apiTest('a suspended workspace is refused from the next request on, until it is active again', async (api) => {
  assert.is((await api.post(EVENT)).status, 202);
  granted(await api.store.setWorkspaceStatus({ slug: 'acme', status: 'suspended' }));
  assert.is((await api.post(EVENT)).body.code, 'workspace_inactive');
  granted(await api.store.setWorkspaceStatus({ slug: 'acme', status: 'active' }));
  assert.is((await api.post(EVENT)).status, 202);
});

test('a key expires while it is in use', async () => {
  const real = systemClock();
  let aheadMs = 0;
  const clock: Clock = { wallMs: () => real.wallMs() + aheadMs, steadyMs: real.steadyMs };
  await withApi(
    async (api) => {
      const { text } = await api.issueKey({ expires: { atMs: clock.wallMs() + 60_000 } });
      assert.is((await api.post(EVENT, { key: text })).status, 202);
      aheadMs = 60_001;
      assert.is((await api.post(EVENT, { key: text })).body.code, 'key_expired');
    },
    { clock },
  );
});

apiTest('each scope opens its own routes', async (api) => {
  const write = (await api.issueKey({ scopes: ['events:write'] })).text;
  const read = (await api.issueKey({ scopes: ['events:read'] })).text;
  assert.is((await api.request('/api/v1/usage', { key: read })).status, 200);
  assert.is((await api.request('/api/v1/usage', { key: write })).body.code, 'missing_scope');
  assert.is((await api.post(EVENT, { key: read })).body.code, 'missing_scope');
  assert.is((await api.request('/api/v1/connection', { key: read })).body.code, 'missing_scope');
});

test('the use of a key is remembered, once a minute at most', async () => {
  const touched: string[] = [];
  const touchKey = ({ id }: { id: string }) => {
    touched.push(id);
    return Promise.resolve(null);
  };
  await withApi(
    async (api) => {
      for (let at = 0; at < 3; at += 1) await api.post(EVENT);
      assert.equal(touched, [api.keyId]);
    },
    { store: { touchKey } },
  );
});

apiTest('the connection test shows when the key was last used', async (api) => {
  await api.post(EVENT);
  await until('the first use to be noted', async () => {
    const { body } = await api.request('/api/v1/connection', { key: api.key });
    return (body.key as Record<string, unknown>).last_used_at !== null;
  });
});

test.run();
