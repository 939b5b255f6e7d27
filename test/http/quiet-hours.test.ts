import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ADA, BOB } from '../support/cast.ts';
import { withApi } from '../support/http.ts';
import { aPerson } from '../support/sign-in.ts';

const CHANNEL = '/api/v1/workspaces/acme/channels/alerts';
const NIGHT = { from: '22:00', to: '07:00', timezone: 'Europe/Berlin', days: ['mon', 'tue'] };

test('managers set the quiet hours of a channel, and every member sees them', () =>
  withApi(async (api) => {
    const owner = await aPerson(api, ADA, { role: 'owner' });
    const bob = await aPerson(api, BOB);
    const patch = (key: string, quiet: unknown) => api.request(CHANNEL, { method: 'PATCH', key, body: { quiet } });
    const set = await patch(owner, NIGHT);
    assert.equal([set.status, (set.body.channel as { quiet: object }).quiet], [200, NIGHT]);
    const { body } = await api.request('/api/v1/workspaces/acme/channels', { key: bob });
    assert.equal(
      (body.channels as { slug: string; quiet: object }[]).find(({ slug }) => slug === 'alerts')?.quiet,
      NIGHT,
    );
    assert.is((await patch(bob, null)).status, 403);
    const none = await patch(owner, null);
    assert.is((none.body.channel as { quiet: null }).quiet, null);
  }));

test('all that is wrong with quiet hours is a 422 by its field', () =>
  withApi(async (api) => {
    const owner = await aPerson(api, ADA, { role: 'owner' });
    const fieldsOf = async (quiet: unknown) => {
      const { status, body } = await api.request(CHANNEL, { method: 'PATCH', key: owner, body: { quiet } });
      assert.is(status, 422);
      return Object.keys(body.errors as object);
    };
    const wrong = { from: '25:00', to: 7, timezone: 'Berlin/Europe', days: ['someday'] };
    assert.equal(await fieldsOf(wrong), ['quiet.from', 'quiet.to', 'quiet.timezone', 'quiet.days']);
    assert.equal(await fieldsOf({}), ['quiet.from', 'quiet.to', 'quiet.timezone']);
    assert.equal(await fieldsOf({ ...NIGHT, days: [] }), ['quiet.days']);
    assert.equal(await fieldsOf({ ...NIGHT, days: 'monday' }), ['quiet.days']);
    for (const none of [{ toString: 1 }, [[['22:00']]], { length: 5 }]) {
      const fields = await fieldsOf({ from: none, to: none, timezone: none, days: none });
      assert.equal(fields, ['quiet.from', 'quiet.to', 'quiet.timezone', 'quiet.days']);
    }
    for (const none of ['night', [], true]) assert.equal(await fieldsOf(none), ['quiet']);
  }));

test.run();
