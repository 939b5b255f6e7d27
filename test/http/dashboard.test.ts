import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Member } from '../../src/store/calls.ts';
import { androidToken } from '../support/android-token.ts';
import { ADA, BOB, CARL } from '../support/cast.ts';
import { ask, type Dashboard, EVENT, keyOf, withDashboard } from '../support/dashboard.ts';
import { granted } from '../support/refusals.ts';
import { aPerson } from '../support/sign-in.ts';

async function rolesOf({ ask }: Dashboard): Promise<Record<string, string>> {
  const { body } = await ask('GET', 'members');
  return Object.fromEntries((body.members as Member[]).map(({ email, role }) => [email, role]));
}

test('a channel is created, renamed and deactivated', () =>
  withDashboard(async ({ api, ask }) => {
    const created = await ask('POST', 'channels', { slug: 'Alerts.v2', name: 'Alerts' });
    assert.is(created.status, 201);
    assert.equal(created.body.channel, {
      slug: 'Alerts.v2',
      name: 'Alerts',
      status: 'active',
      device_count: 0,
      insist: null,
      quiet: null,
      rings: null,
    });
    assert.is((await ask('POST', 'channels', { slug: 'Alerts.v2' })).status, 409);
    assert.equal((await ask('POST', 'channels', { slug: '-' })).status, 422);
    const changed = await ask('PATCH', 'channels/Alerts.v2', { name: 'Alarms', status: 'inactive' });
    assert.equal(changed.body.channel, {
      slug: 'Alerts.v2',
      name: 'Alarms',
      status: 'inactive',
      device_count: 0,
      insist: null,
      quiet: null,
      rings: null,
    });
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

test('every change is in the audit log, with its actor and its origin', () =>
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
