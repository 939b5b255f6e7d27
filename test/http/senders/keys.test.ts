import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type SenderScene, withSender } from '../../support/senders.ts';

const base64url = (text: string): string => Buffer.from(text).toString('base64url');
const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

const post = ({ api }: SenderScene, authorization: string) =>
  api.request('/senders/ntfy/alerts', { method: 'POST', headers: { Authorization: authorization }, body: 'x' });
const postWith = ({ api }: SenderScene, auth: string) =>
  api.request(`/senders/ntfy/alerts?auth=${base64url(auth)}`, { method: 'POST', body: 'x' });

test('a key is accepted as Bearer, as the password of Basic and in the address', () =>
  withSender({}, async (scene) => {
    for (const form of ['pctl_', 'tk_', 'gtfya.'] as const) {
      const key = scene.key(form);
      for (const authorization of [`Bearer ${key}`, basic(`:${key}`), basic(`ada:${key}`)]) {
        assert.is((await post(scene, authorization)).status, 200, authorization);
        assert.is((await postWith(scene, authorization)).status, 200, authorization);
      }
    }
  }));

test('every form is checked alike: mistyped, wrong, revoked, expired, without the scope', () =>
  withSender({}, async (scene) => {
    const { api, key } = scene;
    const statusOf = async (text: string) => (await post(scene, `Bearer ${text}`)).status;
    for (const form of ['pctl_', 'tk_', 'gtfya.'] as const) {
      const typo = key(form).replace(/.$/, (last) => (last === '7' ? '8' : '7'));
      assert.is(await statusOf(typo), 401);
    }
    const { id, text: revoked } = await api.issueKey();
    await api.store.revokeKey({ id });
    const { text: reading } = await api.issueKey({ scopes: ['events:read'] });
    for (const text of [revoked, reading]) {
      for (const [prefix, rest] of [
        ['tk_', text.replace(/^pctl_(.{12})_/, '$1')],
        ['gtfya.', text.replace(/^pctl_(.{12})_/, '$1')],
      ]) {
        assert.is(await statusOf(`${prefix}${rest}`), 403);
      }
    }
  }));

test('a key in an address must be bound to exactly one channel, also after that has changed', () =>
  withSender({ channels: ['alerts', 'builds'] }, async (scene) => {
    const { api } = scene;
    const { text: unbound } = await api.issueKey();
    const { text: twice } = await api.issueKey({ channels: ['alerts', 'builds'] });
    for (const key of [unbound, twice]) {
      const { status, body } = await postWith(scene, `Bearer ${key}`);
      assert.is(status, 403);
      assert.match(String(body.error), /must be bound to exactly one channel/);
      assert.is((await post(scene, `Bearer ${key}`)).status, 200, 'elsewhere it may be any');
    }
    const { text: bound } = await api.issueKey({ channels: ['builds'] });
    assert.is((await postWith(scene, `Bearer ${bound}`)).status, 404, 'another channel');
    await api.store.updateChannel({ workspace: 'acme', slug: 'builds', newSlug: 'ci' });
    const reply = await api.request(`/senders/ntfy?auth=${base64url(`Bearer ${bound}`)}`, { method: 'POST', body: {} });
    assert.equal([reply.status, reply.body.topic], [200, 'ci'], 'the only channel, by its new name');
  }));

test('a session token is none', () =>
  withSender({}, async (scene) => {
    const reply = await post(scene, `Bearer pses_${'x'.repeat(43)}`);
    assert.is(reply.status, 401);
    assert.match(String(reply.body.error), /needs an API key/);
  }));

test('a body is not read before the key is known', () =>
  withSender({}, async (scene) => {
    const { api } = scene;
    const { exchangeBytes } = await import('../../support/http.ts');
    const head =
      'POST /senders/ntfy/alerts HTTP/1.1\r\nHost: x\r\nContent-Length: 4194304\r\nConnection: close\r\n\r\n';
    const answer = await exchangeBytes(api.http.url, head);
    assert.match(answer, /^HTTP\/1\.1 401 /);
  }));

test.run();
