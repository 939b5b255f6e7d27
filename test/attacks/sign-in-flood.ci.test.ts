/** A stranger keeps the queue of password and code checks full. Everyone else still signs in. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ADA } from '../support/cast.ts';
import { type Api, withApi } from '../support/http.ts';
import { codeFor } from '../support/sign-in.ts';
import { until } from '../support/until.ts';

const PASSWORD = 'correct horse battery staple';
const SESSION = '/api/v1/session';
const PROXY = { trusted: ['127.0.0.1'], maxInFlight: 1_000 };
/** At a time; more than may wait. */
const FLOOD = 60;

test('a flood of wrong passwords keeps no other user from signing in or confirming by password or code', () =>
  withApi(async (api) => {
    await api.join(ADA, { password: PASSWORD });
    const statuses: number[] = [];
    const attacker = async (n: number) => {
      for (let round = 0; ; round += 1) {
        const body = { email: `eve${n}-${round}@example.com`, password: 'wrong guess' };
        statuses.push((await signIn(api, '203.0.113.9', body)).status);
      }
    };
    // Until the server ends.
    for (let n = 0; n < FLOOD; n += 1) attacker(n).catch(() => {});
    await until('the line full', () => statuses.includes(503));
    const { status, body } = await signIn(api, '198.51.100.1', { email: ADA, password: PASSWORD });
    assert.is(status, 201);
    const key = (body.session as { token: string }).token;
    assert.is((await confirm(api, '198.51.100.1', key, { password: PASSWORD })).status, 204);
    const code = await codeFor(api, ADA);
    assert.is((await signIn(api, '198.51.100.1', { pairing_code: code })).status, 201);
  }, PROXY));

test.run();

function signIn(api: Api, address: string, body: unknown) {
  return api.request(SESSION, { method: 'POST', headers: { 'X-Forwarded-For': address }, body });
}

function confirm(api: Api, address: string, key: string, body: unknown) {
  const headers = { 'X-Forwarded-For': address };
  return api.request(`${SESSION}/confirmation`, { method: 'POST', key, headers, body });
}
