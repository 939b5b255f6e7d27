import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Operation } from '../../src/contract/operations/operation.ts';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { readSchema } from '../../src/contract/schemas.ts';
import { ADA, BOB, CARL } from '../support/cast.ts';
import { type Api, type Reply, type RequestOptions, withApi } from '../support/http.ts';
import { codeFor, cookieIn, signIn, signInBrowser } from '../support/sign-in.ts';

const PASSWORD = 'correct horse battery staple';
const GUARDED = OPERATIONS.filter(
  ({ errors, session }) => session === 'managers' && errors.includes('confirm_identity'),
);

/** A browser that would have to confirm who it is, as one does ten minutes after it signed in. */
async function anOldBrowser(api: Api, email = ADA): Promise<string> {
  const headers = { 'Sec-Fetch-Site': 'same-origin' };
  const body = { pairing_code: await codeFor(api, email, false), cookie: true };
  const reply = await api.request('/api/v1/session', { method: 'POST', headers, body });
  return cookieIn(reply)?.value ?? '';
}

async function withOwner(use: (api: Api) => Promise<void>): Promise<void> {
  await withApi(async (api) => {
    await api.join(ADA, { role: 'owner', password: PASSWORD });
    await api.join(BOB);
    await use(api);
  });
}

/** What the description's own example of a request is answered. */
async function answerTo(api: Api, operation: Operation, caller: RequestOptions): Promise<Reply> {
  const { id: key } = await api.issueKey();
  const parameters: Record<string, string> = { workspace: 'acme', email: BOB, key };
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''));
  const [body] = operation.body === undefined ? [] : (readSchema(operation.body).examples as readonly unknown[]);
  const method = operation.method.toUpperCase();
  return api.request(`/api${path}`, { method, ...caller, ...(body !== undefined && { body }) });
}

function confirm(api: Api, caller: RequestOptions, body: unknown): Promise<Reply> {
  return api.request('/api/v1/session/confirmation', { method: 'POST', ...caller, body });
}

function issueKey(api: Api, caller: RequestOptions): Promise<Reply> {
  const body = { name: 'ci', scopes: ['events:write'] };
  return api.request('/api/v1/workspaces/acme/keys', { method: 'POST', ...caller, body });
}

test('what could hurt is asked for a confirmation: keys and codes that are given out, roles, and members', () => {
  assert.equal(GUARDED.map(({ operationId }) => operationId).sort(), [
    'addMember',
    'createKey',
    'pairMember',
    'removeMember',
    'rotateKey',
    'updateMember',
  ]);
});

test('a browser that signed in long ago is refused each of them, and does each once it has confirmed', () =>
  withOwner(async (api) => {
    const cookie = await anOldBrowser(api);
    for (const operation of GUARDED) {
      const { status, body, headers } = await answerTo(api, operation, { cookie });
      assert.equal([status, body.code], [401, 'confirm_identity'], operation.operationId);
      assert.is(headers['set-cookie'], undefined, 'it stays signed in');
      assert.is((await answerTo(api, operation, { key: cookie })).status, 401, 'whatever carries its token');
    }
    assert.is((await confirm(api, { cookie }, { password: PASSWORD })).status, 204);
    for (const operation of GUARDED) {
      const { status } = await answerTo(api, operation, { cookie });
      assert.ok(
        status < 300 || status === 404 || status === 409 || status === 422,
        `${operation.operationId}: ${status}`,
      );
    }
  }));

test('a browser that has just signed in is not asked, nor is an app that keeps its token itself', () =>
  withOwner(async (api) => {
    assert.is((await issueKey(api, { cookie: await signInBrowser(api, ADA) })).status, 201);
    assert.is((await issueKey(api, { key: await signIn(api, ADA) })).status, 201);
  }));

test('a fresh code of the same person confirms as well, a code of another stays good for its own', () =>
  withOwner(async (api) => {
    const cookie = await anOldBrowser(api);
    const ofBob = await codeFor(api, BOB);
    const wrong = await confirm(api, { cookie }, { pairing_code: ofBob });
    assert.equal([wrong.status, wrong.body.code], [401, 'wrong_pairing_code']);
    assert.is((await issueKey(api, { cookie })).status, 401);
    assert.is((await api.request('/api/v1/session', { method: 'POST', body: { pairing_code: ofBob } })).status, 201);
    assert.is((await confirm(api, { cookie }, { pairing_code: await codeFor(api, ADA) })).status, 204);
    assert.is((await issueKey(api, { cookie })).status, 201);
  }));

test('a code that an unconfirmed session makes for itself confirms nothing, and opens a session that is asked as well', () =>
  withOwner(async (api) => {
    const cookie = await anOldBrowser(api);
    const ownCode = async () => {
      const { body } = await api.request('/api/v1/session/pairing', { method: 'POST', cookie });
      return String(body.pairing_code);
    };
    assert.is((await confirm(api, { cookie }, { pairing_code: await ownCode() })).status, 401);
    for (const inBrowser of [true, false]) {
      const body = { pairing_code: await ownCode(), cookie: inBrowser };
      const headers = { 'Sec-Fetch-Site': 'same-origin' };
      const opened = await api.request('/api/v1/session', { method: 'POST', headers, body });
      const token = cookieIn(opened)?.value ?? (opened.body.session as { token: string }).token;
      assert.is((await issueKey(api, { key: token })).body.code, 'confirm_identity');
    }
  }));

test('nobody sets a first password without a confirmation, as it would confirm the next time', () =>
  withOwner(async (api) => {
    const cookie = await anOldBrowser(api, BOB);
    const set = () =>
      api.request('/api/v1/session/password', { method: 'PUT', cookie, body: { new: 'another horse' } });
    assert.is((await set()).body.code, 'confirm_identity');
    const wrong = await confirm(api, { cookie }, { password: 'another horse' });
    assert.equal([wrong.status, wrong.body.code], [401, 'wrong_password']);
    assert.is((await confirm(api, { cookie }, { pairing_code: await codeFor(api, BOB) })).status, 204);
    assert.is((await set()).status, 204);
  }));

test('wrong guesses are limited together with those at signing in', () =>
  withOwner(async (api) => {
    const cookie = await anOldBrowser(api);
    const signInBy = (password: string) =>
      api.request('/api/v1/session', { method: 'POST', body: { email: ADA, password } });
    for (let at = 0; at < 5; at += 1) {
      assert.is((await confirm(api, { cookie }, { password: 'wrong' })).body.code, 'wrong_password');
      assert.is((await signInBy('wrong')).body.code, 'wrong_password');
    }
    assert.is((await confirm(api, { cookie }, { password: PASSWORD })).body.code, 'sign_in_throttled');
    assert.is((await signInBy(PASSWORD)).body.code, 'sign_in_throttled');
    for (let at = 0; at < 10; at += 1) await confirm(api, { cookie }, { pairing_code: 'no code' });
    const code = { pairing_code: await codeFor(api, ADA) };
    assert.is((await confirm(api, { cookie }, code)).body.code, 'pairing_throttled');
    assert.is((await issueKey(api, { cookie })).body.code, 'confirm_identity');
  }));

test('a confirmation wants a password or a code, a session, and from a cookie a page of the server', () =>
  withOwner(async (api) => {
    const cookie = await anOldBrowser(api);
    const empty = await confirm(api, { cookie }, {});
    assert.equal(empty.body.errors, { password: ['The password field is required.'] });
    assert.is((await confirm(api, {}, { password: PASSWORD })).body.code, 'not_signed_in');
    const headers = { 'Sec-Fetch-Site': 'cross-site' };
    assert.is((await confirm(api, { cookie, headers }, { password: PASSWORD })).body.code, 'cross_site');
    assert.is((await confirm(api, { key: await signIn(api, ADA) }, { password: PASSWORD })).status, 204);
  }));

test('who may not manage the workspace is told so first', () =>
  withOwner(async (api) => {
    await api.join(CARL);
    const { status, body } = await issueKey(api, { cookie: await anOldBrowser(api, CARL) });
    assert.equal([status, body.code], [403, 'role_too_low']);
  }));

test.run();
