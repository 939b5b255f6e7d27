import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StoreUnavailable } from '../../../src/store/calls.ts';
import { type SenderScene, withSender } from '../../support/senders.ts';

/** Stands wherever a sender can put something of its own. */
const MARK = 'hush7';

/** Requests that are taken and requests that are not, with the key in each place. */
async function sayItEverywhere({ api, key }: SenderScene): Promise<void> {
  const headers = { Referer: `https://example.com/${MARK}`, 'User-Agent': MARK, Title: MARK, Click: MARK, Tags: MARK };
  const auth = Buffer.from(`Bearer ${key('tk_')}`).toString('base64url');
  for (const path of [`/senders/ntfy/alerts?auth=${auth}`, `/senders/ntfy/${MARK}?auth=${auth}`]) {
    await api.request(path, { method: 'POST', headers, body: MARK });
    await api.request(path, { method: 'DELETE', headers });
  }
  await api.request(`/senders/ntfy/alerts/publish?message=${MARK}`, { key: key(), headers });
  await api.request(`/senders/ntfy/alerts/${key()}`, { method: 'POST', headers, body: MARK });
  for (const path of [`/senders/slack/${key()}`, `/senders/slack/hooks/${key()}`, `/senders/slack/pctl_${MARK}`]) {
    await api.request(path, { method: 'POST', headers, body: { text: MARK } });
    await api.request(path, { method: 'PUT', headers });
  }
  for (const token of [key('gtfya.'), MARK]) {
    await api.request(`/senders/gotify/message?token=${token}`, { method: 'POST', headers, body: { message: MARK } });
  }
  for (const token of [key(), MARK]) {
    const query = `?title=${MARK}&url=https://example.com/${MARK}&token=${token}`;
    await api.request(`/senders/json/alerts${query}`, { method: 'POST', headers, body: { title: MARK } });
    const event = { routing_key: token, event_action: 'trigger', dedup_key: MARK, payload: { summary: MARK } };
    await api.request('/senders/pagerduty/v2/enqueue', { method: 'POST', headers, body: event });
    await api.request('/senders/pagerduty/v2/enqueue', {
      method: 'POST',
      headers,
      body: { ...event, event_action: MARK },
    });
  }
  for (const path of ['alertmanager/alerts', `grafana/${MARK}`]) {
    await api.request(`/senders/${path}`, { method: 'POST', key: key(), headers, body: { title: MARK } });
  }
  for (const form of ['pctl_', 'tk_', 'gtfya.'] as const) {
    await api.request('/senders/ntfy/v1/health', { headers: { 'X-Request-Id': key(form) } });
  }
}

test('neither keys in addresses nor anything else that a sender sends gets into the log', async () => {
  for (const error of [null, new Error(`cannot store ${MARK}`), new StoreUnavailable('no space left')]) {
    const store = error === null ? {} : { acceptEvent: () => Promise.reject(error) };
    await withSender({ store }, async (scene) => {
      await sayItEverywhere(scene);
      const log = scene.api.log();
      assert.ok(log.split('\n').length > 8);
      for (const route of ['ntfy/:channel', 'slack/:key', 'slack/hooks/:key', 'gotify/message', 'grafana/:channel']) {
        assert.ok(log.includes(`"route":"/senders/${route}"`), route);
      }
      assert.not.match(log, new RegExp(MARK, 'i'));
      assert.not.ok(log.includes(scene.key().slice(18)), 'the secret of the key');
    });
  }
});

test('errors do not repeat the address', () =>
  withSender({}, async ({ api, key }) => {
    for (const path of [`/senders/ntfy/${MARK}`, `/senders/${MARK}/${key()}`, `/senders/ntfy/alerts/x/${MARK}`]) {
      const reply = await api.request(path, { method: 'POST', key: key(), body: MARK });
      assert.is(reply.status, 404);
      assert.not.ok(reply.text.includes(MARK) || reply.text.includes(key()));
    }
  }));

test.run();
