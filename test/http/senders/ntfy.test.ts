import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ADA } from '../../support/cast.ts';
import { withSender } from '../../support/senders.ts';
import { aPerson } from '../../support/sign-in.ts';

test('a message in JSON is accepted, and answered as ntfy does', () =>
  withSender({}, async ({ api, key, last }) => {
    const body = { topic: 'alerts', title: 'Disk full', message: '2 GB left', priority: 5, tags: ['warning', 'db-1'] };
    for (const path of ['/senders/ntfy', '/senders/ntfy/']) {
      const reply = await api.request(path, { method: 'POST', key: key('tk_'), body });
      assert.is(reply.status, 200, reply.text);
      const { id, time, expires, ...rest } = reply.body;
      assert.match(String(id), /^evt_/);
      assert.is(Number(expires) - Number(time), 7_776_000);
      assert.equal(rest, {
        event: 'message',
        topic: 'alerts',
        title: 'Disk full',
        message: '2 GB left',
        priority: 5,
        tags: ['warning', 'db-1'],
      });
      const { title, description, level, urgency } = last();
      assert.equal([title, description], ['⚠️ Disk full', '2 GB left\n\nTags: db-1']);
      assert.equal([level, urgency], ['warning', 'time_sensitive']);
    }
  }));

test('a text is accepted with POST, PUT and GET', () =>
  withSender({}, async ({ api, key, accepted }) => {
    // Node's client writes header fields as Latin-1 before a body of bytes: these are the bytes of UTF-8.
    const headers = {
      Title: Buffer.from('Straße').toString('latin1'),
      'Content-Type': 'application/x-www-form-urlencoded',
    };
    for (const method of ['POST', 'PUT']) {
      const options = { method, key: key(), headers, body: Buffer.from('a=b') };
      assert.is((await api.request('/senders/ntfy/alerts', options)).status, 200);
    }
    for (const verb of ['publish', 'send', 'trigger']) {
      const query = `?title=${encodeURIComponent('Straße')}&message=a%3Db`;
      assert.is((await api.request(`/senders/ntfy/alerts/${verb}${query}`, { key: key() })).status, 200);
    }
    assert.is(accepted.length, 5);
    for (const event of accepted) assert.equal([event.title, event.description], ['Straße', 'a=b']);
  }));

test('an address with a sequence names what a message replaces, cancels and resolves', () =>
  withSender({}, async ({ api, key, accepted, last }) => {
    const owner = await aPerson(api, ADA, { role: 'owner' });
    const insist = { method: 'PATCH', key: owner, body: { insist: { repeat: 120 } } };
    await api.request('/api/v1/workspaces/acme/channels/alerts', insist);
    const at = (method: string, place: string, headers: Record<string, string> = { Priority: 'urgent' }) =>
      api.request(`/senders/ntfy/alerts/${place}`, {
        method,
        key: key(),
        headers,
        ...(method !== 'DELETE' && { body: 'x' }),
      });
    const live = async () => ((await api.request('/api/v1/alerts', { key: owner })).body.alerts as object[]).length;
    const { text: reader } = await api.issueKey({ scopes: ['events:read'] });
    const stateOf = async (id: unknown) => (await api.request(`/api/v1/events/${id}`, { key: reader })).body.state;
    const { body } = await at('POST', 'disk');
    assert.equal([last().collapseKey, body.sequence_id], ['disk', 'disk']);
    for (const place of ['auth', 'json']) {
      await at('PUT', place);
      assert.is(last().collapseKey, place);
    }
    assert.is((await at('POST', 'publish')).body.sequence_id, undefined);
    assert.is(last().collapseKey, null);
    assert.is(await live(), 4);
    for (const [method, place, event] of [
      ['DELETE', 'disk', 'message_delete'],
      ['PUT', 'auth/clear', 'message_clear'],
      ['PUT', 'json/read/', 'message_clear'],
      ['DELETE', 'unknown', 'message_delete'],
    ] as const) {
      const reply = await at(method, place);
      assert.equal([reply.status, reply.body.event, reply.body.sequence_id], [200, event, place.split('/')[0]]);
    }
    assert.is(await live(), 1);
    const ids: unknown[] = [];
    for (const place of ['later', 'later', 'publish']) ids.push((await at('POST', place, { In: '1 hour' })).body.id);
    const states = () => Promise.all(ids.map(stateOf));
    assert.equal(await states(), ['scheduled', 'scheduled', 'scheduled']);
    await at('DELETE', 'later');
    assert.equal(await states(), ['cancelled', 'cancelled', 'scheduled']);
    await at('DELETE', String(ids[2]));
    assert.equal(await states(), ['cancelled', 'cancelled', 'cancelled']);
    assert.is(accepted.length, 7);
    assert.is((await api.request('/senders/ntfy/nowhere/x', { method: 'DELETE', key: key() })).status, 200);
  }));

test('every client may ask for the health, and one with a key for the account', () =>
  withSender({}, async ({ api, key }) => {
    assert.equal((await api.request('/senders/ntfy/v1/health')).body, { healthy: true });
    assert.is((await api.request('/senders/ntfy/v1/account')).status, 401);
    const { status, body } = await api.request('/senders/ntfy/v1/account', { key: key('tk_') });
    assert.equal([status, body.username, body.role], [200, 'acme', 'user']);
    assert.is((body.stats as { messages: number }).messages, 0);
  }));

test('a request for a token gets the key of the request', () =>
  withSender({}, async ({ api, key }) => {
    const path = '/senders/ntfy/v1/account/token';
    const password = Buffer.from(`acme:${key('tk_')}`).toString('base64');
    const options = {
      method: 'POST',
      headers: { authorization: `Basic ${password}` },
      body: { label: 'Home Assistant' },
    };
    const { status, body } = await api.request(path, options);
    assert.equal([status, body], [200, { token: key('tk_') }]);
    assert.is((await api.request(path, { method: 'POST', body: {} })).status, 401);
  }));

test('a delayed message is sent later, without its link, and the answer has its time', () =>
  withSender({}, async ({ api, key, last }) => {
    const headers = { In: '2 hours', Click: 'https://example.com/' };
    const {
      status,
      body,
      headers: answered,
    } = await api.request('/senders/ntfy/alerts', {
      method: 'POST',
      key: key(),
      headers,
      body: 'x',
    });
    const sendAtMs = last().sendAtMs ?? 0;
    assert.equal([status, body.time, answered['pushctl-shortened']], [200, Math.floor(sendAtMs / 1_000), 'url']);
    assert.equal([last().hadLinks, sendAtMs > Date.now() + 7_000_000], [false, true]);
  }));

test('a refused request stores nothing, and subscribing is forbidden as with a write-only token', () =>
  withSender({}, async ({ api, key, accepted }) => {
    const post = (headers: Record<string, string>) =>
      api.request('/senders/ntfy/alerts', { method: 'POST', key: key(), headers, body: 'x' });
    for (const headers of [{ Delay: 'whenever' }, { Template: 'github' }] as Record<string, string>[]) {
      const { status, body } = await post(headers);
      assert.equal([status, body.http], [400, 400]);
    }
    for (const way of ['json', 'sse', 'raw', 'ws', 'auth']) {
      const { status, body } = await api.request(`/senders/ntfy/alerts/${way}`, { key: key() });
      assert.equal([status, body.code, body.error], [403, 40301, 'forbidden']);
    }
    assert.is(accepted.length, 0);
    const { headers } = await post({ Icon: 'https://example.com/a.png', Actions: 'http, Close, https://example.com/' });
    assert.is(headers['pushctl-shortened'], 'actions, icon');
    assert.is((await post({ Filename: 'a.jpg' })).headers['pushctl-shortened'], 'attachment');
  }));

test('errors are answered as ntfy answers them', () =>
  withSender({}, async ({ api, key }) => {
    const unknown = await api.request('/senders/ntfy/nowhere', { method: 'POST', key: key(), body: 'x' });
    assert.equal([unknown.status, unknown.body.code, unknown.body.http], [404, 40401, 404]);
    const anonymous = await api.request('/senders/ntfy/alerts', { method: 'POST', body: 'x' });
    assert.equal([anonymous.status, anonymous.body.code, anonymous.body.http], [401, 40101, 401]);
    assert.is(anonymous.headers['www-authenticate'], 'Bearer');
    const nothing = await api.request('/senders/ntfy/v1/version', { key: key() });
    assert.equal([nothing.status, nothing.body.code, nothing.body.http], [404, 40401, 404]);
  }));

test.run();
