import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ADA, BOB } from '../support/cast.ts';
import { type Api, apiTest, type Reply, withApi } from '../support/http.ts';
import { granted } from '../support/refusals.ts';
import { aPerson, codeFor, signIn } from '../support/sign-in.ts';

const PASSWORD = 'correct horse battery staple';
const SESSION = '/api/v1/session';

interface Listed {
  readonly id: string;
  readonly current: boolean;
}

function post(api: Api, body: unknown): Promise<Reply> {
  return api.request(SESSION, { method: 'POST', body });
}

function tokenOf({ body }: Reply): string {
  return (body.session as { token: string }).token;
}

async function isSignedIn(api: Api, key: string): Promise<boolean> {
  const { status } = await api.request(SESSION, { key });
  return status === 200;
}

function change(api: Api, key: string, body: unknown): Promise<Reply> {
  return api.request(`${SESSION}/password`, { method: 'PUT', key, body });
}

apiTest('a password signs in, with the email in any case', async (api) => {
  await api.join(ADA, { password: PASSWORD, role: 'owner' });
  const reply = await post(api, { email: ' Ada@Example.COM', password: PASSWORD });
  assert.is(reply.status, 201);
  assert.equal(reply.body.user, { id: 'usr_1', email: ADA, name: ADA });
  assert.equal(reply.body.workspaces, [
    { slug: 'acme', name: 'acme', status: 'active', role: 'owner', state: 'active', waiting_for: null },
  ]);
  const { body } = await api.request(SESSION, { key: tokenOf(reply) });
  assert.equal(body.user, reply.body.user);
  assert.equal(body.workspaces, reply.body.workspaces);
});

apiTest('a pairing code signs in once, however it was typed', async (api) => {
  await api.join(ADA);
  const code = await codeFor(api, ADA);
  assert.is((await post(api, { pairing_code: ` ${code.toLowerCase().replace('-', ' ')}` })).status, 201);
  const again = await post(api, { pairing_code: code });
  assert.equal([again.status, again.body.code], [401, 'wrong_pairing_code']);
});

apiTest('an unknown email, a wrong password and an account without one are answered alike', async (api) => {
  await api.join(ADA, { password: PASSWORD });
  await api.join(BOB);
  const replies = [
    await post(api, { email: ADA, password: 'wrong' }),
    await post(api, { email: 'nobody@example.com', password: PASSWORD }),
    await post(api, { email: BOB, password: PASSWORD }),
  ];
  for (const { status, text } of replies) {
    assert.equal([status, JSON.parse(text).code], [401, 'wrong_password']);
    assert.is(text, replies[0]?.text);
  }
});

apiTest('the tenth wrong password is the last that is looked at', async (api) => {
  await api.join(ADA, { password: PASSWORD });
  const guesses = await Promise.all(
    Array.from({ length: 12 }, () => post(api, { email: ADA, password: 'wrong guess' })),
  );
  assert.equal(guesses.map(({ status }) => status).sort(), [...Array(10).fill(401), 429, 429]);
  const right = await post(api, { email: ADA, password: PASSWORD });
  assert.equal([right.status, right.body.code], [429, 'sign_in_throttled']);
  assert.ok(Number(right.headers['retry-after']) > 800);
  assert.is((await post(api, { pairing_code: await codeFor(api, ADA) })).status, 201);
});

apiTest('wrong pairing codes are limited, right ones are not', async (api) => {
  await api.join(ADA);
  for (let at = 0; at < 12; at += 1) await signIn(api, ADA);
  for (let at = 0; at < 10; at += 1) {
    assert.is((await post(api, { pairing_code: at % 2 ? 'no code' : '00000-00000' })).status, 401);
  }
  const right = await post(api, { pairing_code: await codeFor(api, ADA) });
  assert.equal([right.status, right.body.code], [429, 'pairing_throttled']);
});

apiTest('all that is missing from a sign-in is said at once', async (api) => {
  const { status, body } = await post(api, {});
  assert.is(status, 422);
  assert.equal(body, {
    message: 'The email field is required. (and 1 more error)',
    errors: { email: ['The email field is required.'], password: ['The password field is required.'] },
    details: ['email', 'password'].map((field) => ({ code: 'required', params: {}, field })),
  });
});

apiTest('signing out ends this session and no other', async (api) => {
  const first = await aPerson(api, ADA);
  const second = await signIn(api, ADA);
  assert.is((await api.request(SESSION, { method: 'DELETE', key: first })).status, 204);
  assert.equal([await isSignedIn(api, first), await isSignedIn(api, second)], [false, true]);
});

apiTest('everybody sees their own sign-ins, and ends any of these sessions, but none of others', async (api) => {
  const phone = await aPerson(api, ADA);
  const laptop = await signIn(api, ADA);
  const stranger = await aPerson(api, BOB);
  const { sessions } = (await api.request('/api/v1/sessions', { key: laptop })).body;
  const [other, ...none] = (sessions as readonly Listed[]).filter(({ current }) => !current);
  assert.equal(none, []);
  const end = (key: string) => api.request(`/api/v1/sessions/${other?.id}`, { method: 'DELETE', key });
  assert.is((await end(stranger)).status, 404);
  assert.is((await end(laptop)).status, 204);
  assert.equal([await isSignedIn(api, phone), await isSignedIn(api, laptop)], [false, true]);
  assert.is((await end(laptop)).status, 404);
});

apiTest('a new password ends the other sessions, and the old password', async (api) => {
  await api.join(ADA, { password: PASSWORD });
  const [mine, other] = [await signIn(api, ADA), await signIn(api, ADA)];
  assert.is((await change(api, mine, { current: PASSWORD, new: 'another horse' })).status, 204);
  assert.equal([await isSignedIn(api, mine), await isSignedIn(api, other)], [true, false]);
  assert.is((await post(api, { email: ADA, password: PASSWORD })).status, 401);
  assert.is((await post(api, { email: ADA, password: 'another horse' })).status, 201);
});

apiTest('a new password needs the present one, and a good one', async (api) => {
  await api.join(ADA, { password: PASSWORD });
  const key = await signIn(api, ADA);
  const cases: [unknown, Record<string, readonly string[]>][] = [
    [{ current: 'wrong', new: 'another horse' }, { current: ['The current field is not your password.'] }],
    [{ new: 'another horse' }, { current: ['The current field is required.'] }],
    [{ current: PASSWORD, new: 'short' }, { new: ['The new field must be at least 8 characters.'] }],
    [{ current: 1 }, { current: ['The current field must be a string.'], new: ['The new field is required.'] }],
  ];
  for (const [body, errors] of cases) assert.equal((await change(api, key, body)).body.errors, errors);
  assert.is((await post(api, { email: ADA, password: PASSWORD })).status, 201);
});

apiTest('wrong guesses at the present password are limited, too', async (api) => {
  await api.join(ADA, { password: PASSWORD });
  const key = await signIn(api, ADA);
  for (let at = 0; at < 10; at += 1)
    assert.is((await change(api, key, { current: 'x', new: 'new horse' })).status, 422);
  assert.is((await change(api, key, { current: PASSWORD, new: 'new horse' })).body.code, 'sign_in_throttled');
});

apiTest('a person without a password sets the first one without another', async (api) => {
  const key = await aPerson(api, ADA);
  assert.is((await change(api, key, { new: PASSWORD })).status, 204);
  assert.is((await post(api, { email: ADA, password: PASSWORD })).status, 201);
});

apiTest('a session that was ended by an operator is refused from the next request on', async (api) => {
  const key = await aPerson(api, ADA);
  assert.ok(await isSignedIn(api, key));
  granted(await api.store.closeSessions({ email: ADA }));
  assert.not(await isSignedIn(api, key));
});

apiTest(
  'an API key opens no session route, a session token no route of integrators, and the answer says which is wanted',
  async (api) => {
    const token = await aPerson(api, ADA, { role: 'owner' });
    const session = await api.request(SESSION, { key: api.key });
    assert.equal([session.status, session.body.code], [401, 'not_signed_in']);
    assert.is(session.body.message, 'This address needs a session token, not an API key.');
    assert.is(session.headers['www-authenticate'], 'Bearer');
    for (const path of ['/api/v1/connection', '/api/v1/usage']) {
      assert.is((await api.request(path, { key: token })).status, 401, path);
    }
    const posted = await api.post({ channel: 'alerts', title: 'Done' }, { key: token });
    assert.equal([posted.status, posted.body.code], [401, 'unauthenticated']);
    assert.is(posted.body.message, 'This address needs an API key, not a session token.');
  },
);

test('a malformed session token is refused without asking the store', async () => {
  const asked: unknown[] = [];
  const findSession = (args: unknown) => {
    asked.push(args);
    return Promise.resolve(null);
  };
  await withApi(
    async (api) => {
      for (const key of ['x', 'pses_', `pses_${'A'.repeat(42)}B`, `pses_${'A'.repeat(44)}`]) {
        assert.is((await api.request(SESSION, { key })).status, 401);
      }
      assert.equal(asked, []);
      assert.is((await api.request(SESSION, { key: `pses_${'A'.repeat(43)}` })).status, 401);
      assert.is(asked.length, 1);
    },
    { store: { findSession } },
  );
});

apiTest('neither passwords nor codes nor tokens nor addresses of people reach the log', async (api) => {
  await api.join(ADA, { password: PASSWORD });
  const token = tokenOf(await post(api, { email: ADA, password: PASSWORD }));
  const code = await codeFor(api, ADA);
  await post(api, { pairing_code: code });
  await post(api, { email: ADA, password: 'a wrong guess' });
  await api.request(SESSION, { key: token });
  for (const secret of [ADA, PASSWORD, 'a wrong guess', code, token]) assert.not.match(api.log(), secret);
});

test('Without a provider nobody signs in by one', () =>
  withApi(async (api) => {
    const { body } = await api.request('/api/v1/session/ways');
    assert.equal(body, { password: true, passkey: true, pairing_code: true, provider: null });
    for (const path of ['/session/oidc', '/session/oidc/callback?state=x'])
      assert.is((await api.request(`/api/v1${path}`)).status, 404, path);
  }));

test.run();
