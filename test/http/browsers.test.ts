import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { BrowserSubscription } from '../../src/contract/addresses/address.ts';
import { browserKeys } from '../support/browser-keys.ts';
import { ADA, BOB } from '../support/cast.ts';
import { type Api, type Reply, withApi } from '../support/http.ts';
import { granted } from '../support/refusals.ts';
import { aPerson } from '../support/sign-in.ts';
import { valuesOf } from '../support/values-of.ts';

const test = suite('http: browsers as devices');

test('a browser is registered by its subscription, and updated by the same endpoint', () =>
  withApi(async (api) => {
    const key = await aPerson(api, ADA);
    const first = await register(api, key, { subscription: { ...subscription(), expirationTime: null } });
    assert.is(first.status, 201);
    const { id, name, environment, push_service } = deviceOf(first);
    assert.equal([name, environment, push_service], ['Browser', null, 'updates.push.services.mozilla.com']);
    const again = await register(api, key, { subscription: subscription(), name: 'Firefox on Linux' });
    assert.equal([again.status, deviceOf(again).id, deviceOf(again).name], [200, id, 'Firefox on Linux']);
  }));

test('a shown or refused subscription reveals only the host of its push service', () =>
  withApi(async (api) => {
    const key = await aPerson(api, ADA, { role: 'owner' });
    const mine = subscription('mine');
    const elsewhere = { ...mine, endpoint: 'https://push.example.com/hush7' };
    const { id } = deviceOf(await register(api, key, { subscription: mine }));
    const path = `/api/v1/devices/${id}`;
    const replies = [
      await register(api, key, { subscription: mine }),
      await api.request(path, { method: 'PATCH', key, body: { subscription: mine } }),
      await api.request('/api/v1/devices', { key }),
      await api.request('/api/v1/workspaces/acme/devices', { key }),
      await register(api, key, { subscription: elsewhere }),
      await api.request(path, { method: 'PATCH', key, body: { subscription: elsewhere } }),
      await api.request(path, { method: 'DELETE', key }),
    ];
    assert.equal(valuesOf(replies, 'status'), [200, 200, 200, 200, 422, 422, 204]);
    const { entries } = granted(await api.store.listAudit({ limit: 100 }));
    const shown = [...replies.map(({ text }) => text), JSON.stringify(entries), api.log()].join('\n');
    assert.match(shown, '"push_service":"updates.push.services.mozilla.com"');
    for (const secret of ['wpush/v2', 'hush7', mine.keys.p256dh, mine.keys.auth]) assert.not.match(shown, secret);
  }));

test('all that is wrong with a subscription is said by field', () =>
  withApi(async (api) => {
    const key = await aPerson(api, ADA);
    const { endpoint, keys } = subscription();
    const cases: [unknown, Record<string, readonly string[]>][] = [
      [{}, { subscription: ['The subscription field is required.'] }],
      [{ subscription: endpoint }, { subscription: ['The subscription field must be an object.'] }],
      [
        { subscription: {} },
        {
          'subscription.endpoint': ['The subscription.endpoint field is required.'],
          'subscription.keys': ['The subscription.keys field is required.'],
        },
      ],
      [
        { subscription: { endpoint: 'http://fcm.googleapis.com/', keys: { auth: 5 } }, replaces: 5 },
        {
          'subscription.endpoint': [
            'The subscription.endpoint field must be an https address of at most 2048 characters, without user name, port and fragment.',
          ],
          'subscription.keys.p256dh': ['The subscription.keys.p256dh field is required.'],
          'subscription.keys.auth': ['The subscription.keys.auth field must be a string.'],
          replaces: ['The replaces field must be a string.'],
        },
      ],
      [
        { subscription: { endpoint, keys: { ...keys, p256dh: Buffer.alloc(65, 4).toString('base64url') } } },
        {
          'subscription.keys.p256dh': [
            'The subscription.keys.p256dh field must be a point on the curve P-256 in base64url (65 bytes, starting with 4).',
          ],
        },
      ],
      [
        { token: endpoint, subscription: { endpoint, keys } },
        { token: ['The token field is for apps only: a browser has a subscription.'] },
      ],
      [
        { platform: 'ios', token: 'ab'.repeat(32), subscription: { endpoint, keys } },
        { subscription: ['The subscription field is for browsers only.'] },
      ],
    ];
    for (const [body, errors] of cases) {
      const reply = await register(api, key, body as object);
      assert.equal([reply.status, reply.body.errors], [422, errors]);
    }
  }));

test('a browser that another member signs in on becomes theirs, without its subscriptions', () =>
  withApi(async (api) => {
    const [ada, bob] = [await aPerson(api, ADA), await aPerson(api, BOB)];
    await listen(api, ada, deviceOf(await register(api, ada, { subscription: subscription() })).id);
    const moved = await register(api, bob, { subscription: subscription() });
    assert.equal([moved.status, deviceOf(moved).subscriptions], [201, []]);
    assert.equal(await devicesOf(api, ada), []);
  }));

test('a new subscription that names the old one keeps the id, the name and the channels of the device', () =>
  withApi(async (api) => {
    const key = await aPerson(api, ADA);
    const [first, second] = [subscription('first'), subscription('second')];
    const { id } = deviceOf(await register(api, key, { subscription: first, name: 'Mine' }));
    await listen(api, key, id);
    const before = await devicesOf(api, key);
    const body = { subscription: second, replaces: first.endpoint.replace('https://updates', 'HTTPS://Updates') };
    assert.is((await register(api, key, body)).status, 200);
    assert.equal((await devicesOf(api, key)).map(withoutTime), before.map(withoutTime));
    assert.is((await register(api, key, body)).status, 200, 'said again, as after an answer that was lost');
    assert.is((await devicesOf(api, key)).length, 1);
    assert.is((await register(api, key, { subscription: first })).status, 201, 'the old endpoint belongs to no device');
  }));

test('if the new subscription was registered before it named the old one, one device remains', () =>
  withApi(async (api) => {
    const key = await aPerson(api, ADA);
    const [first, second] = [subscription('first'), subscription('second')];
    const { id } = deviceOf(await register(api, key, { subscription: first }));
    await register(api, key, { subscription: second });
    assert.is(deviceOf(await register(api, key, { subscription: second, replaces: first.endpoint })).id, id);
    assert.equal(valuesOf(await devicesOf(api, key), 'id'), [id]);
  }));

test('a replaced subscription counts only if it was a device of the same person', () =>
  withApi(async (api) => {
    const [ada, bob] = [await aPerson(api, ADA), await aPerson(api, BOB)];
    const first = subscription('first');
    await register(api, ada, { subscription: first });
    for (const [n, replaces] of [first.endpoint, subscription('unknown').endpoint, 'nonsense'].entries()) {
      const reply = await register(api, bob, { subscription: subscription(`of Bob's ${n}`), replaces });
      assert.is(reply.status, 201, replaces);
    }
    assert.is((await devicesOf(api, ada)).length, 1);
  }));

test('a person with as many devices as allowed can still replace a subscription', () =>
  withApi(async (api) => {
    const key = await aPerson(api, ADA);
    const all = Array.from({ length: 50 }, (_, n) => register(api, key, { subscription: subscription(`n${n}`) }));
    assert.ok((await Promise.all(all)).every(({ status }) => status === 201));
    const more = { subscription: subscription('one more') };
    assert.is((await register(api, key, more)).status, 409);
    assert.is((await register(api, key, { ...more, replaces: subscription('n7').endpoint })).status, 200);
  }));

test('a device gets a new subscription that passes the checks of the first', () =>
  withApi(async (api) => {
    const key = await aPerson(api, ADA);
    const { id } = deviceOf(await register(api, key, { subscription: subscription('first') }));
    const patch = (body: object) => api.request(`/api/v1/devices/${id}`, { method: 'PATCH', key, body });
    const google = { endpoint: 'https://fcm.googleapis.com/fcm/send/dXo', keys: browserKeys() };
    assert.is(deviceOf(await patch({ subscription: google })).push_service, 'fcm.googleapis.com');
    assert.is((await register(api, key, { subscription: google })).status, 200);
    const { endpoint } = subscription();
    const wrong: [object, string][] = [
      [{ subscription: { endpoint } }, 'subscription.keys'],
      [{ subscription: { endpoint, keys: { p256dh: 'x', auth: browserKeys().auth } } }, 'subscription.keys.p256dh'],
      [{ token: endpoint }, 'token'],
    ];
    for (const [body, field] of wrong) {
      const { status, body: answer } = await patch(body);
      assert.equal([status, Object.keys(answer.errors as object)[0]], [422, field]);
    }
  }));

test.run();

interface Device {
  readonly id: string;
  readonly name: string;
  readonly environment: null;
  readonly push_service: string;
  readonly registered_at: string;
  readonly subscriptions: readonly unknown[];
}

/** Another for each name. */
function subscription(name = 'one'): BrowserSubscription {
  const endpoint = `https://updates.push.services.mozilla.com/wpush/v2/${encodeURIComponent(name)}`;
  return { endpoint, keys: browserKeys() };
}

function register(api: Api, key: string, body: object): Promise<Reply> {
  return api.request('/api/v1/devices', { method: 'POST', key, body: { platform: 'web', ...body } });
}

function deviceOf({ body }: Reply): Device {
  return body.device as Device;
}

async function devicesOf(api: Api, key: string): Promise<readonly Device[]> {
  return (await api.request('/api/v1/devices', { key })).body.devices as Device[];
}

function withoutTime({ registered_at: _, ...device }: Device) {
  return device;
}

async function listen(api: Api, key: string, id: string): Promise<void> {
  const reply = await api.request(`/api/v1/devices/${id}/subscriptions/acme/alerts`, { method: 'PUT', key });
  assert.is(reply.status, 204);
}
