import * as assert from 'uvu/assert';
import { ADA, BOB } from '../support/cast.ts';
import { type Api, type Reply, apiTest as test } from '../support/http.ts';
import { granted } from '../support/refusals.ts';
import { aPerson, signIn } from '../support/sign-in.ts';

const AT = '2026-11-21T09:30:02.410Z';
const ALERT = { channel: 'alerts', title: 'Disk full', level: 'error', delivery_urgency: 'time_sensitive' };

interface Registered {
  readonly id: string;
  readonly token: string;
  readonly session: string;
}

async function register(api: Api, email: string, letter: string, before?: string): Promise<Registered> {
  const session = before ?? (await aPerson(api, email));
  const body = { platform: 'ios', token: letter.repeat(64) };
  const { body: answer } = await api.request('/api/v1/devices', { method: 'POST', key: session, body });
  const { id } = answer.device as { id: string };
  await api.request(`/api/v1/devices/${id}/subscriptions/acme/alerts`, { method: 'PUT', key: session });
  return { id, token: String(answer.device_token), session };
}

function report(api: Api, id: string, key: string, body: object): Promise<Reply> {
  return api.request(`/api/v1/devices/${id}/shown`, { method: 'POST', key, body });
}

async function anAlert(api: Api, collapseKey = 'disk'): Promise<string> {
  granted(await api.store.updateChannel({ workspace: 'acme', slug: 'alerts', insist: { repeat: 120, until: 3_600 } }));
  const { body } = await api.post({ ...ALERT, collapse_key: collapseKey });
  return (body.event as { public_id: string }).public_id;
}

async function countsOf(api: Api, publicId: string) {
  const { body } = await api.request(`/api/v1/events/${publicId}`, { key: api.key });
  const { shown, opened } = body.deliveries as { shown: number; opened: number };
  return { shown, opened };
}

test('a device reports by its own unstored token until the device ends, even after the session', async (api) => {
  const { id, token, session } = await register(api, ADA, 'a');
  assert.match(token, /^pdev_[\w-]{43}$/);
  const event_id = await anAlert(api);
  await api.request('/api/v1/session', { method: 'DELETE', key: session });
  assert.is((await report(api, id, token, { event_id, at: AT })).status, 204);
  assert.is((await report(api, id, token, { event_id, at: AT, opened: true })).status, 204);
  assert.equal(await countsOf(api, event_id), { shown: 1, opened: 1 });
  const { text } = await api.request('/api/v1/devices', { key: await signIn(api, ADA) });
  assert.not.match(text, /pdev_|device_token/);
  assert.not.match(api.log(), /pdev_/);
  granted(await api.store.removeDevice({ id }));
  assert.is((await report(api, id, token, { event_id, at: AT })).status, 404);
});

test("a device token does nothing else, and no other token reports; another person's device is not found", async (api) => {
  const [ada, bob] = [await register(api, ADA, 'a'), await register(api, BOB, 'b')];
  const event_id = await anAlert(api);
  const body = { event_id, at: AT };
  assert.is((await report(api, bob.id, ada.token, body)).status, 404);
  for (const key of [ada.session, api.key, 'pdev_short']) {
    const { status, body: error } = await report(api, ada.id, key, body);
    assert.equal([status, error.code], [401, 'wrong_device_token']);
  }
  for (const path of ['/api/v1/session', '/api/v1/devices', '/api/v1/events', `/api/v1/events/${event_id}`]) {
    assert.is((await api.request(path, { key: ada.token })).status, 401, path);
  }
  assert.equal(await countsOf(api, event_id), { shown: 0, opened: 0 });
});

test('reports that were kept come with the next one, and wrong ones are refused', async (api) => {
  const { id, token } = await register(api, ADA, 'a');
  const [first, second] = [await anAlert(api, 'one'), await anAlert(api, 'two')];
  const gone = { event_id: 'evt_01m7yq1whvehx9w1n0h5r0c6ct', at: AT };
  const earlier = [{ event_id: first, at: AT, opened: true }, gone];
  assert.is((await report(api, id, token, { event_id: second, at: AT, earlier })).status, 204);
  assert.equal(await countsOf(api, first), { shown: 1, opened: 1 });
  assert.equal(await countsOf(api, second), { shown: 1, opened: 0 });
  assert.is((await report(api, id, token, gone)).status, 404);
  const wrong = await report(api, id, token, { event_id: 'x', at: 'now', earlier: Array(21).fill(gone) });
  assert.equal([wrong.status, Object.keys(wrong.body.errors as object)], [422, ['event_id', 'at', 'earlier']]);
});

test('a device may report 60 times a minute, and what is beyond costs the store nothing', async (api) => {
  const { id, token } = await register(api, ADA, 'a');
  const event_id = await anAlert(api);
  let calls = 0;
  api.store.onDone(() => {
    calls += 1;
  });
  const statuses = new Map<number, number>();
  for (let nth = 0; nth < 200; nth += 1) {
    const { status } = await report(api, id, token, { event_id, at: AT });
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  assert.equal(
    [...statuses],
    [
      [204, 60],
      [429, 140],
    ],
  );
  assert.ok(calls <= 62, `${calls} calls`);
  const { headers, body } = await report(api, id, token, { event_id, at: AT });
  assert.is(body.code, 'report_throttled');
  assert.ok(Number(headers['retry-after']) > 30);
});

test('registering again replaces the token', async (api) => {
  const first = await register(api, ADA, 'a');
  const second = await register(api, ADA, 'a', first.session);
  const event_id = await anAlert(api);
  assert.is((await report(api, first.id, first.token, { event_id, at: AT })).status, 404);
  assert.is((await report(api, second.id, second.token, { event_id, at: AT })).status, 204);
});

test('without receipts, devices get no token and no report is taken', { receipts: false }, async (api) => {
  const { id, token } = await register(api, ADA, 'a');
  assert.is(token, 'null');
  const wellFormed = `pdev_${'a'.repeat(42)}A`;
  const { status, body } = await report(api, id, wellFormed, { event_id: await anAlert(api), at: AT });
  assert.equal([status, body.code], [401, 'wrong_device_token']);
});

test.run();
