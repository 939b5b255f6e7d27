import * as assert from 'uvu/assert';
import { ADA, BOB } from '../support/cast.ts';
import { type Api, type Reply, apiTest as test } from '../support/http.ts';
import { aPerson } from '../support/sign-in.ts';
import { valuesOf } from '../support/values-of.ts';
import { anEvent } from '../support/workspace.ts';

const HOUR_MS = 3_600_000;
const inAnHour = () => new Date(Date.now() + HOUR_MS).toISOString();
const LATER = () => ({ channel: 'alerts', title: 'Maintenance begins', send_at: inAnHour() });

function idIn({ body }: Reply): string {
  return (body.event as { public_id: string }).public_id;
}

function cancel(api: Api, id: string, key: string): Promise<Reply> {
  return api.request(`/api/v1/events/${id}/cancel`, { method: 'POST', key });
}

test('an event for later is answered as any other, and reads as scheduled', async (api) => {
  const event = LATER();
  const posted = await api.post(event);
  assert.equal([posted.status, Object.keys(posted.body)], [202, ['event']]);
  const { body } = await api.request(`/api/v1/events/${idIn(posted)}`, { key: api.key });
  assert.equal(
    [body.event, body.state, body.send_at, body.cancelled_at],
    [posted.body.event, 'scheduled', event.send_at.replace('Z', '+00:00'), null],
  );
  const now = await api.post({ ...event, send_at: '2020-01-01T00:00:00+01:00' });
  const sent = await api.request(`/api/v1/events/${idIn(now)}`, { key: api.key });
  assert.equal([sent.body.state, sent.body.send_at], ['queued', '2019-12-31T23:00:00.000+00:00']);
});

test('an event that cannot wait, or is too far ahead, is refused by its field', async (api) => {
  const far = new Date(Date.now() + 721 * HOUR_MS).toISOString();
  for (const [more, field] of [
    [{ url: 'https://example.com/' }, 'url'],
    [{ image_url: 'https://example.com/a.png' }, 'image_url'],
    [{ data: { order: '1842' } }, 'data'],
    [{ send_at: far }, 'send_at'],
    [{ send_at: 'tomorrow' }, 'send_at'],
  ] as const) {
    const { status, body } = await api.post({ ...LATER(), ...more });
    assert.equal([status, Object.keys(body.errors as object)], [422, [field]]);
  }
  const { status, body } = await api.post({ ...LATER(), validate_only: true });
  assert.equal([status, body.valid], [200, true]);
});

test('if a workspace has as many scheduled events as it may, another is refused, and an immediate event is not', async (api) => {
  await api.post(LATER());
  const { workspaceId } = api;
  const later = Array.from({ length: 999 }, () => anEvent(workspaceId, { sendAtMs: Date.now() + HOUR_MS }));
  await Promise.all(later.map((event) => api.store.acceptEvent(event)));
  const { status, body } = await api.post(LATER());
  assert.is(status, 422);
  assert.match(String((body.errors as { send_at: string[] }).send_at), /^Too many scheduled events: .* 1000 /);
  assert.is((await api.post({ channel: 'alerts', title: 'Now' })).status, 202);
});

test('a key takes back what it reaches, and an owner what is of the workspace', async (api) => {
  const owner = await aPerson(api, ADA, { role: 'owner' });
  const bob = await aPerson(api, BOB);
  const [first, second] = [idIn(await api.post(LATER())), idIn(await api.post(LATER()))];
  const reader = await api.issueKey({ scopes: ['events:read'] });
  assert.is((await cancel(api, first, reader.text)).status, 403);
  await api.store.createChannel({ workspace: 'acme', slug: 'other' });
  const bound = await api.issueKey({ channels: ['other'] });
  assert.is((await cancel(api, first, bound.text)).status, 404);
  const taken = await cancel(api, first, api.key);
  assert.equal([taken.status, taken.body.state, idIn(taken)], [200, 'cancelled', first]);
  assert.equal((await cancel(api, first, api.key)).body, taken.body);
  const refused = await cancel(api, second, bob);
  assert.equal([refused.status, refused.body.code], [403, 'role_too_low']);
  assert.equal(refused.body.details, [{ code: 'role_too_low', params: {} }]);
  const byOwner = await cancel(api, second, owner);
  assert.equal([byOwner.status, byOwner.body.state], [200, 'cancelled']);
  assert.is((await cancel(api, 'evt_01m7yq1whvehx9w1n0h5r0c6ct', owner)).status, 404);
  const { body } = await api.request('/api/v1/workspaces/acme/audit?action=event.cancel', { key: owner });
  assert.equal(valuesOf(body.entries as { object: string }[], 'object'), [`${second}: before its time`]);
});

test('before its time only managers read it, and their list has it alone', async (api) => {
  const owner = await aPerson(api, ADA, { role: 'owner' });
  const bob = await aPerson(api, BOB);
  const id = idIn(await api.post(LATER()));
  await api.post({ channel: 'alerts', title: 'Now' });
  const statusFor = async (key: string) => (await api.request(`/api/v1/events/${id}`, { key })).status;
  assert.equal([await statusFor(owner), await statusFor(bob)], [200, 404]);
  const listed = async (query: string) => {
    const reply = await api.request(`/api/v1/workspaces/acme/events${query}`, { key: owner });
    return reply.status === 200 ? (reply.body.events as { title: string }[]).map(({ title }) => title) : reply.body;
  };
  assert.equal(await listed(''), ['Now']);
  assert.equal(await listed('?scheduled=true'), ['Maintenance begins']);
  assert.equal(await listed('?scheduled=true&channel=alerts&level=error'), []);
  const refused = (await listed('?scheduled=true&since=24h')) as { errors: object };
  assert.equal(Object.keys(refused.errors), ['since']);
});

test.run();
