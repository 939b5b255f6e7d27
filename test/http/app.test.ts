import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packageVersion } from '../../src/process/package.ts';
import { StoreUnavailable } from '../../src/store/calls.ts';
import { ADA } from '../support/cast.ts';
import { exchangeBytes, withApi } from '../support/http.ts';
import { describedApi, operationsOf } from '../support/openapi.ts';
import { aPerson } from '../support/sign-in.ts';
import { until, untilIs } from '../support/until.ts';

test('an unknown address is answered 404 for any method', () =>
  withApi(async (api) => {
    for (const path of [
      '/',
      '/api',
      '/api/v1',
      '/api/v1/events/',
      '/api/v1/Events',
      '/API/v1/events',
      '/api/v2/events',
      '//',
    ]) {
      for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
        const reply = await api.request(path, { method });
        assert.is(reply.status, 404, `${method} ${path}`);
        assert.equal(reply.body, { message: 'There is nothing at this address.' });
      }
    }
  }));

test('an address with broken percent-encoding, or with NUL in it, names nothing', () =>
  withApi(async (api) => {
    const token = await aPerson(api, ADA, { role: 'owner' });
    for (const name of ['%', '%E0%A4', '%00', '%FF', 'a%2Fb']) {
      for (const [method, path] of [
        ['GET', `workspaces/${name}/channels`],
        ['DELETE', `workspaces/acme/members/${name}`],
        ['DELETE', `devices/${name}`],
        ['PUT', `devices/x/subscriptions/acme/${name}`],
        ['GET', `events/${name}`],
      ]) {
        const reply = await api.request(`/api/v1/${path}`, { method: String(method), key: token });
        assert.is(reply.status, 404, `${method} ${path}`);
      }
    }
  }));

test('a known address with a wrong method is answered 405 with the allowed methods', () =>
  withApi(async (api) => {
    const cases: [string, string][] = [
      ['/api/v1/events', 'POST, HEAD, GET'],
      ['/api/v1/events?x=1', 'POST, HEAD, GET'],
      ['/api/v1/session', 'POST, HEAD, GET, PATCH, DELETE'],
      ['/api/v1/devices/dev_1', 'PATCH, DELETE'],
      ['/api/v1/events/evt_1', 'HEAD, GET'],
      ['/api/v1/connection', 'HEAD, GET'],
      ['/api/v1/workspaces/acme/members/me', 'DELETE'],
      ['/api/v1/workspaces/acme/members/ada@example.com', 'HEAD, GET, PATCH, DELETE'],
      ['/api/v1/usage', 'HEAD, GET'],
      ['/api/openapi.json', 'HEAD, GET'],
      ['/healthz', 'HEAD, GET'],
    ];
    for (const [path, allowed] of cases) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE']) {
        if (allowed.split(', ').includes(method)) continue;
        const reply = await api.request(path, { method });
        assert.equal([reply.status, reply.headers.allow], [405, allowed], `${method} ${path}`);
        if (method !== 'HEAD') assert.is(reply.body.code, 'method_not_allowed');
      }
    }
  }));

test('HEAD goes wherever GET goes: the same status and header fields, and no body', () =>
  withApi(async (api) => {
    const readable = Object.entries(describedApi().paths).filter(([, { get }]) => get !== undefined);
    assert.ok(readable.length > 10);
    for (const [path, { servers }] of readable) {
      const address = `${servers === undefined ? '/api' : ''}${path.replaceAll(/\{\w+\}/g, 'x')}`;
      const options = { key: api.key, headers: { 'X-Request-Id': 'mine' } };
      const { status, headers } = await api.request(address, options);
      const head = await api.request(address, { ...options, method: 'HEAD' });
      const { date: _date, ratelimit: _left, ...same } = headers;
      const { date: _itsDate, ratelimit: _itsLeft, ...ofHead } = head.headers;
      assert.equal([head.status, ofHead], [status, same], address);
      assert.ok(Number(ofHead['content-length']) > 0, address);
    }
    const bytes = await exchangeBytes(api.http.url, 'HEAD /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    assert.match(bytes, /^HTTP\/1\.1 200 OK\r\n/);
    assert.is(bytes.slice(bytes.indexOf('\r\n\r\n')), '\r\n\r\n');
  }));

test('answers are JSON for any accepted type', () =>
  withApi(async (api) => {
    const reply = await api.request('/nowhere', { headers: { Accept: 'text/html' } });
    assert.is(reply.headers['content-type'], 'application/json; charset=utf-8');
  }));

test('the request id comes from the client if it is harmless, else it is new', () =>
  withApi(async (api) => {
    const idFor = async (id: string) =>
      (await api.request('/healthz', { headers: { 'X-Request-Id': id } })).headers['x-request-id'];
    for (const id of ['a', 'run-7.2_x', 'Z'.repeat(64)]) assert.is(await idFor(id), id);
    for (const id of ['', ' ', 'a b', 'Z'.repeat(65), 'a"b', 'é', '{}'])
      assert.match(String(await idFor(id)), /^[0-9a-f-]{36}$/);
  }));

test('every log line of a request has its id', () =>
  withApi(async (api) => {
    await api.request('/nowhere', { headers: { 'X-Request-Id': 'mine' } });
    await until('its line', () => api.log().includes('"mine"'));
    const line = JSON.parse(api.log().trim().split('\n').at(-1) ?? '');
    assert.equal([line.requestId, line.method, line.route, line.status], ['mine', 'GET', null, 404]);
  }));

test('every operation that is described is there', () =>
  withApi(async (api) => {
    const document = describedApi();
    for (const [method, path] of operationsOf(document)) {
      // Answers 404, like the server without a provider.
      if (path.startsWith('/v1/session/oidc')) continue;
      const isOutsideBase = document.paths[path]?.servers !== undefined;
      const address = `${isOutsideBase ? '' : '/api'}${path.replaceAll(/\{\w+\}/g, 'x')}`;
      const reply = await api.request(address, { method: method.toUpperCase(), key: api.key });
      assert.not.equal(reply.body, { message: 'There is nothing at this address.' }, address);
      assert.is.not(reply.status, 405, address);
    }
  }));

test('the server is healthy, and ready while its store answers', async () => {
  await withApi(async (api) => {
    assert.equal((await api.request('/healthz')).body, { status: 'ok', version: packageVersion() });
    // A disk that is busy with something else makes it say for a while that it is not.
    await untilIs('it is ready', async () => (await api.request('/readyz')).status, 200);
    assert.equal((await api.request('/readyz')).body, { status: 'ready' });
  });
  await withApi(
    async (api) => {
      assert.is((await api.request('/healthz')).status, 200);
      assert.is((await api.request('/readyz')).status, 503);
    },
    { store: { proveWritable: () => Promise.reject(new StoreUnavailable('no space left')) } },
  );
});

test('a store that is not alive is no health', () =>
  withApi(async (api) => assert.is((await api.request('/healthz')).status, 503), {
    store: { isAlive: async () => false },
  }));

test('a server whose queue is old, or stands still, is ready all the same: it can take events', async () => {
  const queueAge = async () => [{ route: 'fcm', lane: 'standard', ageMs: 86_400_000 } as const];
  await withApi(
    async (api) => {
      await untilIs('it is ready', async () => (await api.request('/readyz')).status, 200);
      assert.is((await api.request('/healthz')).status, 200);
      const asked = await api.request('/healthz?deliveries');
      assert.is(asked.status, 503);
      assert.match(String(asked.body.message), 'Deliveries are stuck');
    },
    { store: { queueAge }, stillMs: { fcm: 60_000 } },
  );
});

test('a check that asks for deliveries as well is answered 200 while they go on', () =>
  withApi(async (api) => assert.is((await api.request('/healthz?deliveries')).status, 200), {
    stillMs: { fcm: 59_999, apns_production: 0 },
  }));

test('however often readiness is asked, the disk is tried once a second', async () => {
  let writes = 0;
  const proveWritable = async () => {
    writes += 1;
    return null;
  };
  await withApi(
    async (api) => {
      await Promise.all(Array.from({ length: 20 }, () => api.request('/readyz')));
      assert.is(writes, 1);
    },
    { store: { proveWritable }, clock: { wallMs: Date.now, steadyMs: () => 5_000 } },
  );
});

test('more requests than can be answered at a time are answered 503 with when to come back', async () => {
  const gate = Promise.withResolvers<null>();
  const asked = Promise.withResolvers<void>();
  const readEvent = () => {
    asked.resolve();
    return gate.promise;
  };
  await withApi(
    async (api) => {
      const first = api.request('/api/v1/events/evt_1', { key: api.key });
      await asked.promise;
      const second = await api.request('/api/v1/usage', { key: api.key });
      assert.equal([second.status, second.body.code, second.headers['retry-after']], [503, 'overloaded', '1']);
      gate.resolve(null);
      assert.is((await first).status, 404);
      assert.is((await api.request('/api/v1/usage', { key: api.key })).status, 200);
    },
    { maxInFlight: 1, store: { readEvent } },
  );
});

test('the usage of this month and of the twelve before is read back', () =>
  withApi(async (api) => {
    await api.post({ channel: 'alerts', title: 'Done' });
    const { body } = await api.request('/api/v1/usage', { key: api.key });
    assert.equal([body.monthly_event_allowance, body.used, body.remaining], [null, 1, null]);
    assert.is((body.months as unknown[]).length, 13);
  }));

test.run();
