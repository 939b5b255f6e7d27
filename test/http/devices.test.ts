import * as assert from 'uvu/assert';
import { userGone } from '../../src/store/refusals.ts';
import { androidToken } from '../support/android-token.ts';
import { ADA, BOB } from '../support/cast.ts';
import { type Api, type Reply, apiTest as test } from '../support/http.ts';
import { aPerson } from '../support/sign-in.ts';

const PHONE = { platform: 'ios', token: 'AB'.repeat(32) };

interface Device {
  readonly id: string;
  readonly name: string;
  readonly environment: string | null;
  readonly subscriptions: readonly unknown[];
}

function register(api: Api, key: string, body: unknown): Promise<Reply> {
  return api.request('/api/v1/devices', { method: 'POST', key, body });
}

function deviceOf({ body }: Reply): Device {
  return body.device as Device;
}

async function devicesOf(api: Api, key: string, query = ''): Promise<readonly Device[]> {
  const { body } = await api.request(`/api/v1/devices${query}`, { key });
  return body.devices as Device[];
}

function subscription(api: Api, key: string, method: string, device: string, place = 'acme/alerts'): Promise<Reply> {
  return api.request(`/api/v1/devices/${device}/subscriptions/${place}`, { method, key });
}

test('registering the same platform and token again updates the device', async (api) => {
  const key = await aPerson(api, ADA);
  const first = await register(api, key, PHONE);
  const again = await register(api, key, { ...PHONE, token: PHONE.token.toLowerCase(), name: 'Phone' });
  assert.equal([first.status, again.status], [201, 200]);
  assert.is(deviceOf(again).id, deviceOf(first).id);
  assert.equal([deviceOf(first).name, deviceOf(again).name], ['iOS device', 'Phone']);
  assert.equal(await devicesOf(api, key), [deviceOf(again)]);
  assert.not.match(first.text, /abab/i);
});

test('all that is wrong with a registration is said, in full sentences', async (api) => {
  const key = await aPerson(api, ADA);
  const cases: [unknown, Record<string, readonly string[]>][] = [
    [{}, { platform: ['The platform field is required.'] }],
    [{ platform: 'ios' }, { token: ['The token field is required.'] }],
    [{ platform: 'android' }, { token: ['The token field is required.'] }],
    [
      { platform: 'symbian', token: 1, name: 1 },
      {
        platform: ['The platform field must be one of ios, android, web.'],
        token: ['The token field must be a string.'],
        name: ['The name field must be a string.'],
      },
    ],
    [
      { platform: 'ios', token: 'xyz' },
      { token: ['The token field must be an even number of hexadecimal digits, from 16 to 200.'] },
    ],
    [
      { platform: 'android', token: 'a blank', environment: 'sandbox', name: '' },
      {
        token: [
          'The token field must be an FCM registration token of 32 to 4096 printable characters, without spaces.',
        ],
        environment: ['The environment field is for iOS devices only.'],
      },
    ],
  ];
  for (const [body, errors] of cases) {
    const reply = await register(api, key, body);
    assert.equal([reply.status, reply.body.errors], [422, errors]);
  }
});

test('a token that another member registers becomes theirs, without its subscriptions', async (api) => {
  const [ada, bob] = [await aPerson(api, ADA), await aPerson(api, BOB)];
  const { id } = deviceOf(await register(api, ada, PHONE));
  await subscription(api, ada, 'PUT', id);
  const moved = await register(api, bob, PHONE);
  assert.is(moved.status, 201);
  assert.equal(deviceOf(moved).subscriptions, []);
  assert.equal(await devicesOf(api, ada), []);
});

test('a device gets a new token or name, and goes', async (api) => {
  const key = await aPerson(api, ADA);
  const { id } = deviceOf(await register(api, key, PHONE));
  const path = `/api/v1/devices/${id}`;
  const patch = (body: unknown) => api.request(path, { method: 'PATCH', key, body });
  assert.is(deviceOf(await patch({ name: 'Mine' })).name, 'Mine');
  assert.is(deviceOf(await patch({ token: 'cd'.repeat(32), environment: 'sandbox' })).environment, 'sandbox');
  assert.equal((await patch({ environment: 'sandbox' })).body.errors, {
    token: ['The token field is required with environment.'],
  });
  assert.equal((await patch({ token: 'nonsense' })).status, 422);
  assert.is((await api.request(path, { method: 'DELETE', key })).status, 204);
  assert.is((await api.request(path, { method: 'DELETE', key })).status, 404);
});

test('subscribing and unsubscribing can be repeated', async (api) => {
  const key = await aPerson(api, ADA);
  const { id } = deviceOf(await register(api, key, PHONE));
  for (const method of ['PUT', 'PUT', 'DELETE', 'DELETE', 'PUT']) {
    assert.is((await subscription(api, key, method, id)).status, 204, method);
  }
  assert.equal((await devicesOf(api, key))[0]?.subscriptions, [
    { workspace: 'acme', channel: 'alerts', min_level: null, muted_until: null },
  ]);
  const { body } = await api.request('/api/v1/workspaces/acme/channels', { key });
  assert.equal(body, {
    channels: [
      {
        slug: 'alerts',
        name: 'alerts',
        status: 'active',
        device_count: 1,
        insist: null,
        quiet: null,
        rings: null,
        devices: [id],
      },
    ],
    next: null,
  });
  const rest = await api.request('/api/v1/workspaces/acme/channels?after=alerts', { key });
  assert.equal(rest.body, { channels: [], next: null });
  const found = async (query: string) =>
    (await api.request(`/api/v1/workspaces/acme/channels?${query}`, { key })).text.includes('"slug":"alerts"');
  assert.equal([await found('q=ALER&limit=1'), await found('q=other')], [true, false]);
  const wrong = await api.request('/api/v1/workspaces/acme/channels?q=&limit=101', { key });
  assert.equal([wrong.status, Object.keys(wrong.body.errors ?? {})], [422, ['q', 'limit']]);
});

test('a subscription says what is muted of the channel, each time all of it', async (api) => {
  const key = await aPerson(api, ADA);
  const { id } = deviceOf(await register(api, key, PHONE));
  const put = (body?: unknown) =>
    api.request(`/api/v1/devices/${id}/subscriptions/acme/alerts`, { method: 'PUT', key, body });
  const muted = async () => (await devicesOf(api, key))[0]?.subscriptions;
  const place = { workspace: 'acme', channel: 'alerts' };
  assert.is((await put({ min_level: 'warning', muted_until: '2030-01-02T08:00:00+01:00' })).status, 204);
  const until = '2030-01-02T07:00:00.000+00:00';
  assert.equal(await muted(), [{ ...place, min_level: 'warning', muted_until: until }]);
  const wrong = await put({ min_level: 'urgent', muted_until: '8 in the morning' });
  assert.equal(
    [wrong.status, wrong.body.errors],
    [
      422,
      {
        min_level: ['The min_level field must be one of info, success, warning, error.'],
        muted_until: [
          'The muted_until field must be a time in ISO 8601 with an explicit offset, such as 2026-11-21T09:30:00Z.',
        ],
      },
    ],
  );
  assert.equal(await muted(), [{ ...place, min_level: 'warning', muted_until: until }]);
  assert.is((await put({ muted_until: '9999-12-31T23:59:59Z' })).status, 204);
  assert.equal(await muted(), [{ ...place, min_level: null, muted_until: '9999-12-31T23:59:59.000+00:00' }]);
  assert.is((await put()).status, 204);
  assert.equal(await muted(), [{ ...place, min_level: null, muted_until: null }]);
});

test('a subscription that fails says whether the device is missing or the channel, of others as of none', async (api) => {
  await api.addWorkspace('umbrella', { channels: ['secret'] });
  const [ada, bob] = [await aPerson(api, ADA), await aPerson(api, BOB)];
  const { id } = deviceOf(await register(api, ada, PHONE));
  const { id: theirs } = deviceOf(await register(api, bob, { ...PHONE, token: 'cd'.repeat(32) }));
  const [device, channel] = ['You have no such device.', 'There is no such channel in a workspace of yours.'];
  for (const [of, place, message] of [
    [theirs, 'acme/alerts', device],
    ['dev_0000000000000000', 'acme/alerts', device],
    [id, 'acme/none', channel],
    [id, 'umbrella/secret', channel],
    [id, 'none/alerts', channel],
  ] as const) {
    for (const method of ['PUT', 'DELETE']) {
      const { status, body } = await subscription(api, ada, method, of, place);
      assert.equal([status, body.message], [404, message], `${method} ${of} ${place}`);
    }
  }
});

test('devices come in pages', async (api) => {
  const key = await aPerson(api, ADA);
  for (let at = 0; at < 5; at += 1) await register(api, key, { platform: 'android', token: androidToken(at) });
  const all = await devicesOf(api, key);
  const { body } = await api.request('/api/v1/devices?limit=3', { key });
  assert.equal(body.devices, all.slice(0, 3));
  assert.equal(await devicesOf(api, key, `?limit=3&after=${body.next}`), all.slice(3));
  for (const limit of ['0', '101', 'x', '', '05', '2.0', '1e1', '%202', '-1']) {
    const { status, body } = await api.request(`/api/v1/devices?limit=${limit}`, { key });
    assert.is(status, 422, limit);
    assert.equal(body.errors, { limit: ['The limit field must be a whole number from 1 to 100.'] }, limit);
  }
  const lost = await api.request('/api/v1/devices?after=nonsense', { key });
  assert.equal([lost.status, Object.keys(lost.body.errors as object)], [422, ['after']]);
});

test('no member registers more than 50 devices', async (api) => {
  const key = await aPerson(api, ADA);
  const register50 = Array.from({ length: 50 }, (_, at) =>
    register(api, key, { platform: 'android', token: androidToken(at) }),
  );
  assert.ok((await Promise.all(register50)).every(({ status }) => status === 201));
  const invalid = await register(api, key, { platform: 'android', token: 'one more' });
  assert.is(invalid.status, 422);
  const tooMany = await register(api, key, { platform: 'android', token: androidToken('one more') });
  assert.equal([tooMany.status, tooMany.body.code], [409, 'conflict']);
  assert.is((await register(api, key, { platform: 'android', token: androidToken(7) })).status, 200);
});

test('a test push is queued, five times a minute, and counts no usage', async (api) => {
  const key = await aPerson(api, ADA);
  const { id } = deviceOf(await register(api, key, PHONE));
  const test = () => api.request(`/api/v1/devices/${id}/test`, { method: 'POST', key });
  for (let at = 0; at < 5; at += 1) assert.is((await test()).status, 202);
  const refused = await test();
  assert.equal([refused.status, refused.body.code], [429, 'test_throttled']);
  assert.is(refused.headers['ratelimit-policy'], '"tests";q=5;w=60');
  assert.is((await api.request('/api/v1/usage', { key: api.key })).body.used, 0);
});

test('a person who is removed from their last workspace while they register a device is signed out', {
  store: { registerDevice: async () => userGone() },
}, async (api) => {
  const reply = await register(api, await aPerson(api, ADA), PHONE);
  assert.equal([reply.status, reply.body.code], [401, 'not_signed_in']);
});

test.run();
