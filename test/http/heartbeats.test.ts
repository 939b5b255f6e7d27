import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ADA, BOB, EVE } from '../support/cast.ts';
import { type Api, withApi } from '../support/http.ts';
import { aPerson } from '../support/sign-in.ts';

const test = suite('http: heartbeats');
const ALL = '/api/v1/workspaces/acme/heartbeats';

test('an owner adds a heartbeat with what it leaves out by default, and members see it without its address', () =>
  withApi(
    async (api) => {
      const owner = await aPerson(api, ADA, { role: 'owner' });
      const made = await add(api, owner, { slug: 'backup', channel: 'alerts' });
      assert.is(made.status, 201);
      const { ping_url, ...heartbeat } = made.body.heartbeat as Record<string, unknown>;
      assert.match(String(ping_url), /^https:\/\/push\.example\.com\/ping\/[0-9a-f-]{36}$/);
      assert.equal(heartbeat, {
        slug: 'backup',
        name: 'backup',
        channel: 'alerts',
        channel_name: 'alerts',
        every: 86_400,
        cron: null,
        timezone: null,
        grace: 3_600,
        failures: 1,
        state: 'new',
        last_ping_at: null,
        last_start_at: null,
        last_duration_ms: null,
        due_at: null,
        down_since: null,
        flaps_since: null,
        last_output: null,
      });
      const callers = { member: await aPerson(api, BOB), admin: await aPerson(api, EVE, { role: 'admin' }), owner };
      for (const [who, key] of Object.entries(callers)) {
        const shown = who === 'member' ? heartbeat : { ...heartbeat, ping_url };
        assert.equal((await api.request(ALL, { key })).body, { heartbeats: [shown], next: null }, who);
        assert.equal((await api.request(`${ALL}/backup`, { key })).body, { heartbeat: shown }, who);
      }
    },
    { baseUrl: 'https://push.example.com/api' },
  ));

test('a key that may read sees those that it reaches, without the addresses of their pings', () =>
  withApi(
    async (api) => {
      const owner = await aPerson(api, ADA, { role: 'owner' });
      await add(api, owner, { slug: 'backup', channel: 'alerts' });
      await add(api, owner, { slug: 'worker', channel: 'builds' });
      const bound = await api.issueKey({ scopes: ['events:read'], channels: ['builds'] });
      const slugs = async (key: string, query = '') => {
        const { heartbeats } = (await api.request(`/api/v1/heartbeats${query}`, { key })).body;
        return (heartbeats as readonly { slug: string; ping_url?: string }[]).map(({ slug, ping_url }) => [
          slug,
          ping_url,
        ]);
      };
      assert.equal(await slugs(api.key), [
        ['backup', undefined],
        ['worker', undefined],
      ]);
      assert.equal(await slugs(bound.text), [['worker', undefined]]);
      assert.is((await api.request('/api/v1/heartbeats?limit=1', { key: api.key })).body.next, 'backup');
      assert.equal(await slugs(api.key, '?limit=1&after=backup'), [['worker', undefined]]);
      assert.equal(await slugs(api.key, '?state=down'), []);
    },
    { channels: ['alerts', 'builds'] },
  ));

test('faults of a heartbeat are reported field by field', () =>
  withApi(async (api) => {
    const owner = await aPerson(api, ADA, { role: 'owner' });
    const wrong = await add(api, owner, { slug: '-', every: 59, grace: 31_536_001, name: ' ', timezone: 1 });
    assert.is(wrong.status, 422);
    assert.equal(Object.keys(wrong.body.errors as object), ['slug', 'channel', 'every', 'timezone', 'grace']);
    const elsewhere = await add(api, owner, { slug: 'backup', channel: 'nowhere' });
    assert.equal([elsewhere.status, Object.keys(elsewhere.body.errors as object)], [422, ['channel']]);
    await add(api, owner, { slug: 'backup', channel: 'alerts' });
    assert.is((await add(api, owner, { slug: 'backup', channel: 'alerts' })).status, 409);
  }));

test('it is changed, paused, resumed and removed', () =>
  withApi(async (api) => {
    const owner = await aPerson(api, ADA, { role: 'owner' });
    await add(api, owner, { slug: 'backup', channel: 'alerts' });
    const ask = (method: string, path: string, body?: object) =>
      api.request(`${ALL}/backup${path}`, { method, key: owner, ...(body && { body }) });
    const changed = (await ask('PATCH', '', { name: 'Nightly', every: 3_600 })).body.heartbeat as Shown;
    assert.equal([changed.name, changed.every, changed.grace], ['Nightly', 3_600, 3_600]);
    assert.is(((await ask('POST', '/pause')).body.heartbeat as Shown).state, 'paused');
    assert.is(((await ask('POST', '/resume')).body.heartbeat as Shown).state, 'new');
    assert.is((await ask('DELETE', '')).status, 204);
    assert.is((await ask('GET', '')).status, 404);
    const { entries } = (await api.request('/api/v1/workspaces/acme/audit', { key: owner })).body;
    const actions = (entries as readonly { action: string }[]).map(({ action }) => action);
    assert.equal(
      actions.filter((action) => action.startsWith('heartbeat.')),
      ['remove', 'resume', 'pause', 'change', 'add'].map((verb) => `heartbeat.${verb}`),
    );
  }));

test.run();

interface Shown {
  readonly name: string;
  readonly state: string;
  readonly every: number;
  readonly grace: number;
}

function add(api: Api, key: string, body: object): ReturnType<Api['request']> {
  return api.request(ALL, { method: 'POST', key, body });
}
