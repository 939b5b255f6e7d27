import * as assert from 'uvu/assert';
import { ADA, BOB, CARL, DAN } from '../support/cast.ts';
import { type Api, type Reply, apiTest as test } from '../support/http.ts';
import { granted } from '../support/refusals.ts';
import { aPerson } from '../support/sign-in.ts';
import { tokenOf } from '../support/workspace.ts';

const MINUTE_MS = 60_000;

function pair(api: Api, key: string, email?: string): Promise<Reply> {
  const path = email === undefined ? 'session/pairing' : `workspaces/acme/members/${encodeURIComponent(email)}/pairing`;
  return api.request(`/api/v1/${path}`, { method: 'POST', key });
}

async function nameOf(api: Api, { body }: Reply): Promise<string> {
  const request = { method: 'POST', body: { pairing_code: body.pairing_code } };
  const signedIn = await api.request('/api/v1/session', request);
  return (signedIn.body.user as { email: string }).email;
}

function lifeMs({ body }: Reply): number {
  return Date.parse(String(body.expires_at)) - Date.now();
}

test('an owner makes a code with which a new member signs in, and a link that holds it', async (api) => {
  const owner = await aPerson(api, ADA, { role: 'owner' });
  const body = { email: BOB, name: 'Bob', role: 'member' };
  const added = await api.request('/api/v1/workspaces/acme/members', { method: 'POST', key: owner, body });
  assert.equal([added.status, added.body.member], [201, body]);
  const reply = await pair(api, owner, BOB);
  assert.is(reply.status, 201);
  assert.match(String(reply.body.link), new RegExp(`^http://[^/]+/#pair=${reply.body.pairing_code}$`));
  assert.ok(lifeMs(reply) > 14 * MINUTE_MS && lifeMs(reply) <= 15 * MINUTE_MS);
  assert.is(await nameOf(api, reply), BOB);
});

test('an invitation comes with the answer for a new member, or a promotion beyond the vouched role, and for no one else', async (api) => {
  const owner = await aPerson(api, ADA, { role: 'owner' });
  const admin = await aPerson(api, CARL, { role: 'admin' });
  const ask = async (key: string, method: string, path: string, body: object) => {
    const reply = await api.request(`/api/v1/workspaces/acme/members${path}`, { method, key, body });
    assert.ok(reply.status < 300);
    return reply.body.invitation as { pairing_code: string; link: string } | null;
  };
  const added = await ask(admin, 'POST', '', { email: BOB, role: 'member' });
  assert.match(String(added?.link), new RegExp(`^http://[^/]+/#pair=${added?.pairing_code}$`));
  const signedIn = await api.request('/api/v1/session', {
    method: 'POST',
    body: { pairing_code: added?.pairing_code },
  });
  const bob = (signedIn.body.session as { token: string }).token;
  const roleOf = async () => {
    const { body } = await api.request('/api/v1/session', { key: bob });
    return (body.workspaces as { role: string }[]).map(({ role }) => role);
  };
  assert.is(await ask(owner, 'PATCH', `/${BOB}`, { role: 'admin' }), null);
  assert.equal(await roleOf(), ['admin']);
  const promoted = await ask(owner, 'PATCH', `/${BOB}`, { role: 'owner' });
  assert.equal(await roleOf(), ['admin']);
  const body = { pairing_code: promoted?.pairing_code };
  assert.is((await api.request('/api/v1/session/vouchers', { method: 'POST', key: bob, body })).status, 200);
  assert.equal(await roleOf(), ['owner']);
  assert.is(await ask(owner, 'PATCH', `/${BOB}`, { role: 'member' }), null);
  assert.is(await ask(owner, 'PATCH', `/${BOB}`, { role: 'owner' }), null);
});

test('a member makes a code for another own device, valid for two minutes', async (api) => {
  const reply = await pair(api, await aPerson(api, BOB));
  assert.ok(lifeMs(reply) > MINUTE_MS && lifeMs(reply) <= 2 * MINUTE_MS);
  assert.is(await nameOf(api, reply), BOB);
});

test('an admin gets no code for an owner, and one for a member with rights elsewhere lets in here alone', async (api) => {
  await api.addWorkspace('umbrella');
  await api.join(ADA, { role: 'owner' });
  const admin = await aPerson(api, CARL, { role: 'admin' });
  await api.join(BOB);
  await api.join(DAN);
  await api.join(DAN, { workspace: 'umbrella' });
  const codeFor = async (email: string) => {
    const { status, body } = await pair(api, admin, email);
    return [status, body.code];
  };
  assert.equal(await codeFor(ADA), [403, 'role_too_low']);
  assert.equal(await codeFor(DAN), [201, undefined]);
  assert.equal(await codeFor('nobody@example.com'), [404, undefined]);
  assert.equal(await codeFor(BOB), [201, undefined]);
  assert.equal(await codeFor(CARL), [201, undefined]);
});

test('a manager signs a member out everywhere, but no one with rights beyond their own', async (api) => {
  await api.join(ADA, { role: 'owner' });
  const key = await aPerson(api, CARL, { role: 'admin' });
  const bob = await aPerson(api, BOB);
  const device = await api.addDevice({ token: tokenOf(7) }, BOB);
  const path = (email: string) => `/api/v1/workspaces/acme/members/${encodeURIComponent(email)}/sessions`;
  const signOut = async (email: string) => (await api.request(path(email), { method: 'DELETE', key })).status;
  assert.equal([await signOut(ADA), await signOut('nobody@example.com')], [403, 404]);
  assert.is((await api.request('/api/v1/session', { key: bob })).status, 200);
  assert.is(await signOut(BOB), 204);
  assert.is((await api.request('/api/v1/session', { key: bob })).status, 401);
  const { status } = granted(await api.store.showDevice({ workspace: 'acme', id: device }));
  assert.is(status, 'active', 'it stays');
  const [entry] = granted(await api.store.listAudit({ workspace: 'acme', limit: 1 })).entries;
  assert.equal([entry?.action, entry?.object, entry?.actor.name], ['member.sign-out', `${BOB}: 1 session`, CARL]);
});

test('an admin adds members and admins, and no owner', async (api) => {
  await api.join(ADA, { role: 'owner' });
  const key = await aPerson(api, CARL, { role: 'admin' });
  const add = async (body: object) => {
    const { status, body: answer } = await api.request('/api/v1/workspaces/acme/members', {
      method: 'POST',
      key,
      body,
    });
    return [status, Object.keys(answer.errors ?? {})];
  };
  assert.equal(await add({ email: DAN, role: 'owner' }), [403, []]);
  assert.equal(await add({ email: ' Dan@Example.com', role: 'admin' }), [201, []]);
  assert.equal(await add({ email: DAN, role: 'member' }), [409, []]);
  assert.equal(await add({ email: 'nobody', name: 'N', role: 'member' }), [422, ['email']]);
  assert.equal(await add({ name: ' ' }), [422, ['email', 'role']]);
});

test('codes and links are in no log; the audit log says only who made one for whom', async (api) => {
  const owner = await aPerson(api, ADA, { role: 'owner' });
  await api.join(BOB);
  const codes = [await pair(api, owner, BOB), await pair(api, owner)].map(({ body }) => String(body.pairing_code));
  const { entries } = granted(await api.store.listAudit({ limit: 100 }));
  const paired = entries
    .filter(({ action, actor }) => action === 'member.pair' && actor.name === ADA)
    .map(({ workspace, object }) => [workspace, object]);
  assert.equal(paired, [
    [null, ADA],
    ['acme', BOB],
  ]);
  for (const code of codes) assert.not.match(api.log() + JSON.stringify(entries), code);
});

test('a person who leaves a workspace gets nothing more from it, and stays in the others', async (api) => {
  await api.join(ADA, { role: 'owner' });
  await api.addWorkspace('umbrella');
  const key = await aPerson(api, BOB);
  await api.join(BOB, { workspace: 'umbrella' });
  const device = await api.addDevice({}, BOB);
  const leave = () => api.request('/api/v1/workspaces/acme/members/me', { method: 'DELETE', key });
  assert.is((await leave()).status, 204);
  const { body } = await api.post({ channel: 'alerts', title: 'Done' });
  assert.is((body.event as { target_device_count: number }).target_device_count, 0);
  assert.is((await api.request(`/api/v1/devices/${device}`, { method: 'DELETE', key })).status, 204);
  assert.is((await leave()).status, 404);
});

test('the last owner cannot leave; with another one they can', async (api) => {
  const key = await aPerson(api, ADA, { role: 'owner' });
  const leave = () => api.request('/api/v1/workspaces/acme/members/me', { method: 'DELETE', key });
  const refused = await leave();
  assert.equal([refused.status, refused.body.code], [409, 'conflict']);
  await api.join(BOB, { role: 'owner' });
  assert.is((await leave()).status, 204);
  assert.is((await api.request('/api/v1/session', { key })).status, 401);
});

test.run();
