import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { StoreUnavailable } from '../../src/store/calls.ts';
import { ADA } from '../support/cast.ts';
import { type Api, withApi } from '../support/http.ts';
import { SimulatedClock } from '../support/simulation.ts';
import { untilIs } from '../support/until.ts';

const test = suite('http: what is logged of requests');
const AT = '203.0.113.7';
/** The pattern of a filter of fail2ban. */
const FAILREGEX = /^\{.*"refused":"(?:password|pairing|key|session)".*"address":"([\d.]+|[\da-f:]+)".*\}$/;

test("A rejected secret of a stranger leaves one line, with its kind and the client's address, never its content", () => {
  const clock = new SimulatedClock();
  return withApi(
    async (api) => {
      const guess = (body: object) =>
        api.request('/api/v1/session', { method: 'POST', body, headers: { 'X-Forwarded-For': AT } });
      for (const [kind, ask] of [
        ['password', () => guess({ email: ADA, password: 'hunter2hunter2' })],
        ['pairing', () => guess({ pairing_code: 'AAAA-BBBB-CCCC' })],
        ['key', () => asked(api, '/api/v1/connection', 'pctl_0123456789abcdef_hunter2')],
        ['session', () => asked(api, '/api/v1/session', 'hunter2hunter2')],
      ] as const) {
        await clock.run(1_000);
        assert.is((await ask()).status, 401, kind);
        const [line = '', ...others] = refusalsIn(api, kind);
        assert.equal(others, []);
        assert.is(FAILREGEX.exec(line)?.[1], AT);
      }
      assert.not.match(api.log(), 'hunter2');
    },
    { trusted: ['127.0.0.1'], clock },
  );
});

test('However often an address is refused, that is one line a second; another address has its own', () => {
  const clock = new SimulatedClock();
  return withApi(
    async (api) => {
      for (let n = 0; n < 20; n += 1) await asked(api, '/api/v1/session', 'nobody');
      assert.is(refusalsIn(api, 'session').length, 1);
      await asked(api, '/api/v1/session', 'nobody', '2001:db8::5');
      assert.is(refusalsIn(api, 'session').length, 2);
      await clock.run(1_000);
      await asked(api, '/api/v1/session', 'nobody');
      assert.is(refusalsIn(api, 'session').length, 3);
    },
    { trusted: ['127.0.0.1'], clock },
  );
});

test('Requests without credentials, or with good ones, log no rejection; nor can a request id imitate such a line', () =>
  withApi(async (api) => {
    await api.request('/api/v1/session');
    await api.request('/api/v1/connection');
    assert.is((await api.request('/api/v1/connection', { key: api.key })).status, 200);
    assert.is((await api.post({ channel: 'nowhere', title: 'x' })).status, 404);
    await api.request('/api/v1/session', { headers: { 'X-Request-Id': '"refused":"key","address":"192.0.2.1"' } });
    assert.equal(
      api
        .log()
        .split('\n')
        .filter((line) => FAILREGEX.test(line)),
      [],
    );
  }));

test('Health and readiness leave no line while all is well, and a line if they do not answer 200', async () => {
  await withApi(async (api) => {
    await untilIs('it is ready', async () => (await api.request('/readyz')).status, 200);
    const before = requestsIn(api).length;
    for (const path of ['/healthz', '/readyz', '/healthz?deliveries']) assert.is((await api.request(path)).status, 200);
    assert.is(requestsIn(api).length, before);
  });
  await withApi(
    async (api) => {
      assert.is((await api.request('/readyz')).status, 503);
      assert.match(requestsIn(api).join(), '"route":"/readyz"');
    },
    { store: { proveWritable: () => Promise.reject(new StoreUnavailable('no space left')) } },
  );
});

test('If requests are not to be logged, refusals are', () =>
  withApi(
    async (api) => {
      await api.request('/api/v1/connection', { key: api.key });
      await asked(api, '/api/v1/session', 'nobody');
      assert.equal(requestsIn(api), []);
      assert.is(refusalsIn(api, 'session').length, 1);
    },
    { requests: false },
  ));

test.run();

function asked(api: Api, path: string, key: string, address = AT) {
  return api.request(path, { key, headers: { 'X-Forwarded-For': address } });
}

function refusalsIn(api: Api, kind: string): readonly string[] {
  return api
    .log()
    .split('\n')
    .filter((line) => line.includes(`"refused":"${kind}"`));
}

function requestsIn(api: Api): readonly string[] {
  return api
    .log()
    .split('\n')
    .filter((line) => line.includes('"durationMs"'));
}
