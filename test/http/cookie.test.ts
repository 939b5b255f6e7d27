import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SESSION_COOKIE } from '../../src/contract/secret-token.ts';
import type { ServingStore } from '../../src/store/client.ts';
import { ADA, BOB } from '../support/cast.ts';
import { type Api, type Reply, type RequestOptions, withApi } from '../support/http.ts';
import { granted } from '../support/refusals.ts';
import { aPerson, codeFor, cookieIn, signIn, signInBrowser } from '../support/sign-in.ts';

const SESSION = '/api/v1/session';
const PASSWORD = 'correct horse battery staple';
const STRICT = 'Path=/; Secure; HttpOnly; SameSite=Strict';
const FROM_OUR_PAGE = { 'Sec-Fetch-Site': 'same-origin' };

/** The session cookie, and nothing that says where the request comes from. */
function bare(token: string): RequestOptions['headers'] {
  return { Cookie: `${SESSION_COOKIE}=${token}` };
}

/** Returns the answer to a client with this cookie and these header fields. */
async function answerTo(api: Api, token: string, headers: RequestOptions['headers']): Promise<unknown> {
  const { status, body } = await api.request(SESSION, { headers: { ...bare(token), ...headers } });
  return status === 200 ? 200 : body.code;
}

async function aBrowser(api: Api): Promise<string> {
  await api.join(ADA, { role: 'owner' });
  return signInBrowser(api, ADA);
}

function wantsCookie(api: Api, body: object, headers: RequestOptions['headers'] = FROM_OUR_PAGE): Promise<Reply> {
  return api.request(SESSION, { method: 'POST', headers, body: { ...body, cookie: true } });
}

test('a browser that signs in gets the token as a cookie that no script and no other site can use, and not in the body', () =>
  withApi(async (api) => {
    await api.join(ADA, { password: PASSWORD });
    for (const body of [{ email: ADA, password: PASSWORD }, { pairing_code: await codeFor(api, ADA) }]) {
      const reply = await wantsCookie(api, body);
      const { value, attributes } = cookieIn(reply) ?? {};
      assert.is(reply.status, 201);
      assert.is(attributes, `${STRICT}; Max-Age=7776000`);
      assert.equal(Object.keys(reply.body.session as object), ['expires_at']);
      assert.not.match(reply.text, 'pses_');
      const { body: me } = await api.request(SESSION, { cookie: String(value) });
      assert.equal(me.user, { id: 'usr_1', email: ADA, name: ADA });
    }
  }));

test('a client that does not ask for the cookie gets none', () =>
  withApi(async (api) => {
    await api.join(ADA);
    const body = { pairing_code: await codeFor(api, ADA), cookie: false };
    const reply = await api.request(SESSION, { method: 'POST', body });
    assert.equal([reply.status, cookieIn(reply)], [201, null]);
    assert.match((reply.body.session as { token: string }).token, /^pses_/);
  }));

test('a sign-in that asks for the cookie must come from a page of this server, and spends no code elsewhere', () =>
  withApi(async (api) => {
    await api.join(ADA);
    const body = { pairing_code: await codeFor(api, ADA) };
    for (const headers of [{}, { 'Sec-Fetch-Site': 'cross-site' }, { Origin: 'https://evil.example.com' }]) {
      const reply = await wantsCookie(api, body, headers);
      assert.equal([reply.status, reply.body.code, cookieIn(reply)], [403, 'cross_site', null]);
    }
    assert.is((await wantsCookie(api, body)).status, 201);
  }));

test('the cookie counts only from a page of this server, for reading too', () =>
  withApi(async (api) => {
    const token = await aBrowser(api);
    assert.is(await answerTo(api, token, FROM_OUR_PAGE), 200);
    for (const site of ['same-site', 'cross-site', 'none', '', 'same-origin, same-origin']) {
      assert.is(await answerTo(api, token, { 'Sec-Fetch-Site': site }), 'cross_site', site);
      assert.is(await answerTo(api, token, { 'Sec-Fetch-Site': site, Origin: api.http.url }), 'cross_site', site);
    }
    assert.is(await answerTo(api, token, {}), 'cross_site');
    const signOut = { method: 'DELETE', headers: { ...bare(token), 'Sec-Fetch-Site': 'cross-site' } };
    const { status, headers } = await api.request(SESSION, signOut);
    assert.equal([status, headers['set-cookie']], [403, undefined]);
    assert.is(await answerTo(api, token, FROM_OUR_PAGE), 200);
  }));

test('a browser from before Sec-Fetch-Site is judged by its Origin', () =>
  withApi(async (api) => {
    const token = await aBrowser(api);
    const { host, port } = new URL(api.http.url);
    assert.is(await answerTo(api, token, { Origin: `http://${host}` }), 200);
    assert.is(await answerTo(api, token, { Origin: 'http://push.example.com', Host: 'push.example.com:80' }), 200);
    const others = [
      `https://${host}`,
      `http://localhost:${port}`,
      'http://127.0.0.1',
      'null',
      '',
      'http://evil.example.com',
    ];
    for (const Origin of others) assert.is(await answerTo(api, token, { Origin }), 'cross_site', Origin);
    assert.is(await answerTo(api, token, { Origin: 'http://[', Host: '[' }), 'cross_site');
  }));

test('behind a trusted proxy the Origin is compared with what the client sees: base_url, or the scheme that the proxy reports', () =>
  withApi(
    async (api) => {
      const token = await aBrowser(api);
      const Host = 'push.example.com';
      assert.is(await answerTo(api, token, { Origin: 'https://push.example.com', Host }), 200);
      assert.is(await answerTo(api, token, { Origin: 'http://push.example.com', Host }), 'cross_site');
      const plain = { Origin: 'http://push.example.com', Host, 'X-Forwarded-Proto': 'http' };
      assert.is(await answerTo(api, token, plain), 200);
      assert.is(await answerTo(api, token, { Origin: 'https://alerts.example.com' }), 200);
      assert.is(await answerTo(api, token, { Origin: 'http://alerts.example.com' }), 'cross_site');
    },
    { trusted: ['127.0.0.1'], baseUrl: 'https://alerts.example.com/push/api' },
  ));

test('a bearer token counts before the cookie, and needs no page of this server', () =>
  withApi(async (api) => {
    const cookie = await aBrowser(api);
    const key = await aPerson(api, BOB);
    const headers = { ...bare(cookie), 'Sec-Fetch-Site': 'cross-site' };
    const reply = await api.request(SESSION, { key, headers });
    assert.equal(reply.body.user, { id: 'usr_2', email: BOB, name: BOB });
    for (const Authorization of ['', 'Basic YTpi', 'Bearer nonsense', `Bearer ${api.key}`]) {
      const other = await api.request(SESSION, { cookie, headers: { Authorization } });
      assert.equal([other.status, other.body.code], [401, 'not_signed_in'], Authorization);
    }
    const out = await api.request(SESSION, { method: 'DELETE', key, cookie });
    assert.equal([out.status, cookieIn(out)], [204, null]);
    assert.is(await answerTo(api, cookie, FROM_OUR_PAGE), 200);
  }));

test('a session that has ended takes the cookie along', () =>
  withApi(async (api) => {
    const token = await aBrowser(api);
    const out = await api.request(SESSION, { method: 'DELETE', cookie: token });
    assert.equal([out.status, cookieIn(out)], [204, { value: '', attributes: `${STRICT}; Max-Age=0` }]);
    const after = await api.request(SESSION, { cookie: token });
    assert.equal([after.status, after.body.code], [401, 'not_signed_in']);
    assert.equal(cookieIn(after), { value: '', attributes: `${STRICT}; Max-Age=0` });
  }));

test('the cookie lives on as long as a session that is used, and ends with one that ends meanwhile', async () => {
  const touched: unknown[] = [];
  const stale: Partial<ServingStore> = {
    findSession: () =>
      Promise.resolve({
        user: { id: 1, email: ADA, name: ADA },
        memberships: [],
        waiting: [],
        expires_at: '2027-02-19T09:30:00.123+00:00',
        stale: true,
        confirmed: true,
      }),
    touchSession: (args) => {
      touched.push(args);
      return Promise.resolve(null);
    },
  };
  await withApi(
    async (api) => {
      const token = `pses_${'A'.repeat(43)}`;
      const reply = await api.request(SESSION, { cookie: token });
      assert.equal(cookieIn(reply), { value: token, attributes: `${STRICT}; Max-Age=7776000` });
      assert.is(cookieIn(await api.request(SESSION, { key: token })), null);
      assert.is(touched.length, 2);
      const ended = await api.request(SESSION, { method: 'DELETE', cookie: token });
      assert.equal([ended.status, cookieIn(ended)?.value], [401, '']);
    },
    { store: stale },
  );
});

test('an API key, nonsense, or nothing in the cookie is a 401 that takes it away, two of the name are a 400', () =>
  withApi(async (api) => {
    const token = await aBrowser(api);
    for (const value of [api.key, 'nonsense', '', `"${token}"`, `${token}x`]) {
      const { status, body, headers } = await api.request(SESSION, { cookie: value });
      assert.equal([status, body.code], [401, 'not_signed_in'], value);
      assert.match(headers['set-cookie']?.[0] ?? '', 'Max-Age=0');
      if (value === api.key) assert.match(String(body.message), 'This address needs a session token');
    }
    const two = { ...FROM_OUR_PAGE, Cookie: `${SESSION_COOKIE}=${token}; ${SESSION_COOKIE}=${token}` };
    const { status, body } = await api.request(SESSION, { headers: two });
    assert.equal(
      [status, body.code, body.message],
      [400, 'invalid_request', `There is more than one ${SESSION_COOKIE} cookie.`],
    );
    const cookies = `a=1;${SESSION_COOKIE}x=2; x${SESSION_COOKIE}=3;${SESSION_COOKIE}=${token};b`;
    assert.is((await api.request(SESSION, { headers: { ...FROM_OUR_PAGE, Cookie: cookies } })).status, 200);
  }));

test('the cookie means nothing to integrators, and names the person if both may read a list', () =>
  withApi(async (api) => {
    const cookie = await aBrowser(api);
    const body = { channel: 'alerts', title: 'Done' };
    for (const [method, path] of [
      ['POST', '/api/v1/events'],
      ['GET', '/api/v1/connection'],
      ['GET', '/api/v1/channels'],
    ] as const) {
      const reply = await api.request(path, { method, cookie, ...(method === 'POST' && { body }) });
      assert.equal([reply.status, reply.body.code], [401, 'unauthenticated'], path);
      const withKey = await api.request(path, { method, cookie, key: api.key, ...(method === 'POST' && { body }) });
      assert.ok(withKey.status < 300, path);
    }
    const inbox = await api.request('/api/v1/events?workspace=acme', { cookie });
    const listed = await api.request('/api/v1/events', { cookie, key: api.key });
    assert.equal([inbox.status, inbox.body.events], [200, []]);
    assert.is((listed.body.events as readonly unknown[]).length, 1);
    const anonymous = await api.request('/api/v1/events', { headers: FROM_OUR_PAGE });
    assert.is(anonymous.body.message, 'The request needs an API key or a session token.');
  }));

test('a session in a cookie is one of the list, and ends like the others', () =>
  withApi(async (api) => {
    const cookie = await aBrowser(api);
    const key = await signIn(api, ADA);
    const { sessions } = (await api.request('/api/v1/sessions', { cookie })).body;
    assert.is((sessions as readonly unknown[]).length, 2);
    granted(await api.store.closeSessions({ email: ADA }));
    for (const options of [{ cookie }, { key }]) assert.is((await api.request(SESSION, options)).status, 401);
  }));

test('the cookie never reaches the log', () =>
  withApi(async (api) => {
    const token = await aBrowser(api);
    await api.request(SESSION, { cookie: token });
    await answerTo(api, token, {});
    await api.request(`${SESSION}?${token}`, { cookie: token, headers: { 'X-Request-Id': token } });
    await api.request(SESSION, { method: 'DELETE', cookie: token });
    assert.ok(api.log().length > 0);
    assert.not.match(api.log(), 'pses_');
  }));

test.run();
