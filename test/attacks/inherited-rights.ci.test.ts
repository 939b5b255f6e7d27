import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ADA, BOB, CARL, DAN, EVE } from '../support/cast.ts';
import { type Api, type Reply, withApi } from '../support/http.ts';
import { granted } from '../support/refusals.ts';
import { aPerson, signIn } from '../support/sign-in.ts';

const test = suite('attacks: rights that are inherited through codes');

const PASSWORD = 'correct horse battery staple';

/**
 * Carl, an admin of `acme`, has made a code for Dan, a member, and signed in as him. Ada owns `acme`, Eve `umbrella`,
 * where Dan is no member yet.
 */
interface Scene {
  readonly api: Api;
  readonly owner: string;
  readonly admin: string;
  /** Carl's session as Dan. */
  readonly held: string;
}

function withScene(use: (scene: Scene) => Promise<void>): Promise<void> {
  return withApi(async (api) => {
    await api.addWorkspace('umbrella', { channels: ['secrets'] });
    const owner = await aPerson(api, ADA, { role: 'owner' });
    await api.join(EVE, { workspace: 'umbrella', role: 'owner' });
    const admin = await aPerson(api, CARL, { role: 'admin' });
    await api.join(DAN);
    await use({ api, owner, admin, held: await redeem(api, await codeBy(api, admin, DAN)) });
  });
}

async function codeBy(api: Api, key: string, email: string): Promise<string> {
  const path = `/api/v1/workspaces/acme/members/${encodeURIComponent(email)}/pairing`;
  const { status, body } = await api.request(path, { method: 'POST', key });
  assert.is(status, 201);
  return String(body.pairing_code);
}

/** The token of the session that a code opens. */
async function redeem(api: Api, code: string): Promise<string> {
  return tokenIn(await api.request('/api/v1/session', { method: 'POST', body: { pairing_code: code } }));
}

function tokenIn({ status, body }: Reply): string {
  assert.is(status, 201);
  return (body.session as { token: string }).token;
}

/** The outcome of each request by a user with Dan's rights in `umbrella`. */
async function reachInto(api: Api, key: string): Promise<readonly number[]> {
  const make = { method: 'POST', key, body: { name: 'stolen', scopes: ['events:write'] } };
  const replies = [
    await api.request('/api/v1/workspaces/umbrella/keys', make),
    await api.request('/api/v1/workspaces/umbrella/channels', { key }),
    await api.request('/api/v1/workspaces/umbrella/events', { key }),
    await api.request('/api/v1/events?workspace=umbrella', { key }),
    await api.request('/api/v1/workspaces/umbrella/members/me', { method: 'DELETE', key }),
  ];
  return replies.map(({ status }) => status);
}

const NOTHING_THERE = [404, 404, 404, 404, 404];

test('A session that an admin holds by a code gets nothing of a workspace that its person comes to manage later', () =>
  withScene(async ({ api, held }) => {
    await api.join(DAN, { workspace: 'umbrella', role: 'admin' });
    assert.equal(await reachInto(api, held), NOTHING_THERE);
  }));

test('A member’s session that an admin holds makes the admin no owner once the member is one', () =>
  withScene(async ({ api, owner, held }) => {
    const path = (email: string) => `/api/v1/workspaces/acme/members/${encodeURIComponent(email)}`;
    const promote = { method: 'PATCH', body: { role: 'owner' } };
    assert.is((await api.request(path(DAN), { ...promote, key: owner })).status, 200);
    assert.is((await api.request(path(CARL), { ...promote, key: held })).status, 403);
    const { body } = await api.request('/api/v1/session', { key: held });
    const [acme] = body.workspaces as readonly { role: string; state: string; waiting_for: string | null }[];
    assert.equal([acme?.role, acme?.state, acme?.waiting_for], ['admin', 'active', 'owner']);
  }));

test('A code that is redeemed later gives what its maker could give, not what its person has become', () =>
  withScene(async ({ api, admin }) => {
    const code = await codeBy(api, admin, DAN);
    await api.join(DAN, { workspace: 'umbrella', role: 'owner' });
    granted(await api.store.setMemberRole({ workspace: 'acme', email: DAN, role: 'owner' }));
    const key = await redeem(api, code);
    assert.equal(await reachInto(api, key), NOTHING_THERE);
    const path = `/api/v1/workspaces/acme/members/${encodeURIComponent(CARL)}`;
    assert.is((await api.request(path, { method: 'PATCH', key, body: { role: 'owner' } })).status, 403);
  }));

test('Such a session turns no device to itself that gets pushes of another workspace, and does not see it', () =>
  withScene(async ({ api, held }) => {
    await api.join(DAN, { workspace: 'umbrella' });
    const there = { workspace: 'umbrella', email: DAN, token: 'cd'.repeat(32), subscribe: ['secrets'] };
    const { device } = granted(await api.store.addDevice({ ...there, platform: 'ios' }));
    const path = `/api/v1/devices/${device.id}`;
    const mine = { method: 'PATCH', key: held, body: { token: 'ee'.repeat(32) } };
    assert.is((await api.request(path, mine)).status, 404);
    assert.is((await api.request(path, { method: 'DELETE', key: held })).status, 404);
    assert.is((await api.request(`${path}/test`, { method: 'POST', key: held })).status, 404);
    assert.equal((await api.request('/api/v1/devices', { key: held })).body.devices, []);
  }));

test('Such a session neither sees nor ends the sessions that reach further', () =>
  withScene(async ({ api, held }) => {
    await api.join(DAN, { workspace: 'umbrella' });
    const own = await signIn(api, DAN);
    const listed = await api.request('/api/v1/sessions', { key: held });
    assert.is((listed.body.sessions as readonly unknown[]).length, 1);
    const { body } = await api.request('/api/v1/sessions', { key: own });
    const [first] = body.sessions as readonly { id: string; current: boolean }[];
    assert.is(first?.current, true);
    const end = { method: 'DELETE', key: held };
    assert.is((await api.request(`/api/v1/sessions/${first?.id}`, end)).status, 404);
    await api.request('/api/v1/session/password', { method: 'PUT', key: held, body: { new: PASSWORD } });
    const path = `/api/v1/workspaces/acme/members/${encodeURIComponent(DAN)}/sessions`;
    assert.is((await api.request(path, end)).status, 403);
    assert.is((await api.request('/api/v1/session', { key: own })).status, 200);
  }));

test('If a removed member comes back, their old session has no rights before a manager vouches for it again', () =>
  withScene(async ({ api, held, owner, admin }) => {
    await api.join(DAN, { workspace: 'umbrella' });
    const path = `/api/v1/workspaces/acme/members/${encodeURIComponent(DAN)}`;
    assert.is((await api.request(path, { method: 'DELETE', key: owner })).status, 204);
    await api.join(DAN, { role: 'admin' });
    assert.is((await api.request('/api/v1/workspaces/acme/members', { key: held })).status, 404);
    const body = { pairing_code: await codeBy(api, admin, DAN) };
    assert.is((await api.request('/api/v1/session/vouchers', { method: 'POST', key: held, body })).status, 200);
    assert.is((await api.request('/api/v1/workspaces/acme/members', { key: held })).status, 200);
  }));

test('A code of another person adds nothing to a session, and stays good for its own', () =>
  withScene(async ({ api, admin, held }) => {
    await api.join(BOB, { role: 'admin' });
    const body = { pairing_code: await codeBy(api, admin, BOB) };
    assert.is((await api.request('/api/v1/session/vouchers', { method: 'POST', key: held, body })).status, 401);
    assert.is((await api.request('/api/v1/session', { method: 'POST', body })).status, 201);
  }));

test.run();
