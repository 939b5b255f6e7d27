import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withSender } from '../../support/senders.ts';

const HOST = { hosts: { 'ntfy.example.com': 'ntfy' } };

test('at its host a format stands at the root, below its own address, and nowhere else', () =>
  withSender(HOST, async ({ api, key, accepted }) => {
    const post = (path: string, host: string) =>
      api.request(path, {
        method: 'POST',
        key: key(),
        headers: { Host: host },
        body: { topic: 'alerts', message: 'x' },
      });
    for (const host of ['ntfy.example.com', 'NTFY.example.com:8443']) {
      for (const path of ['/', '/alerts', '/alerts/', '//alerts', '/senders/ntfy', '/senders/ntfy/alerts']) {
        assert.is((await post(path, host)).status, 200, `${host} ${path}`);
      }
    }
    assert.is(accepted.length, 12);
    for (const host of ['push.example.com', 'ntfy.example.com.evil.example', 'constructor']) {
      assert.is((await post('/alerts', host)).status, 404, host);
    }
  }));

test('a channel may have the name of an address of ours, and our own addresses stay in place', () =>
  withSender({ ...HOST, channels: ['healthz', 'alerts'] }, async ({ api }) => {
    const { text: key } = await api.issueKey();
    const headers = { Host: 'ntfy.example.com' };
    assert.is((await api.request('/healthz', { method: 'POST', key, headers, body: 'x' })).body.topic, 'healthz');
    assert.equal((await api.request('/healthz', { headers })).body.status, 'ok');
    assert.equal((await api.request('/v1/health', { headers })).body, { healthy: true });
    const unknown = '/ping/0f7d3a52-6b1c-4e8d-9a2f-3c4b5d6e7f80';
    assert.is((await api.request(unknown, { method: 'POST', key, headers, body: 'x' })).text, 'not found');
    const posted = { method: 'POST', key, headers, body: { channel: 'alerts', title: 'x' } };
    assert.is((await api.request('/api/v1/events', posted)).status, 202);
    const { status, headers: answered } = await api.request('/alerts', { method: 'DELETE', key, headers });
    assert.equal([status, answered.allow], [405, 'POST, PUT']);
  }));

test.run();
