import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Heartbeat } from '../../src/store/calls.ts';
import { ADA } from '../support/cast.ts';
import { type Api, type ApiOptions, type RequestOptions, withApi } from '../support/http.ts';
import { granted } from '../support/refusals.ts';
import { aPerson } from '../support/sign-in.ts';

const test = suite('pings by name');

test('a ping key pings the heartbeats of its channel by their slugs, with all that Healthchecks has', () =>
  withPingKey(async ({ api, ping, beat }) => {
    await add(api, 'backup');
    for (const [suffix, state] of [
      ['', 'up'],
      ['/fail', 'down'],
      ['/0', 'up'],
      ['/7', 'down'],
      ['?status=up', 'up'],
      ['/log', 'up'],
      ['/start', 'up'],
    ] as const) {
      const reply = await ping(`backup${suffix}`);
      assert.equal([reply.status, reply.text], [200, 'OK'], suffix);
      assert.is((await beat('backup')).state, state, suffix);
    }
    await ping('backup/fail', { method: 'POST', body: 'no space left' });
    assert.is((await beat('backup')).last_output, 'no space left');
  }));

test('in a suspended workspace, pings by name count as those by UUID do, and add no heartbeat', () =>
  withPingKey(async ({ api, ping, beat }) => {
    for (const slug of ['backup', 'report']) await add(api, slug);
    const { uuid } = granted(await api.store.showHeartbeat({ workspace: 'acme', slug: 'report' }));
    granted(await api.store.setWorkspaceStatus({ slug: 'acme', status: 'suspended' }));
    for (const reply of [await ping('backup'), await api.request(`/ping/${uuid}`)])
      assert.equal([reply.status, reply.text], [200, 'OK']);
    for (const slug of ['backup', 'report']) assert.is((await beat(slug)).state, 'up');
    const added = await ping('new?create=1');
    assert.equal([added.status, added.text], [403, 'The workspace of this API key is not active.']);
    assert.is(granted(await api.store.listHeartbeats({ workspace: 'acme' })).length, 2);
  }));

test('an impossible ping is answered as by Healthchecks, and changes nothing', () =>
  withPingKey(async ({ api, ping, key }) => {
    await add(api, 'elsewhere', 'builds');
    for (const slug of ['Twice', 'twice', 'backup']) await add(api, slug);
    const { text: sender } = await api.issueKey();
    for (const [path, status, text] of [
      [`${key}/unknown`, 404, 'not found'],
      [`${key}/elsewhere`, 404, 'not found'],
      [`${key}/elsewhere?create=1`, 404, 'not found'],
      [`${key.slice(0, -1)}/backup?create=1`, 404, 'not found'],
      [`${key}/back.up?create=1`, 404, 'not found'],
      [`${key}/backup/unknown`, 404, 'not found'],
      [`${key}/Backup?create=1`, 400, 'invalid url format'],
      [`${key}/backup/256`, 400, 'invalid url format'],
      [`${key}/new/256?create=1`, 400, 'invalid url format'],
      [`${key}/new?create=1&rid=1`, 400, 'invalid uuid format'],
      [`${key}/twice`, 409, 'ambiguous slug'],
      [`${sender}/backup`, 403, 'The API key does not have the scope heartbeats:ping.'],
    ] as const) {
      const reply = await api.request(`/ping/${path}`);
      assert.equal([reply.status, reply.text], [status, text], path.replace(key, ''));
    }
    const all = granted(await api.store.listHeartbeats({ workspace: 'acme' }));
    assert.equal(
      all.map(({ slug, state }) => [slug, state]),
      ['Twice', 'backup', 'elsewhere', 'twice'].map((slug) => [slug, 'new']),
    );
    for (const slug of ['_new', 'x'.repeat(121)]) assert.is((await ping(`${slug}?create=1`)).status, 422);
    assert.is((await ping('backup')).status, 200);
    assert.not.match(api.log(), key);
  }));

test('create=1 adds a heartbeat with the defaults, 20 by one key and its rotations, each named in the audit log', () =>
  withPingKey(
    async ({ api, ping, beat, keyId }) => {
      const made = await ping('job-0/start?create=1');
      assert.equal([made.status, made.text], [201, 'Created']);
      const { name, channel, every, grace, state } = await beat('job-0');
      assert.equal([name, channel, every, grace, state], ['job-0', 'alerts', 86_400, 3_600, 'new']);
      assert.equal((await ping('job-0?create=1')).status, 200);
      for (let n = 1; n < 19; n += 1) assert.is((await ping(`job-${n}?create=1`)).status, 201);
      const rotated = { newId: '0123456789ab', secretHash: 'ab'.repeat(32), graceMs: 60_000 };
      granted(await api.store.rotateKey({ id: keyId, ...rotated }));
      const origin = { workspaceId: api.workspaceId, origin: keyId };
      granted(await api.store.addNamedHeartbeat({ ...origin, keyId: rotated.newId, slug: 'job-19' }));
      const refused = await ping('job-20?create=1');
      assert.equal([refused.status, /made 20 heartbeats/.test(refused.text)], [409, true]);
      const { entries } = granted(await api.store.listAudit({ workspace: 'acme', limit: 100 }));
      const added = entries.filter(
        ({ action, actor }) => action === 'heartbeat.add' && actor.name.endsWith(`(${keyId})`),
      );
      assert.equal([added.length, added[0]?.object, added[0]?.actor.kind], [19, 'job-18 on alerts', 'key']);
    },
    { limits: { connectionPerMinute: 60 } },
  ));

test('a key with heartbeats:write adds and changes the heartbeats of its channels, as often as it likes', () =>
  withPingKey(async ({ api }) => {
    const bound = { scopes: ['heartbeats:write'], channels: ['alerts'] } as const;
    const { text: writer } = await api.issueKey(bound);
    const { text: reader } = await api.issueKey({ ...bound, scopes: ['heartbeats:write', 'events:read'] });
    const put = (slug: string, body: object, key = writer) =>
      api.request(`/api/v1/heartbeats/${slug}`, { method: 'PUT', key, body });
    const first = await put('backup', { channel: 'alerts', every: 3_600 });
    assert.is(first.status, 201);
    const { ping_url, ...shown } = first.body.heartbeat as { ping_url: string };
    assert.equal(shown, {
      slug: 'backup',
      name: 'backup',
      channel: 'alerts',
      channel_name: 'alerts',
      every: 3_600,
      cron: null,
      timezone: null,
      grace: 3_600,
      failures: 1,
    });
    assert.is((await api.request(new URL(ping_url).pathname)).status, 200);
    const again = await put('backup', { channel: 'alerts', every: 3_600 });
    assert.equal([again.status, again.body], [200, first.body]);
    const { entries } = granted(await api.store.listAudit({ workspace: 'acme', action: 'heartbeat', limit: 9 }));
    assert.equal(
      entries.map(({ action, object }) => [action, object]),
      [['heartbeat.add', 'backup on alerts']],
    );
    const cron = { channel: 'alerts', name: 'Nightly', cron: '0 3 * * *', timezone: 'Europe/Berlin', grace: 60 };
    assert.equal(terms(await put('backup', cron)), ['Nightly', null, '0 3 * * *', 'Europe/Berlin', 60]);
    const plain = await put('backup', { channel: 'alerts' }, reader);
    assert.equal(terms(plain), ['backup', 86_400, null, null, 3_600]);
    assert.is((plain.body.heartbeat as Heartbeat).state, 'up');

    await add(api, 'elsewhere', 'builds');
    assert.is((await put('elsewhere', { channel: 'alerts' })).status, 404);
    assert.is((await put('backup', { channel: 'builds' })).status, 404);
    assert.is((await put('-', { channel: 'alerts' })).status, 422);
    assert.is((await put('backup', { channel: 'alerts', every: 3_600, cron: '0 3 * * *' })).status, 422);
  }));

test('a key that pings by name has no other scope, and exactly one channel', () =>
  withPingKey(async ({ api, key }) => {
    const owner = await aPerson(api, ADA, { role: 'owner' });
    for (const [body, field] of [
      [{ scopes: ['heartbeats:ping'] }, 'channels'],
      [{ scopes: ['heartbeats:ping'], channels: ['alerts', 'builds'] }, 'channels'],
      [{ scopes: ['heartbeats:ping', 'events:read'], channels: ['alerts'] }, 'scopes'],
    ] as const) {
      const keys = '/api/v1/workspaces/acme/keys';
      const reply = await api.request(keys, { method: 'POST', key: owner, body: { name: 'pings', ...body } });
      assert.equal([reply.status, Object.keys(reply.body.errors as object)], [422, [field]]);
    }
    assert.is((await api.post({ channel: 'alerts', title: 'Hi' }, { key })).status, 403);
  }));

test.run();

interface Scene {
  readonly api: Api;
  readonly key: string;
  readonly keyId: string;
  ping(path: string, options?: RequestOptions): ReturnType<Api['request']>;
  beat(slug: string): Promise<Heartbeat>;
}

function withPingKey(use: (scene: Scene) => Promise<void>, options: ApiOptions = {}): Promise<void> {
  return withApi(
    async (api) => {
      const { id: keyId, text: key } = await api.issueKey({ scopes: ['heartbeats:ping'], channels: ['alerts'] });
      await use({
        api,
        key,
        keyId,
        ping: (path, asked) => api.request(`/ping/${key}/${path}`, asked),
        beat: async (slug) => granted(await api.store.showHeartbeat({ workspace: 'acme', slug })),
      });
    },
    { channels: ['alerts', 'builds'], ...options },
  );
}

async function add(api: Api, slug: string, channel = 'alerts'): Promise<void> {
  granted(await api.store.createHeartbeat({ workspace: 'acme', channel, slug }));
}

function terms({ body }: Awaited<ReturnType<Api['request']>>): readonly unknown[] {
  const { name, every, cron, timezone, grace } = body.heartbeat as Heartbeat;
  return [name, every, cron, timezone, grace];
}
