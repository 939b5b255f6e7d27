/** Streams of events stay open: what holds them, and what must not be held by them. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StoreUnavailable } from '../../src/store/calls.ts';
import type { ServingStore } from '../../src/store/client.ts';
import { ADA, BOB, EVE } from '../support/cast.ts';
import { type Api, type ApiOptions, withApi } from '../support/http.ts';
import { granted } from '../support/refusals.ts';
import { aPerson, signIn, signInBrowser } from '../support/sign-in.ts';
import { type OpenStream, openStream } from '../support/stream.ts';
import { until } from '../support/until.ts';
import { aWorkspace } from '../support/workspace.ts';

const SESSION = '/api/v1/session';
const BEATS: ApiOptions = { streams: { times: { heartbeatMs: 10 } } };

function open(api: Api, key: string): Promise<OpenStream> {
  return openStream(api.http.url, { key });
}

test('every end of a session ends its stream and leaves the streams of other sessions alone', () =>
  withApi(async (api) => {
    await api.join(ADA, { password: 'correct horse' });
    const ends: ((key: string) => Promise<unknown>)[] = [
      (key) => api.request(SESSION, { method: 'DELETE', key }),
      async () => granted(await api.store.closeSessions({ email: ADA })),
      async () => granted(await api.store.setPassword({ email: ADA, password: 'another horse' })),
      async () => granted(await api.store.removeMember({ workspace: 'acme', email: ADA })),
    ];
    const other = await open(api, await aPerson(api, BOB));
    for (const end of ends) {
      const key = await signIn(api, ADA);
      const stream = await open(api, key);
      await end(key);
      assert.ok(await stream.ended, 'it came to its end');
      assert.is((await api.request('/api/v1/stream', { key })).status, 401);
    }
    granted(await api.store.createChannel({ workspace: 'acme', slug: 'new' }));
    await other.hears('channels', 'acme');
  }));

test('a stream by the cookie ends as well', () =>
  withApi(async (api) => {
    await api.join(ADA);
    const cookie = await signInBrowser(api, ADA);
    const stream = await openStream(api.http.url, { cookie });
    await api.request(SESSION, { method: 'DELETE', cookie });
    assert.ok(await stream.ended);
  }));

test('a session that expires is found at the next heartbeat', async () => {
  let real: ServingStore['findSession'] | null = null;
  let isOver = false;
  const findSession: ServingStore['findSession'] = async (args) => (isOver || real === null ? null : real(args));
  await withApi(
    async (api) => {
      real = api.real.findSession;
      const stream = await open(api, await aPerson(api, ADA));
      isOver = true;
      assert.ok(await stream.ended);
    },
    { ...BEATS, store: { findSession } },
  );
});

test('no user can take all streams: a session, a person, and all together have a bound', () =>
  withApi(
    async (api) => {
      const refused = async (key: string) => {
        const { status, body } = await api.request('/api/v1/stream', { key });
        return [status, body.code];
      };
      const first = await aPerson(api, ADA);
      const second = await signIn(api, ADA);
      const bob = await aPerson(api, BOB);
      for (const key of [first, first, second]) assert.is((await open(api, key)).status, 200);
      assert.equal(await refused(first), [429, 'too_many_streams']);
      assert.equal(await refused(second), [429, 'too_many_streams']);
      const last = await open(api, bob);
      assert.equal(await refused(bob), [503, 'overloaded']);
      last.close();
      await until('a free place', async () => {
        const { status } = await open(api, bob);
        return status === 200 || status;
      });
    },
    { streams: { limits: { perSession: 2, perPerson: 3, total: 4 } } },
  ));

test('if one workspace has taken all streams, other workspaces get theirs, and it gets no more', () =>
  withApi(
    async (api) => {
      const umbrella = await aWorkspace(api.store, { workspace: 'umbrella', channels: [], owner: null });
      const [ada, bob] = [await aPerson(api, ADA), await aPerson(api, BOB)];
      const taken = await Promise.all([ada, ada, ada, ada, bob, bob].map((key) => open(api, key)));
      await umbrella.join(EVE);
      const eve = await signIn(api, EVE);
      assert.is((await open(api, eve)).status, 200);
      assert.is((await open(api, eve)).status, 200);
      // The oldest streams of the person with most streams end.
      assert.equal(await Promise.all(taken.slice(0, 2).map(({ ended }) => ended)), [true, true]);
      const refused = await api.request('/api/v1/stream', { key: bob });
      assert.equal([refused.status, refused.body.code], [503, 'overloaded']);
      // Half of the places are its share.
      assert.is((await open(api, eve)).status, 200);
      assert.is((await api.request('/api/v1/stream', { key: eve })).status, 503);
    },
    { streams: { limits: { total: 6 } } },
  ));

test('HEAD takes no place from anyone', () =>
  withApi(
    async (api) => {
      const umbrella = await aWorkspace(api.store, { workspace: 'umbrella', channels: [], owner: null });
      const ada = await open(api, await aPerson(api, ADA));
      await umbrella.join(EVE);
      const key = await signIn(api, EVE);
      assert.is((await api.request('/api/v1/stream', { method: 'HEAD', key })).status, 200);
      granted(await api.store.createChannel({ workspace: 'acme', slug: 'new' }));
      await ada.hears('channels', 'acme');
      assert.is((await api.request('/api/v1/stream', { method: 'HEAD' })).status, 401);
    },
    { streams: { limits: { total: 1 } } },
  ));

test('open streams are no requests in flight, and no timeout of requests ends them', () =>
  withApi(
    async (api) => {
      const key = await aPerson(api, ADA);
      const streams: OpenStream[] = [];
      for (let at = 0; at < 5; at += 1) streams.push(await open(api, key));
      assert.ok(streams.every(({ status }) => status === 200));
      const comments = (stream: OpenStream) => [...stream.text().matchAll(/^:$/gm)].length;
      await until('them to outlive every timeout', () => streams.every((stream) => comments(stream) > 400));
      assert.is((await api.post({ channel: 'alerts', title: 'Done' })).status, 202);
    },
    {
      maxInFlight: 1,
      streams: { times: { heartbeatMs: 10 } },
      timeouts: { headersMs: 3_000, requestMs: 3_000, keepAliveMs: 3_000, unreadMs: 3_000, checkMs: 50 },
    },
  ));

test('clients that go away leave nothing behind', () =>
  withApi(
    async (api) => {
      const key = await aPerson(api, ADA);
      for (let round = 0; round < 20; round += 1) {
        const streams = await Promise.all([open(api, key), open(api, key)]);
        for (const stream of streams) stream.close();
        await until('their places to be free', async () => {
          const both = await Promise.all([open(api, key), open(api, key)]);
          for (const stream of both) stream.close();
          return both.every(({ status }) => status === 200);
        });
      }
    },
    { streams: { limits: { total: 4 } } },
  ));

test('a store that cannot be asked ends no stream, and nothing is reported meanwhile to a user who may have lost the right', async () => {
  let isDown = false;
  let real: ServingStore['findSession'] | null = null;
  const findSession: ServingStore['findSession'] = async (args) => {
    if (isDown || real === null) throw new StoreUnavailable('overloaded');
    return real(args);
  };
  await withApi(
    async (api) => {
      real = api.real.findSession;
      await api.addWorkspace('umbrella');
      await api.join(BOB, { workspace: 'umbrella' });
      const stream = await open(api, await aPerson(api, BOB));
      await stream.hears('everything', null);
      isDown = true;
      granted(await api.store.removeMember({ workspace: 'acme', email: BOB }));
      granted(await api.store.createChannel({ workspace: 'acme', slug: 'new' }));
      granted(await api.store.createChannel({ workspace: 'umbrella', slug: 'new' }));
      const beats = stream.text().split(':\n\n').length;
      await until('some heartbeats', () => stream.text().split(':\n\n').length > beats + 5);
      assert.not.match(stream.text(), 'channels');
      isDown = false;
      await stream.hears('channels', 'umbrella');
      assert.not(stream.reported().some(({ workspace }) => workspace === 'acme'));
    },
    { ...BEATS, store: { findSession } },
  );
});

test.run();
