import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ADA } from '../support/cast.ts';
import { withApi } from '../support/http.ts';
import { aPerson } from '../support/sign-in.ts';

test('a signed-in member sees the public key, and whether pushes to browsers are set up', () =>
  withApi(async (api) => {
    const key = await aPerson(api, ADA);
    const { publicKey, privateKey } = await api.store.vapidKeys({});
    const reply = await api.request('/api/v1/webpush', { key });
    assert.is(reply.status, 200);
    assert.equal(reply.body, { public_key: publicKey, contact_configured: false });
    assert.not.match(reply.text, privateKey);
    assert.is((await api.request('/api/v1/webpush')).status, 401);
  }));

test.run();
