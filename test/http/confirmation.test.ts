import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Operation } from '../../src/contract/operations/operation.ts';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { readSchema } from '../../src/contract/schemas.ts';
import { ADA, BOB, CARL } from '../support/cast.ts';
import { type Api, type Reply, type RequestOptions, withApi } from '../support/http.ts';
import { granted } from '../support/refusals.ts';
import { codeFor, letProofsExpire, signIn, signInBrowser } from '../support/sign-in.ts';

const PASSWORD = 'correct horse battery staple';
const GUARDED = OPERATIONS.filter(({ errors }) => errors.includes('confirm_identity'));

/** Acts that give lasting rights, or destroy. Their order keeps whatever a later act needs. */
const PROVEN = [
  ...'createKey rotateKey revokeKey addMember pairMember updateMember signMemberOut removeMember'.split(' '),
  ...'deleteChannel deleteHeartbeat createWebhook updateWebhook rotateWebhook deleteWebhook pairOwnDevice'.split(' '),
  ...'addPasskey removePasskey endSession changePassword deleteRota makeCalendar leaveWorkspace'.split(' '),
];
/** Changes that give nothing which lasts, and that can be undone; or that ask for a proof of their own. */
const UNPROVEN = [
  ...'signOut confirmIdentity addVouchers registerDevice updateDevice removeDevice testDevice subscribe'.split(' '),
  ...'unsubscribe markInboxRead acknowledgeAlert resolveAlert reopenAlert reassignAlert cancelEvent'.split(' '),
  ...'markInboxUnread createChannel'.split(' '),
  ...'updateChannel sendEvent resendEvent subscribeMembersDevice unsubscribeMembersDevice createHeartbeat'.split(' '),
  ...'updateHeartbeat pauseHeartbeat resumeHeartbeat testWebhook updateWorkspace renameSelf'.split(' '),
  ...'createMaintenance updateMaintenance endMaintenance'.split(' '),
  ...'createRota updateRota addOverride endOverride endCalendar'.split(' '),
];

const NO_EVENT = 'evt_01m7yq1whvehx9w1n0h5r0c6ct';

/** A browser that would have to confirm who it is, as one does ten minutes after it signed in. */
async function anOldBrowser(api: Api, email = ADA): Promise<string> {
  const cookie = await signInBrowser(api, email);
  letProofsExpire(api.dataDir);
  return cookie;
}

async function withOwner(use: (api: Api) => Promise<void>): Promise<void> {
  await withApi(async (api) => {
    await api.join(ADA, { role: 'owner', password: PASSWORD });
    await api.join(BOB);
    await use(api);
  });
}

/** Returns the answer to the description's own example of a request. */
async function answerTo(api: Api, id: string, caller: RequestOptions): Promise<Reply> {
  const operation: Operation | undefined = OPERATIONS.find(({ operationId }) => operationId === id);
  if (operation === undefined) throw new Error(`there is no operation ${id}`);
  const { id: key } = await api.issueKey();
  const ids = {
    session: '5f1c0a9b33de',
    device: 'dev_1',
    channel: 'nothing',
    heartbeat: 'nothing',
    rota: 'nothing',
    override: 'ovr_7m3q0f9t2xkd4w6z',
    webhook: 'whk_7m3q0f9t2xkd4w6z',
    passkey: '5f1c0a9b33de',
    public_id: NO_EVENT,
  };
  const parameters: Record<string, string> = { ...ids, workspace: 'acme', email: BOB, key };
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

test('every change that a session may make is known to ask for a fresh proof, or not to', () => {
  const changes = OPERATIONS.filter(({ session, method }) => session !== undefined && method !== 'get');
  assert.equal(changes.map(({ operationId }) => operationId).sort(), [...PROVEN, ...UNPROVEN].sort());
  assert.equal(GUARDED.map(({ operationId }) => operationId).sort(), [...PROVEN].sort());
});

test('SECURITY.md names each act that asks for a fresh proof', () => {
  const page = readFileSync('SECURITY.md', 'utf8');
  for (const { method, path } of GUARDED) assert.match(page, `\`${method.toUpperCase()} ${path}\``);
});

test('a browser that signed in long ago is refused each of them, and does each once it has confirmed', () =>
  withOwner(async (api) => {
    const cookie = await anOldBrowser(api);
    for (const id of PROVEN) {
      const { status, body, headers } = await answerTo(api, id, { cookie });
      assert.equal([status, body.code], [401, 'confirm_identity'], id);
      assert.is(headers['set-cookie'], undefined, 'it stays signed in');
      assert.is((await answerTo(api, id, { key: cookie })).status, 401, 'whatever carries its token');
    }
    assert.is((await confirm(api, { cookie }, { password: PASSWORD })).status, 204);
    for (const id of PROVEN) {
      const {
        status,
        body: { code },
      } = await answerTo(api, id, { cookie });
      const isKnown = status === 404 || status === 409 || status === 422 || code === 'wrong_passkey';
      assert.ok(status < 300 || isKnown, `${id}: ${status}`);
    }
  }));

test('an action that asks for no proof works in a browser that signed in long ago', () =>
  withOwner(async (api) => {
    const cookie = await anOldBrowser(api);
    for (const id of UNPROVEN.filter((operationId) => operationId !== 'signOut')) {
      assert.is.not((await answerTo(api, id, { cookie })).body.code, 'confirm_identity', id);
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

test("a code confirms only sessions that it could have opened: an admin's code no session of an owner", () =>
  withOwner(async (api) => {
    await api.join(CARL, { role: 'admin' });
    const admin = await signIn(api, CARL);
    const path = `/api/v1/workspaces/acme/members/${encodeURIComponent(BOB)}/pairing`;
    const cookie = await anOldBrowser(api, BOB);
    const ofAdmin = async () => String((await api.request(path, { method: 'POST', key: admin })).body.pairing_code);
    await api.addWorkspace('umbrella');
    await api.join(BOB, { workspace: 'umbrella' });
    const code = await ofAdmin();
    const wrong = await confirm(api, { cookie }, { pairing_code: code });
    assert.equal([wrong.status, wrong.body.code], [403, 'proof_too_narrow']);
    assert.is((await api.request('/api/v1/session', { method: 'POST', body: { pairing_code: code } })).status, 201);
    granted(await api.store.removeMember({ workspace: 'umbrella', email: BOB }));
    assert.is((await confirm(api, { cookie }, { pairing_code: await ofAdmin() })).status, 204);
  }));

test('a password that an admin set in the name of a member confirms only a session that reaches no further', () =>
  withOwner(async (api) => {
    await api.join(CARL, { role: 'admin' });
    const path = `/api/v1/workspaces/acme/members/${encodeURIComponent(BOB)}/pairing`;
    const made = await api.request(path, { method: 'POST', key: await signIn(api, CARL) });
    const body = { pairing_code: made.body.pairing_code };
    const opened = await api.request('/api/v1/session', { method: 'POST', body });
    const { token } = opened.body.session as { token: string };
    await api.addWorkspace('umbrella');
    await api.join(BOB, { workspace: 'umbrella' });
    const set = { method: 'PUT', key: token, body: { new: PASSWORD } };
    assert.is((await api.request('/api/v1/session/password', set)).status, 204);
    const cookie = await anOldBrowser(api, BOB);
    const wrong = await confirm(api, { cookie }, { password: PASSWORD });
    assert.equal([wrong.status, wrong.body.code], [403, 'proof_too_narrow']);
    assert.is((await answerTo(api, 'pairOwnDevice', { cookie })).body.code, 'confirm_identity');
    granted(await api.store.removeMember({ workspace: 'umbrella', email: BOB }));
    assert.is((await confirm(api, { cookie }, { password: PASSWORD })).status, 204);
  }));

test('no member sets a first password without a confirmation, as it would confirm the next time', () =>
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

test('a member who may not manage the workspace is refused for that first', () =>
  withOwner(async (api) => {
    await api.join(CARL);
    const { status, body } = await issueKey(api, { cookie: await anOldBrowser(api, CARL) });
    assert.equal([status, body.code], [403, 'role_too_low']);
  }));

test.run();
