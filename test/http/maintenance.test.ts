import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Maintenance } from '../../src/contract/maintenance.ts';
import { ADA, BOB } from '../support/cast.ts';
import { type Api, withApi } from '../support/http.ts';
import { aPerson } from '../support/sign-in.ts';

const test = suite('http: maintenance');
const ALL = '/api/v1/workspaces/acme/channels/alerts/maintenance';

const windowIn = ({ body }: { body: object }) => (body as { maintenance: Maintenance }).maintenance;

test('an owner starts, changes and ends maintenance, and a member sees it', () =>
  withApi(async (api) => {
    const key = await aPerson(api, ADA, { role: 'owner' });
    const made = await api.request(ALL, { method: 'POST', key, body: { for: 7_200, note: 'Upgrade', only: 'db-*' } });
    assert.is(made.status, 201);
    const window = windowIn(made);
    assert.equal([window.channel, window.state, window.note, window.only], ['alerts', 'on', 'Upgrade', 'db-*']);
    const member = await aPerson(api, BOB);
    assert.equal((await api.request(ALL, { key: member })).body, { windows: [window], next: null });
    const until = new Date(Date.parse(window.from) + 3_600_000).toISOString();
    const changed = await api.request(`${ALL}/${window.id}`, { method: 'PATCH', key, body: { until, note: null } });
    assert.equal([changed.status, windowIn(changed).note], [200, null]);
    assert.is(Date.parse(windowIn(changed).until), Date.parse(until));
    assert.is((await api.request(`${ALL}/${window.id}`, { method: 'DELETE', key: member })).status, 403);
    assert.is((await api.request(`${ALL}/${window.id}`, { method: 'DELETE', key })).status, 204);
    const nightly = { cron: '0 3 * * *', for: 3_600, timezone: 'Europe/Berlin', from: '2026-11-21T09:30:00Z' };
    const wrong = await api.request(ALL, { method: 'POST', key, body: nightly });
    assert.equal([wrong.status, Object.keys(wrong.body.errors as object)], [422, ['from']]);
    assert.is((await api.request(ALL.replace('alerts', 'none'), { key })).status, 404);
  }));

test("a deploy script's key starts and ends its own window, and reaches no other channel", () =>
  withApi(async (api) => {
    await api.store.createChannel({ workspace: 'acme', slug: 'builds', name: 'Builds' });
    const scopes = ['alerts:write'] as const;
    const { text: key } = await api.issueKey({ scopes, channels: ['alerts'] });
    const { text: elsewhere } = await api.issueKey({ scopes, channels: ['builds'] });
    const start = (token: string, body: object) =>
      api.request('/api/v1/maintenance', { method: 'POST', key: token, body });
    const end = (token: string, id: string) =>
      api.request(`/api/v1/maintenance/${id}`, { method: 'DELETE', key: token });
    const body = { channel: 'alerts', for: 900, note: 'Deploy 1842' };
    assert.is((await start(elsewhere, body)).status, 404);
    const started = await start(key, body);
    assert.is(started.status, 201);
    const { id } = windowIn(started);
    assert.is((await end(elsewhere, id)).status, 404);
    assert.is((await end(key, id)).status, 204);
    assert.is((await end(key, 'mnt_0000000000000000')).status, 404);
    assert.is((await start(key, { ...body, for: 14_401 })).status, 422);
    assert.is((await start((await api.issueKey({ scopes: ['events:write'] })).text, body)).status, 403);
    assert.equal(await actions(api), ['maintenance.end', 'maintenance.add'], 'keys are in the audit log, too');
  }));

async function actions(api: Api): Promise<readonly string[]> {
  const { entries } = (await api.real.listAudit({ workspace: 'acme', action: 'maintenance', limit: 10 })) as {
    entries: readonly { action: string }[];
  };
  return entries.map(({ action }) => action);
}

test.run();
