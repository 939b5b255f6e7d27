import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiKey, Member } from '../../src/store/calls.ts';
import { androidToken } from '../support/android-token.ts';
import { ADA, BOB, CARL } from '../support/cast.ts';
import { type Api, type Reply, withApi } from '../support/http.ts';
import { granted } from '../support/refusals.ts';
import { aPerson } from '../support/sign-in.ts';

const EVENT = { channel: 'alerts', title: 'Done' };

interface Dashboard {
  readonly api: Api;
  readonly token: string;
  ask(method: string, path: string, body?: unknown): Promise<Reply>;
}

/** The dashboard of `acme`, for its owner or who else is named. */
async function withDashboard(use: (dashboard: Dashboard) => Promise<void>): Promise<void> {
  await withApi(async (api) => {
    const token = await aPerson(api, ADA, { role: 'owner' });
    await use({ api, token, ask: (method, path, body) => ask(api, token, method, path, body) });
  });
}

function ask(api: Api, key: string, method: string, path: string, body?: unknown): Promise<Reply> {
  return api.request(`/api/v1/workspaces/acme/${path}`, { method, key, ...(body !== undefined && { body }) });
}

function keyOf({ body }: Reply): ApiKey {
  return body.api_key as ApiKey;
}

async function rolesOf({ ask }: Dashboard): Promise<Record<string, string>> {
  const { body } = await ask('GET', 'members');
  return Object.fromEntries((body.members as Member[]).map(({ email, role }) => [email, role]));
}

test('a key is created, used, rotated and revoked, and its secret shown once', () =>
  withDashboard(async ({ api, ask }) => {
    const terms = {
      name: 'ci',
      scopes: ['events:write'],
      burst_per_minute: 7,
      expires_at: '2999-01-01T00:00:00+01:00',
    };
    const created = await ask('POST', 'keys', terms);
    assert.is(created.status, 201);
    assert.equal(
      [keyOf(created).name, keyOf(created).scopes, keyOf(created).burst_per_minute, keyOf(created).expires_at],
      ['ci', ['events:write'], 7, '2998-12-31T23:00:00.000+00:00'],
    );
    const first = await api.post(EVENT, { key: String(created.body.key) });
    assert.equal([first.status, first.headers['ratelimit-policy']], [202, '"burst";q=7;w=60']);

    const rotated = await ask('POST', `keys/${keyOf(created).id}/rotate`);
    assert.is(rotated.status, 201);
    for (const key of [created.body.key, rotated.body.key]) {
      assert.is((await api.post(EVENT, { key: String(key) })).status, 202);
    }
    const revoked = await ask('POST', `keys/${keyOf(rotated).id}/revoke`);
    assert.equal([revoked.status, keyOf(revoked).status], [200, 'revoked']);
    assert.is((await api.post(EVENT, { key: String(rotated.body.key) })).body.code, 'key_revoked');
    assert.is((await ask('POST', `keys/${keyOf(rotated).id}/rotate`)).body.code, 'conflict');

    const listed = await ask('GET', 'keys');
    assert.equal((listed.body.api_keys as ApiKey[]).map(({ status }) => status).sort(), [
      'active',
      'active',
      'revoked',
    ]);
    for (const key of [created.body.key, rotated.body.key]) assert.not.match(listed.text, String(key));
  }));

test('rotating a key again is a conflict that names its successor, unless that one shall be replaced', () =>
  withDashboard(async ({ api, ask }) => {
    const { id } = await api.issueKey();
    const first = await ask('POST', `keys/${id}/rotate`, { expires_at: '2999-01-01T00:00:00Z' });
    assert.is(keyOf(first).expires_at, '2999-01-01T00:00:00.000+00:00');
    const conflict = await ask('POST', `keys/${id}/rotate`);
    assert.equal([conflict.status, conflict.body.code], [409, 'conflict']);
    assert.match(String(conflict.body.message), keyOf(first).id);
    const second = await ask('POST', `keys/${id}/rotate`, { again: true });
    assert.equal([second.status, keyOf(second).expires_at], [201, null]);
    assert.is((await api.post(EVENT, { key: String(first.body.key) })).body.code, 'key_revoked');
    const wrong = await ask('POST', `keys/${id}/rotate`, { again: 'yes', expires_at: 'soon' });
    assert.equal(Object.keys(wrong.body.errors as object), ['expires_at', 'again']);
  }));

test('a key that is bound to channels finds no other, to post to or to read', () =>
  withDashboard(async ({ api, ask }) => {
    await ask('POST', 'channels', { slug: 'builds' });
    const terms = { name: 'ci', scopes: ['events:write', 'events:read'], channels: ['builds'] };
    const created = await ask('POST', 'keys', terms);
    assert.equal(keyOf(created).channels, ['builds']);
    const key = String(created.body.key);
    const posted = await api.post({ ...EVENT, channel: 'builds' }, { key });
    assert.is(posted.status, 202);
    const [unknown, foreign] = [
      await api.post({ ...EVENT, channel: 'nowhere' }, { key }),
      await api.post(EVENT, { key }),
    ];
    assert.equal([foreign.status, foreign.text], [404, unknown.text]);
    const idOf = ({ body }: Reply) => (body.event as { public_id: string }).public_id;
    assert.is((await api.request(`/api/v1/events/${idOf(posted)}`, { key })).status, 200);
    const deploy = await api.post({ ...EVENT, idempotency_key: 'one' });
    assert.is((await api.request(`/api/v1/events/${idOf(deploy)}`, { key })).status, 404);
    const taken = await api.post({ ...EVENT, channel: 'builds', idempotency_key: 'one' }, { key });
    assert.equal([taken.status, Object.keys(taken.body.errors as object)], [422, ['idempotency_key']]);
    const seen = async (path: string) => (await api.request(`/api/v1/${path}`, { key })).body;
    assert.equal(((await seen('connection')).key as ApiKey).channels, ['builds']);
    const events = (await seen('events')).events as readonly { channel: string }[];
    assert.equal(
      events.map(({ channel }) => channel),
      ['builds'],
    );
    const channels = (await seen('channels')).channels as readonly { slug: string }[];
    assert.equal(
      channels.map(({ slug }) => slug),
      ['builds'],
    );
    const [hidden, missing] = [
      await api.request('/api/v1/events?channel=alerts', { key }),
      await api.request('/api/v1/events?channel=nowhere', { key }),
    ];
    assert.equal([hidden.status, hidden.text], [missing.status, missing.text]);
    for (const channels of [[], ['nowhere'], ['builds', 'builds'], 'builds', [1]]) {
      const wrong = await ask('POST', 'keys', { ...terms, channels });
      assert.equal([wrong.status, Object.keys(wrong.body.errors as object)], [422, ['channels']]);
    }
  }));

test('all that is wrong with a new key is said at once', () =>
  withDashboard(async ({ ask }) => {
    const reply = await ask('POST', 'keys', { scopes: ['everything'], expires_at: 'soon', burst_per_minute: 0 });
    assert.equal(reply.body.errors, {
      name: ['The name field is required.'],
      scopes: ['The scopes field must be one of events:write, events:read.'],
      expires_at: ['The expires_at field must be a time in ISO 8601 with an explicit offset.'],
      burst_per_minute: ['The burst_per_minute field must be a whole number from 1 to 1000000.'],
    });
    const none = await ask('POST', 'keys', { name: 'ci', scopes: [1] });
    assert.equal(none.body.errors, { scopes: ['The scopes field must be one of events:write, events:read.'] });
    const past = await ask('POST', 'keys', { name: 'ci', scopes: ['events:read'], expires_at: '2020-01-01T00:00:00Z' });
    assert.is(past.status, 422);
    assert.equal(past.body.errors, { expires_at: ['The expires_at field must be in the future.'] });
  }));

test('keys of another workspace are not there', () =>
  withDashboard(async ({ api, ask }) => {
    await api.addWorkspace('umbrella');
    const { id, text } = await api.issueKey({ workspace: 'umbrella' });
    for (const verb of ['rotate', 'revoke']) assert.is((await ask('POST', `keys/${id}/${verb}`)).status, 404);
    assert.is((await api.request('/api/v1/usage', { key: text })).status, 200);
  }));

test('a channel is created, renamed and deactivated', () =>
  withDashboard(async ({ api, ask }) => {
    const created = await ask('POST', 'channels', { slug: 'Alerts.v2', name: 'Alerts' });
    assert.is(created.status, 201);
    assert.equal(created.body.channel, { slug: 'Alerts.v2', name: 'Alerts', status: 'active', device_count: 0 });
    assert.is((await ask('POST', 'channels', { slug: 'Alerts.v2' })).status, 409);
    assert.equal((await ask('POST', 'channels', { slug: '-' })).status, 422);
    const changed = await ask('PATCH', 'channels/Alerts.v2', { name: 'Alarms', status: 'inactive' });
    assert.equal(changed.body.channel, { slug: 'Alerts.v2', name: 'Alarms', status: 'inactive', device_count: 0 });
    assert.is((await api.post({ ...EVENT, channel: 'Alerts.v2' })).status, 404);
    assert.is((await ask('PATCH', 'channels/nowhere', { name: 'x' })).status, 404);
  }));

test('a channel that is deleted takes no events any more, and its slug is free', () =>
  withDashboard(async ({ api, ask }) => {
    await ask('POST', 'channels', { slug: 'builds' });
    assert.is((await ask('DELETE', 'channels/builds')).status, 204);
    assert.is((await api.post({ ...EVENT, channel: 'builds' })).status, 404);
    assert.is((await ask('DELETE', 'channels/builds')).status, 404);
    assert.is((await ask('POST', 'channels', { slug: 'builds' })).status, 201);
  }));

test('only owners touch owners, and the last owner stays', () =>
  withDashboard(async (dashboard) => {
    const { api, ask: asOwner } = dashboard;
    const admin = await aPerson(api, CARL, { role: 'admin' });
    const asAdmin = (method: string, path: string, body?: unknown) => ask(api, admin, method, path, body);
    await api.join(BOB);
    for (const reply of [
      await asAdmin('PATCH', `members/${ADA}`, { role: 'member' }),
      await asAdmin('PATCH', 'members/bob@example.com', { role: 'owner' }),
      await asAdmin('DELETE', `members/${ADA}`),
    ]) {
      assert.equal([reply.status, reply.body.code], [403, 'role_too_low']);
    }
    assert.is((await asOwner('PATCH', `members/${ADA}`, { role: 'admin' })).status, 409);
    assert.is((await asOwner('DELETE', `members/${ADA}`)).status, 409);
    assert.is((await asAdmin('PATCH', 'members/Bob%40example.com', { role: 'admin' })).status, 200);
    assert.is((await asOwner('DELETE', `members/${encodeURIComponent(CARL)}`)).status, 204);
    assert.is((await asOwner('DELETE', 'members/nobody@example.com')).status, 404);
    assert.equal(await rolesOf(dashboard), { [BOB]: 'admin', [ADA]: 'owner' });
    assert.is((await asAdmin('GET', 'members')).status, 401);
  }));

test('devices of all members are shown, without their tokens', () =>
  withDashboard(async ({ api, token, ask }) => {
    const bob = await aPerson(api, BOB);
    for (const [key, device] of [
      [token, 'owners-token'],
      [bob, 'bobs-token'],
    ] as const) {
      await api.request('/api/v1/devices', {
        method: 'POST',
        key,
        body: { platform: 'android', token: androidToken(device) },
      });
    }
    const reply = await ask('GET', 'devices?limit=1');
    const rest = await ask('GET', `devices?after=${reply.body.next}`);
    const emails = [reply, rest].flatMap(({ body }) => (body.devices as { email: string }[]).map(({ email }) => email));
    assert.equal(emails.sort(), [ADA, BOB]);
    assert.not.match(reply.text + rest.text, /-token/);
  }));

test('usage and statistics are those of the workspace alone', () =>
  withDashboard(async ({ api, ask }) => {
    await api.addWorkspace('umbrella');
    await api.post(EVENT);
    const { body } = await ask('GET', 'usage');
    assert.is((body.usage as { used: number }).used, 1);
    const stats = await ask('GET', 'stats?since=2h');
    assert.is((stats.body.stats as { events: number }).events, 1);
    assert.is((stats.body.stats as { series: unknown[] }).series.length, 1);
    assert.not.match(stats.text, /umbrella/);
    for (const query of ['since=yesterday', 'since=367d', 'by=week']) {
      assert.is((await ask('GET', `stats?${query}`)).status, 422, query);
    }
  }));

test('every change is in the audit log, with who made it and from where', () =>
  withDashboard(async ({ api, ask }) => {
    const created = await ask('POST', 'keys', { name: 'ci', scopes: ['events:write'] });
    await ask('POST', `keys/${keyOf(created).id}/rotate`);
    await ask('POST', `keys/${keyOf(created).id}/revoke`);
    await ask('POST', 'channels', { slug: 'builds' });
    await ask('PATCH', 'channels/builds', { status: 'inactive' });
    await api.join(BOB);
    await ask('PATCH', 'members/bob@example.com', { role: 'admin' });
    await ask('DELETE', 'members/bob@example.com');
    await ask('DELETE', 'members/nobody@example.com');
    const { entries } = granted(await api.store.listAudit({ workspace: 'acme', limit: 100 }));
    const byOwner = entries.filter(({ actor }) => actor.kind === 'user');
    assert.is(byOwner.length, 7);
    for (const { actor } of byOwner) assert.equal(actor, { kind: 'user', name: ADA, address: '127.0.0.1' });
    assert.not.match(JSON.stringify(entries), String(created.body.key));
  }));

test.run();
