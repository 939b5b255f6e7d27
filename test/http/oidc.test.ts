/** The parts of sign-in by a provider that never ask the provider. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ADA, BOB, CARL } from '../support/cast.ts';
import { type Api, withApi } from '../support/http.ts';
import { codeFor, signIn, signInBrowser } from '../support/sign-in.ts';

const test = suite('sign-in by a provider that is not asked');
const PASSWORD = 'correct horse battery staple';

function withUnreachable(only: boolean, use: (api: Api) => Promise<void>): Promise<void> {
  const provider = { issuer: 'http://127.0.0.1:1', name: 'Example', scopes: ['openid'], trustEmail: false };
  const client = { clientId: 'pushctl', clientSecretFile: '/dev/null' };
  return withApi(use, { baseUrl: 'https://push.example.com/api', oidc: { ...provider, ...client, only } });
}

test('Another site does not begin a sign-in, and no parameter names its end', () =>
  withUnreachable(false, async (api) => {
    const begin = (query: string, site: string) =>
      api.request(`/api/v1/session/oidc${query}`, { headers: { 'Sec-Fetch-Site': site } });
    for (const site of ['cross-site', 'same-site']) {
      const { status, headers } = await begin('', site);
      assert.equal([status, headers['set-cookie']], [303, undefined]);
      assert.match(headers.location ?? '', /#sign-in=cross_site$/);
    }
    assert.match((await begin('', 'same-origin')).headers.location ?? '', /#sign-in=unavailable$/);
    assert.is((await begin('?redirect_uri=https://evil.example.com', 'same-origin')).status, 422);
  }));

test('A callback that this browser did not begin is refused without asking the provider', () =>
  withUnreachable(false, async (api) => {
    for (const cookie of ['', '__Host-pushctl-oidc=', '__Host-pushctl-oidc=nonsense', '__Host-pushctl-oidc=e30.e30']) {
      const path = '/api/v1/session/oidc/callback?code=made-up&state=x';
      const { headers } = await api.request(path, { headers: { Cookie: cookie } });
      assert.match(headers.location ?? '', /#sign-in=other_browser$/);
    }
  }));

test('With `only` no password and no passkey signs in, and pairing codes do', () =>
  withUnreachable(true, async (api) => {
    await api.join(ADA, { password: PASSWORD });
    const ways = await api.request('/api/v1/session/ways');
    assert.equal(ways.body, { password: false, passkey: false, pairing_code: true, provider: { name: 'Example' } });
    const signIn = (body: object) => api.request('/api/v1/session', { method: 'POST', body });
    const cookie = await signInBrowser(api, ADA);
    const refused = [
      await signIn({ email: ADA, password: PASSWORD }),
      await signIn({ passkey: { id: 'a', response: {} } }),
      await api.request('/api/v1/session/password', { method: 'PUT', cookie, body: { new: `${PASSWORD} 2` } }),
      await api.request('/api/v1/session/confirmation', { method: 'POST', cookie, body: { password: PASSWORD } }),
    ];
    for (const { status, body } of refused) assert.equal([status, body.code], [403, 'provider_only']);
    assert.is((await signIn({ pairing_code: await codeFor(api, ADA) })).status, 201);
  }));

test('With `only`, an admin’s code opens a session that adds members but makes no codes', () =>
  withUnreachable(true, async (api) => {
    await api.join(ADA, { role: 'owner' });
    await api.join(BOB, { role: 'admin' });
    const post = (path: string, key: string, body?: object) =>
      api.request(path, { method: 'POST', key, ...(body && { body }) });
    const members = '/api/v1/workspaces/acme/members';
    const made = await post(`${members}/${encodeURIComponent(BOB)}/pairing`, await signIn(api, ADA));
    const opened = await api.request('/api/v1/session', {
      method: 'POST',
      body: { pairing_code: made.body.pairing_code },
    });
    const { token } = opened.body.session as { token: string };
    for (const path of ['/api/v1/session/pairing', `${members}/${encodeURIComponent(BOB)}/pairing`]) {
      const { status, body } = await post(path, token);
      assert.equal([status, body.code], [403, 'provider_first'], path);
    }
    const added = await post(members, token, { email: CARL, role: 'member' });
    assert.equal([added.status, added.body.invitation], [201, null]);
  }));

test.run();
