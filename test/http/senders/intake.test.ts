import { deflateSync, gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withSender } from '../../support/senders.ts';

const MANY = { limits: { burstPerMinute: 1_000 } };

test('texts are shortened and bad links left out, and a header field names both', () =>
  withSender({}, async ({ api, key, last }) => {
    const headers = { Title: 't'.repeat(256), Click: 'not a link' };
    const options = { method: 'POST', key: key(), headers, body: 'm'.repeat(1_001) };
    const reply = await api.request('/senders/ntfy/alerts', options);
    assert.equal([reply.status, reply.headers['pushctl-shortened']], [200, 'title, description, url']);
    assert.equal([last().title.length, last().description?.length, last().hadLinks], [255, 1_000, false]);
    const { headers: short } = await api.request('/senders/ntfy/alerts', { method: 'POST', key: key(), body: 'x' });
    assert.is(short['pushctl-shortened'], undefined);
  }));

test('a good link is held in memory until its push is sent', () =>
  withSender({ devices: { ios: 1 }, owner: 'ada@example.com' }, async ({ api, key }) => {
    const headers = { Click: 'https://example.com/1' };
    const { body } = await api.request('/senders/ntfy/alerts', { method: 'POST', key: key(), headers, body: 'x' });
    assert.equal(api.held.get(String(body.id)), { url: 'https://example.com/1' });
  }));

test('bodies of 64 KiB and more are taken, compressed ones too, and other encodings rejected', () =>
  withSender({}, async ({ api, key, last }) => {
    const plain = 'x'.repeat(65_536);
    const json = `${'{"text":"'.padEnd(65_534, 'x')}"}`;
    for (const [path, most] of [
      ['/senders/ntfy/alerts', plain],
      ['/senders/gotify/message', plain],
      [`/senders/slack/${key()}`, json],
    ] as const) {
      const post = (body: string | Buffer, headers = {}) =>
        api.request(path, { method: 'POST', key: key(), body, headers });
      assert.is((await post(most)).status, 200);
      assert.is(last().title.length, 255);
      assert.is((await post(gzipSync(most), { 'Content-Encoding': 'gzip' })).status, 200);
      assert.is((await post(`${most} `)).status, 200);
      assert.is((await post(deflateSync('x'), { 'Content-Encoding': 'deflate' })).status, 415);
    }
    const ntfy = { method: 'POST', key: key(), headers: { 'Content-Encoding': 'gzip', 'Content-Type': 'text/plain' } };
    assert.is((await api.request('/senders/ntfy/alerts', { ...ntfy, body: gzipSync(`${plain}x`) })).status, 200);
  }));

test('bodies of all senders are decoded as they declare', () =>
  withSender(MANY, async ({ api, key, last }) => {
    const fields = JSON.stringify({ title: 'Größe', message: 'x', text: 'Größe' });
    const trigger = JSON.stringify({ event_action: 'trigger', routing_key: key(), payload: { summary: 'Größe' } });
    for (const [path, body, type = 'application/json'] of [
      ['/senders/ntfy/alerts', 'Größe', 'text/plain'],
      ['/senders/ntfy/alerts', fields],
      ['/senders/gotify/message', fields],
      ['/senders/alertmanager/alerts', fields],
      ['/senders/json/alerts', fields],
      [`/senders/slack/${key()}`, fields],
      ['/senders/pagerduty/v2/enqueue', trigger],
    ] as const) {
      for (const [encoding, charset] of [
        ['latin1', 'iso-8859-1'],
        ['utf16le', 'utf-16'],
      ] as const) {
        const headers = { 'Content-Type': `${type}; charset=${charset}`, 'X-Gotify-Key': key() };
        const auth = path.includes('pagerduty') ? {} : { key: key() };
        await api.request(path, { method: 'POST', body: Buffer.from(body, encoding), headers, ...auth });
        assert.is(last().title, 'Größe', `${path} ${charset}`);
        await api.request('/senders/ntfy/alerts', { method: 'POST', key: key(), body: 'between' });
      }
    }
  }));

test('bytes that are no UTF-8 are read as Windows-1252, and half a surrogate pair is replaced', () =>
  withSender({}, async ({ api, key, last }) => {
    await api.request('/senders/ntfy/alerts', { method: 'POST', key: key(), body: Buffer.from([0x61, 0xff, 0x62]) });
    assert.is(last().title, 'aÿb');
    const body = '{"topic": "alerts", "message": "a\\ud83d", "click": "https://example.com/\\ud83d"}';
    const reply = await api.request('/senders/ntfy', { method: 'POST', key: key(), body });
    assert.equal([reply.status, last().title, reply.headers['pushctl-shortened']], [200, 'a\ufffd', 'url']);
  }));

test('a spent burst limit is a 429 with the time to wait for ntfy, because its senders know that status', () =>
  withSender({ limits: { burstPerMinute: 1 } }, async ({ api, key }) => {
    const options = { method: 'POST', key: key(), body: 'x' };
    assert.is((await api.request('/senders/ntfy/alerts', options)).status, 200);
    const reply = await api.request('/senders/ntfy/alerts', options);
    assert.equal([reply.status, reply.body.code], [429, 42901]);
    assert.ok(Number(reply.headers['retry-after']) > 0);
    assert.is((await api.post({ channel: 'alerts', title: 'x' }, { key: key() })).status, 429, 'one limit for both');
  }));

test('a spent allowance is answered as it is elsewhere', () =>
  withSender({}, async ({ api, key }) => {
    await api.store.setPlan({ name: 'none', monthlyEvents: 0 });
    await api.store.setWorkspacePlan({ slug: 'acme', plan: 'none' });
    const reply = await api.request('/senders/ntfy/alerts', { method: 'POST', key: key(), body: 'x' });
    assert.is(reply.status, 429);
    assert.match(String(reply.body.error), /allowance/);
  }));

test('a wrong method is answered 405, and a HEAD publishes nothing', () =>
  withSender({}, async ({ api, key, accepted }) => {
    for (const [method, path, allowed] of [
      ['GET', '/senders/ntfy/alerts', 'POST, PUT'],
      ['DELETE', '/senders/ntfy', 'POST, PUT'],
      ['DELETE', '/senders/ntfy/alerts/publish', 'HEAD, GET, POST, PUT'],
      ['HEAD', '/senders/ntfy/alerts/publish', 'GET'],
      ['PUT', '/senders//gotify/message/', 'POST'],
      ['POST', '/senders/ntfy/v1/health', 'HEAD, GET'],
    ] as const) {
      const reply = await api.request(path, { method, key: key() });
      assert.equal([reply.status, reply.headers.allow], [405, allowed], `${method} ${path}`);
    }
    assert.is((await api.request('/senders/ntfy/v1/health', { method: 'HEAD' })).status, 200);
    assert.is((await api.request('/senders/nothing', { method: 'POST', key: key() })).status, 404);
    assert.is(accepted.length, 0);
  }));

test('too many requests in flight are refused in words of the format', () =>
  withSender({ maxInFlight: 0 }, async ({ api, key }) => {
    const reply = await api.request('/senders/ntfy/alerts', { method: 'POST', key: key(), body: 'x' });
    assert.equal([reply.status, reply.body.http, reply.headers['retry-after']], [503, 503, '1']);
  }));

test('a sender with an idempotency key of its own makes one event of it, however long that key is', () =>
  withSender({}, async ({ api, key, accepted }) => {
    const post = (name: string) => {
      const headers = { 'Idempotency-Key': name };
      return api.request('/senders/ntfy/alerts', { method: 'POST', key: key(), headers, body: 'x' });
    };
    assert.is((await post('run-1')).body.id, (await post('run-1')).body.id);
    assert.is(accepted.length, 1);
    const [long, longer] = ['k'.repeat(256), 'k'.repeat(257)];
    const first = await post(long);
    assert.equal([first.status, first.headers['pushctl-shortened']], [200, undefined]);
    assert.is((await post(long)).body.id, first.body.id);
    assert.is.not((await post(longer)).body.id, first.body.id);
    assert.is(accepted.length, 3);
  }));

test.run();
