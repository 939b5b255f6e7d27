import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Alert } from '../../src/store/calls.ts';
import { ADA, BOB } from '../support/cast.ts';
import { type Api, type Reply, withApi } from '../support/http.ts';
import { aPerson } from '../support/sign-in.ts';
import { tokenOf } from '../support/workspace.ts';

const CHANNEL = '/api/v1/workspaces/acme/channels/alerts';
const DISK = { channel: 'alerts', title: 'Disk full', level: 'error', delivery_urgency: 'time_sensitive' };

/** An API whose channel `alerts` insists, and its owner's session. */
function withInsisting(use: (api: Api, owner: string) => Promise<void>): Promise<void> {
  return withApi(async (api) => {
    const owner = await aPerson(api, ADA, { role: 'owner' });
    const insist = { repeat: 120 };
    const changed = await api.request(CHANNEL, { method: 'PATCH', key: owner, body: { insist } });
    assert.equal((changed.body.channel as { insist: object }).insist, { repeat: 120, until: 3_600, ring_after: 0 });
    await use(api, owner);
  });
}

async function opened(api: Api): Promise<string> {
  const { body } = await api.post({ ...DISK, collapse_key: 'disk' });
  return (body.event as { public_id: string }).public_id;
}

function acknowledge(api: Api, id: string, key: string, body?: object): Promise<Reply> {
  const path = `/api/v1/events/${id}/acknowledge`;
  return api.request(path, { method: 'POST', key, ...(body !== undefined && { body }) });
}

function resolve(api: Api, id: string, key: string): Promise<Reply> {
  return api.request(`/api/v1/events/${id}/resolve`, { method: 'POST', key });
}

function alertIn({ body }: Reply): Alert {
  return body.alert as Alert;
}

test('a member acknowledges an alert, and a key that comes second sees who has it', () =>
  withInsisting(async (api, owner) => {
    const bob = await aPerson(api, BOB);
    const id = await opened(api);
    const first = await acknowledge(api, id, bob);
    assert.equal([first.status, alertIn(first).state, alertIn(first).acknowledged_by], [200, 'acknowledged', 'bob']);
    const { text: key } = await api.issueKey({ scopes: ['alerts:write', 'events:read'] });
    const second = await acknowledge(api, id, key, { for: 600 });
    assert.equal([second.status, alertIn(second).acknowledged_by], [200, 'bob']);
    assert.ok(alertIn(second).snoozed_until);
    const { body } = await api.request(`/api/v1/events/${id}`, { key: api.key });
    assert.equal([(body.alert as Alert).id, (body.alert as Alert).state], [id, 'acknowledged']);
    const managed = await api.request(`/api/v1/workspaces/acme/events/${id}`, { key: owner });
    assert.is((managed.body.event as { alert: Alert }).alert.id, id);
    const resolved = await api.request(`/api/v1/events/${id}/resolve`, { method: 'POST', key: bob });
    assert.equal([alertIn(resolved).state, alertIn(resolved).ended_by], ['resolved', 'bob']);
  }));

test('an act is taken back by its author, a member reopens a resolved alert, and a 409 says why not', () =>
  withInsisting(async (api, owner) => {
    const bob = await aPerson(api, BOB);
    const id = await opened(api);
    const reopen = (key: string, body?: object) =>
      api.request(`/api/v1/events/${id}/reopen`, { method: 'POST', key, ...(body !== undefined && { body }) });
    await acknowledge(api, id, owner, { all: true });
    const early = await reopen(bob, { all: true });
    assert.equal([early.status, early.body.code], [409, 'nothing_to_undo']);
    const undone = await reopen(owner, { all: true });
    assert.equal([undone.status, alertIn(undone).state, alertIn(undone).reopened_by], [200, 'open', 'ada']);
    await resolve(api, id, owner);
    const { text: key } = await api.issueKey({ scopes: ['alerts:write'] });
    assert.equal((await reopen(key)).body, { alert: { id, state: 'open' } });
    await resolve(api, id, owner);
    const second = await opened(api);
    const lives = await reopen(bob);
    assert.equal([lives.status, lives.body.code], [409, 'alert_lives']);
    assert.match(String(lives.body.message), second);
    assert.equal((await reopen(bob, { all: 'yes' })).status, 422);
  }));

test('a person hands an alert on to one whom it reaches, and the list names those', () =>
  withInsisting(async (api, owner) => {
    const bob = await aPerson(api, BOB);
    const id = await opened(api);
    const reassign = (key: string, body: object) =>
      api.request(`/api/v1/events/${id}/reassign`, { method: 'POST', key, body });
    await api.store.addDevice({
      workspace: 'acme',
      email: BOB,
      platform: 'ios',
      token: tokenOf(5),
      subscribe: ['alerts'],
    });
    const { body } = await api.request(`/api/v1/events/${id}/assignees`, { key: owner });
    assert.equal(
      (body.people as { name: string }[]).map(({ name }) => name),
      ['bob'],
    );
    const refused = await reassign(bob, { to: 'ada' });
    assert.equal([refused.status, refused.body.code], [403, 'role_too_low']);
    const nobody = await reassign(owner, { to: 'ada' });
    assert.equal([nobody.status, nobody.body.code], [409, 'not_reachable']);
    const done = await reassign(owner, { to: 'bob' });
    assert.equal([done.status, alertIn(done).assigned_to, alertIn(done).state], [200, 'bob', 'open']);
    assert.is((await reassign(owner, {})).status, 422);
  }));

test('alerts are listed by their state, for members and for keys', () =>
  withInsisting(async (api, owner) => {
    const id = await opened(api);
    const idsOf = async (query: string, key: string) => {
      const { body } = await api.request(`/api/v1/alerts${query}`, { key });
      return (body.alerts as Alert[]).map((alert) => alert.id);
    };
    for (const key of [owner, api.key]) {
      assert.equal(await idsOf('', key), [id]);
      assert.equal(await idsOf('?state=open&channel=alerts', key), [id]);
      assert.equal(await idsOf('?state=ended', key), []);
      assert.equal(await idsOf(`?before=${id}`, key), []);
    }
    assert.equal(await idsOf('?workspace=acme', owner), [id]);
    assert.is((await api.request('/api/v1/alerts?workspace=acme', { key: api.key })).status, 422);
    assert.is((await api.request('/api/v1/alerts?state=gone', { key: owner })).status, 422);
  }));

test('an event that belongs to no alert is a 409, and a value out of bounds a 422 by its field', () =>
  withInsisting(async (api, owner) => {
    const { body } = await api.post({ channel: 'alerts', title: 'Done' });
    const { public_id: id } = body.event as { public_id: string };
    const none = await acknowledge(api, id, owner);
    assert.equal([none.status, none.body.code], [409, 'no_alert']);
    const wrong = await acknowledge(api, id, owner, { for: 299, all: 'yes' });
    assert.equal([wrong.status, Object.keys(wrong.body.errors as object)], [422, ['for', 'all']]);
    const insist = { repeat: 59, until: 300_000, escalate: { after: 1, channel: 'leads' } };
    const policy = await api.request(CHANNEL, { method: 'PATCH', key: owner, body: { insist } });
    assert.equal(
      [policy.status, Object.keys(policy.body.errors as object)],
      [422, ['insist.repeat', 'insist.until', 'insist.escalate.after']],
    );
    const often = await api.request(CHANNEL, { method: 'PATCH', key: owner, body: { insist: { repeat: 60 } } });
    assert.equal([often.status, Object.keys(often.body.errors as object)], [422, ['insist.repeat']]);
    const off = await api.request(CHANNEL, { method: 'PATCH', key: owner, body: { insist: null } });
    assert.is((off.body.channel as { insist: null }).insist, null);
  }));

test('a success of another key says in its header that it leaves the alert, and a resolve is a 403', () =>
  withInsisting(async (api, owner) => {
    const id = await opened(api);
    const { text: other } = await api.issueKey({ scopes: ['events:write'], channels: ['alerts'] });
    const success = { channel: 'alerts', title: 'Fine', level: 'success', collapse_key: 'disk' };
    const posted = await api.post(success, { key: other });
    assert.equal([posted.status, posted.headers['pushctl-alert']], [202, 'unchanged, needs alerts:write']);
    const refused = await resolve(api, id, other);
    assert.equal([refused.status, refused.body.code], [403, 'missing_scope']);
    assert.is(refused.body.message, 'The API key does not have the scope alerts:write.');
    const { body } = await api.request(`/api/v1/events/${id}`, { key: owner });
    assert.is((body.alert as Alert).state, 'open');
    const own = await api.post(success);
    assert.equal([own.status, own.headers['pushctl-alert']], [202, undefined]);
  }));

test('a key that may not read gets ids and states alone', () =>
  withInsisting(async (api) => {
    const { text: key } = await api.issueKey({ scopes: ['events:write', 'alerts:write'] });
    const id = await opened(api);
    assert.equal((await acknowledge(api, id, key)).body, { alert: { id, state: 'acknowledged' } });
    assert.equal((await resolve(api, id, key)).body, { alert: { id, state: 'resolved' } });
    const cancelled = await api.request(`/api/v1/events/${id}/cancel`, { method: 'POST', key });
    assert.equal(cancelled.body, { event: { public_id: id, status: 'queued' } });
    for (const path of ['alerts', 'events', `events/${id}`]) {
      assert.is((await api.request(`/api/v1/${path}`, { key })).status, 403, path);
    }
  }));

test('a link acknowledges nothing, nor does a key that may only read or post', () =>
  withInsisting(async (api, owner) => {
    const id = await opened(api);
    const path = `/api/v1/events/${id}/acknowledge`;
    assert.is((await api.request(path, { key: owner })).status, 405);
    const { text } = await api.issueKey({ scopes: ['events:read'] });
    for (const key of [text, api.key]) {
      const { status, body } = await acknowledge(api, id, key);
      assert.equal([status, body.code], [403, 'missing_scope']);
    }
    const { body } = await api.request(`/api/v1/events/${id}`, { key: owner });
    assert.is((body.alert as Alert).state, 'open');
  }));

test.run();
