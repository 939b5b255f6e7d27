import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Webhook } from '../../src/store/calls.ts';
import { ADA, BOB } from '../support/cast.ts';
import { withApi } from '../support/http.ts';
import { aPerson } from '../support/sign-in.ts';

const test = suite('http: webhooks');
const ALL = '/api/v1/workspaces/acme/webhooks';
const URL = 'https://hooks.example.com/pushctl';

test('an owner adds a webhook and sees its secret once, and a member sees neither', () =>
  withApi(async (api) => {
    const key = await aPerson(api, ADA, { role: 'owner' });
    const made = await api.request(ALL, { method: 'POST', key, body: { url: URL, kinds: ['alert.opened'] } });
    assert.is(made.status, 201);
    const secret = String(made.body.secret);
    const webhook = made.body.webhook as Webhook;
    assert.match(secret, /^whsec_/);
    assert.equal([webhook.url, webhook.kinds, webhook.status], [URL, ['alert.opened'], 'active']);
    const list = await api.request(ALL, { key });
    assert.equal(list.body, { webhooks: [webhook], next: null });
    const address = `${ALL}/${webhook.id}`;
    const rotated = await api.request(`${address}/rotate`, { method: 'POST', key });
    assert.is(rotated.status, 201);
    assert.is.not(rotated.body.secret, secret);
    assert.is((await api.request(`${address}/test`, { method: 'POST', key })).status, 202);
    const changed = await api.request(address, { method: 'PATCH', key, body: { status: 'disabled' } });
    assert.equal([changed.status, (changed.body.webhook as Webhook).status], [200, 'disabled']);
    assert.is((await api.request(`${address}/test`, { method: 'POST', key })).status, 409);
    const member = await aPerson(api, BOB);
    assert.is((await api.request(ALL, { key: member })).status, 403);
    assert.is((await api.request(address, { method: 'DELETE', key })).status, 204);
    assert.is((await api.request(address, { method: 'DELETE', key })).status, 404);
    assert.not.match(api.log(), secret.slice('whsec_'.length));
  }));

test('an address that is none, or leads into a private network, is a 422 for its field', () =>
  withApi(async (api) => {
    const key = await aPerson(api, ADA, { role: 'owner' });
    const refused = async (body: object) => {
      const answer = await api.request(ALL, { method: 'POST', key, body });
      assert.is(answer.status, 422, JSON.stringify(body));
      return Object.keys(answer.body.errors as object);
    };
    for (const url of [
      'http://example.com/',
      'https://127.0.0.1/',
      'https://[::ffff:127.0.0.1]/',
      'https://2130706433/',
      7,
    ]) {
      assert.equal(await refused({ url }), ['url']);
    }
    assert.equal(await refused({ url: URL, kinds: ['nothing'] }), ['kinds']);
    assert.equal(await refused({}), ['url']);
  }));

test('a sixth is a conflict', () =>
  withApi(async (api) => {
    const key = await aPerson(api, ADA, { role: 'owner' });
    const add = async () => (await api.request(ALL, { method: 'POST', key, body: { url: URL } })).status;
    for (let n = 0; n < 5; n += 1) assert.is(await add(), 201);
    assert.is(await add(), 409);
  }));

test.run();
