import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SESSION_COOKIE } from '../../../src/contract/secret-token.ts';
import type { ApiError } from '../../../src/http/errors.ts';
import { Streams } from '../../../src/http/streams/streams.ts';
import { ADA } from '../../support/cast.ts';
import { withApi } from '../../support/http.ts';
import { OPERATOR } from '../../support/people.ts';
import { granted } from '../../support/refusals.ts';
import { aPerson, signIn } from '../../support/sign-in.ts';
import { FAST, listen, openStream } from '../../support/stream.ts';
import { until } from '../../support/until.ts';

const EVENT = { channel: 'alerts', title: 'Done' };

test('a stream is never buffered or stored, says when to come back, and first of all to load everything', () =>
  withApi(async (api) => {
    const stream = await listen(api, await aPerson(api, ADA));
    assert.is(stream.status, 200);
    assert.is(stream.headers['content-type'], 'text/event-stream; charset=utf-8');
    assert.is(stream.headers['cache-control'], 'no-store');
    assert.is(stream.headers['x-accel-buffering'], 'no');
    assert.is(stream.headers['content-encoding'], undefined);
    await stream.hears('everything', null);
    const [, run] = /^retry: 2000\n\nid: ([0-9a-f]+)-\d+\nevent: change\ndata: /.exec(stream.text()) ?? [];
    assert.ok(run, stream.text());
  }));

test('HEAD has the head alone, and opens nothing', () =>
  withApi(async (api) => {
    const key = await aPerson(api, ADA);
    for (let at = 0; at < 12; at += 1) {
      const { status, text } = await api.request('/api/v1/stream', { method: 'HEAD', key });
      assert.equal([status, text], [200, '']);
    }
  }));

test('a client that comes back gets exactly what it missed, or has to load everything if that is not known', () =>
  withApi(async (api) => {
    const key = await aPerson(api, ADA, { role: 'owner' });
    const first = await listen(api, key);
    await api.post(EVENT);
    await first.hears('events', 'acme');
    const lastId = first.lastId();
    first.close();
    await first.ended;
    granted(await api.store.createChannel({ workspace: 'acme', slug: 'new' }, OPERATOR));
    const second = await listen(api, key, lastId);
    await second.hears('channels', 'acme');
    assert.not.match(second.text(), /everything|inbox|events/);
    const last = second.lastId();
    const third = await listen(api, key, last);
    await api.post(EVENT);
    await third.hears('inbox', 'acme');
    assert.not.match(third.text(), /everything|channels/);
    for (const unknown of ['', 'nonsense', '0123456789ab-1', `${last}0000`, last.replace(/-.*/, '--1')]) {
      await (await listen(api, key, unknown)).hears('everything', null);
    }
  }, FAST));

test('a browser that goes on from its first answer gets what came since, and no more', () =>
  withApi(async (api) => {
    const token = await aPerson(api, ADA, { role: 'owner' });
    const headers = { Cookie: `${SESSION_COOKIE}=${token}`, 'Sec-Fetch-Site': 'same-origin' };
    const read = await api.request('/api/v1/session', { headers });
    const from = String(read.headers['last-event-id']);
    const still = await openStream(api.http.url, { cookie: token, from });
    granted(await api.store.createChannel({ workspace: 'acme', slug: 'new' }, OPERATOR));
    await still.hears('channels', 'acme');
    assert.not.match(still.text(), /everything/);
    const later = await openStream(api.http.url, { cookie: token, from });
    await later.hears('channels', 'acme');
    assert.not.match(later.text(), /everything/);
    // A browser that comes back has both.
    const back = await openStream(api.http.url, { cookie: token, from, lastId: later.lastId() });
    await api.post(EVENT);
    await back.hears('inbox', 'acme');
    assert.not.match(back.text(), /everything|channels/);
    const byToken = await api.request('/api/v1/session', { key: token });
    assert.is(byToken.headers['last-event-id'], undefined, 'of an app, which has the header itself');
  }, FAST));

test('the position of a browser is forgotten if it opens no stream', () =>
  withApi(
    async (api) => {
      const token = await aPerson(api, ADA);
      const headers = { Cookie: `${SESSION_COOKIE}=${token}`, 'Sec-Fetch-Site': 'same-origin' };
      const history = async () => {
        const { headers: given } = await api.request('/api/v1/session', { headers });
        return String(given['last-event-id']).split('-')[0];
      };
      const first = await history();
      await until('another history', async () => (await history()) !== first);
    },
    { streams: { times: { lingerMs: 0 } } },
  ));

test('once no client has listened for a while, the next stream begins from the start', () =>
  withApi(
    async (api) => {
      const key = await aPerson(api, ADA);
      const first = await listen(api, key);
      await first.hears('everything', null);
      const lastId = first.lastId();
      first.close();
      await until('the run to end', async () => {
        const next = await listen(api, key, lastId);
        await until('its beginning', () => next.text() !== '');
        next.close();
        return next.text().includes('everything');
      });
    },
    { streams: { times: { lingerMs: 0 } } },
  ));

test('a stream that is opened before its history is forgotten goes on hearing after that time', () =>
  withApi(
    async (api) => {
      const token = await aPerson(api, ADA, { role: 'owner' });
      await api.request('/api/v1/session', { cookie: token });
      const stream = await openStream(api.http.url, { cookie: token });
      await until('several beats', () => stream.text().split(':\n\n').length > 20);
      granted(await api.store.createChannel({ workspace: 'acme', slug: 'new' }, OPERATOR));
      await stream.hears('channels', 'acme');
    },
    { streams: { times: { lingerMs: 300, heartbeatMs: 20, notifyEveryMs: 20 } } },
  ));

test('changes that come in a burst are reported together', () =>
  withApi(
    async (api) => {
      const stream = await listen(api, await aPerson(api, ADA, { role: 'owner' }));
      await stream.hears('everything', null);
      const startMs = performance.now();
      for (let wave = 0; wave < 4; wave += 1) await Promise.all(Array.from({ length: 25 }, () => api.post(EVENT)));
      granted(await api.store.createChannel({ workspace: 'acme', slug: 'last' }, OPERATOR));
      await stream.hears('channels', 'acme');
      const tookMs = performance.now() - startMs;
      const inbox = stream.reported().filter(({ kind }) => kind === 'inbox');
      assert.ok(inbox.length <= tookMs / 500 + 2, `${inbox.length} times in ${tookMs} ms`);
    },
    { limits: { burstPerMinute: 1_000 } },
  ));

test('a sign of life is repeated as a comment for proxies and an event for browsers, without a change', () =>
  withApi(
    async (api) => {
      const stream = await listen(api, await aPerson(api, ADA));
      await stream.hears('everything', null);
      const id = stream.lastId();
      const signs = () => [...stream.text().matchAll(/^:\n\nevent: alive\ndata: {}\n\n/gm)];
      await until('three signs of life', () => signs().length >= 3);
      assert.equal([stream.reported(), stream.lastId()], [[], id]);
    },
    { streams: { times: { heartbeatMs: 10 } } },
  ));

test('a session may have ten streams, and its eleventh has to wait', () =>
  withApi(async (api) => {
    const key = await aPerson(api, ADA);
    const streams = await Promise.all(Array.from({ length: 10 }, () => listen(api, key)));
    const more = await api.request('/api/v1/stream', { key });
    assert.equal([more.status, more.body.code, more.headers['retry-after']], [429, 'too_many_streams', '20']);
    assert.is((await listen(api, await signIn(api, ADA))).status, 200);
    streams[0]?.close();
    await until('a free place', async () => {
      const stream = await listen(api, key);
      stream.close();
      return stream.status === 200;
    });
  }));

test('a stream has its place before it is open, so those of one moment keep within the limits as well', () =>
  withApi(async (api) => {
    const streams = new Streams({ store: api.store });
    const owner = { tokenHash: 'hash', user: { id: 1, email: ADA, name: 'Ada' }, memberships: [], waiting: [] };
    const [first] = Array.from({ length: 10 }, () => streams.admit(owner));
    assert.throws(
      () => streams.admit(owner),
      (error: ApiError) => error.code === 'too_many_streams',
    );
    if (first) streams.close(first);
    streams.admit(owner);
    streams.endAll();
    assert.throws(
      () => streams.admit({ ...owner, user: { ...owner.user, id: 2 } }),
      (error: ApiError) => error.code === 'overloaded',
    );
  }));

test.run();
