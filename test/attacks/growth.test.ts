/** One person who changes things without end, to fill the disk. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Clock, systemClock } from '../../src/process/clock.ts';
import { androidToken } from '../support/android-token.ts';
import { ADA, EVE } from '../support/cast.ts';
import { type Api, type Reply, withApi } from '../support/http.ts';
import { granted } from '../support/refusals.ts';
import { aPerson } from '../support/sign-in.ts';

function register(api: Api, key: string, name: string): Promise<Reply> {
  const body = { platform: 'android', token: androidToken(name), name };
  return api.request('/api/v1/devices', { method: 'POST', key, body });
}

/** Registers a device and removes it again. */
async function registerAndRemove(api: Api, key: string): Promise<readonly Reply[]> {
  const registered = await register(api, key, 'A name of mine');
  const { id = 'none' } = (registered.body.device ?? {}) as { id?: string };
  return [registered, await api.request(`/api/v1/devices/${id}`, { method: 'DELETE', key })];
}

test('a person who changes things without end is stopped, may still read and sign out, and affects no other', () =>
  withApi(
    async (api) => {
      const eve = await aPerson(api, EVE);
      const ada = await aPerson(api, ADA);
      for (let pair = 0; pair < 3; pair += 1) {
        assert.equal(
          (await registerAndRemove(api, eve)).map(({ status }) => status),
          [201, 204],
        );
      }
      for (const reply of await registerAndRemove(api, eve)) {
        assert.equal([reply.status, reply.body.code], [429, 'change_throttled']);
        assert.ok(Number(reply.headers['retry-after']) >= 1);
      }
      assert.is((await api.request('/api/v1/devices', { key: eve })).status, 200);
      assert.is((await register(api, ada, 'Phone')).status, 201);
      assert.is((await api.request('/api/v1/session', { method: 'DELETE', key: eve })).status, 204);
    },
    { limits: { changesPerMinute: 6 } },
  ));

test('a person below the limit of a minute reaches that of a day', () => {
  const real = systemClock();
  let aheadMs = 0;
  const clock: Clock = { wallMs: real.wallMs, steadyMs: () => real.steadyMs() + aheadMs };
  return withApi(
    async (api) => {
      const eve = await aPerson(api, EVE);
      for (let day = 0; day < 2; day += 1) {
        for (let minute = 0; minute < 4; minute += 1) {
          assert.is((await register(api, eve, 'Phone')).status, day + minute === 0 ? 201 : 200);
          aheadMs += 60_001;
        }
        const reply = await register(api, eve, 'Phone');
        assert.is(reply.status, 429);
        assert.ok(Number(reply.headers['retry-after']) > 3_600);
        aheadMs += 86_400_001;
      }
    },
    { limits: { changesPerMinute: 1, changesPerDay: 4 }, clock },
  );
});

test('the audit log holds nothing that a person has made up for a device', () =>
  withApi(async (api) => {
    const eve = await aPerson(api, EVE);
    await registerAndRemove(api, eve);
    const { entries } = granted(await api.store.listAudit({ limit: 10 }));
    assert.equal(
      entries.map(({ action }) => action),
      ['device.remove'],
    );
    assert.not.match(JSON.stringify(entries), 'A name of mine');
  }));

test.run();
