import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Alert } from '../../../src/store/calls.ts';
import { ADA } from '../../support/cast.ts';
import type { Api, Reply } from '../../support/http.ts';
import { withSender } from '../../support/senders.ts';
import { aPerson } from '../../support/sign-in.ts';

const PAYLOAD = { summary: 'Disk full', source: 'db-1', severity: 'critical' };
const LONG = 'd'.repeat(300);

test("PagerDuty's acknowledge and resolve change the alert of their key if a channel insists, and no other", () =>
  withSender({}, async ({ api, accepted }) => {
    const owner = await aPerson(api, ADA, { role: 'owner' });
    const insist = { method: 'PATCH', key: owner, body: { insist: { repeat: 120 } } };
    assert.is((await api.request('/api/v1/workspaces/acme/channels/alerts', insist)).status, 200);
    const { text: key } = await api.issueKey({ channels: ['alerts'], scopes: ['events:write', 'alerts:write'] });
    const enqueue = async (event_action: string, dedup_key: string, payload?: object) => {
      const reply = await enqueued(api, { routing_key: key, event_action, dedup_key, payload });
      assert.is(reply.headers['pushctl-alert'], undefined);
    };
    const states = async () => {
      const { body } = await api.request('/api/v1/alerts', { key: owner });
      return (body.alerts as Alert[]).map(({ state, acknowledged_by: by }) => [state, by]);
    };
    await enqueue('trigger', 'disk', PAYLOAD);
    await enqueue('trigger', LONG, PAYLOAD);
    assert.equal(await states(), [
      ['open', null],
      ['open', null],
    ]);
    await enqueue('acknowledge', 'other');
    await enqueue('acknowledge', 'disk');
    const [, [state, by] = []] = await states();
    assert.is(state, 'acknowledged');
    assert.type(by, 'string');
    await enqueue('resolve', LONG);
    await enqueue('resolve', LONG);
    assert.equal(await states(), [['acknowledged', by]]);
    await enqueue('resolve', 'disk', PAYLOAD);
    assert.equal(await states(), []);
    assert.is(accepted.filter(({ title }) => title.startsWith('[RESOLVED]')).length, 1);
    const { text: unbound } = await api.issueKey();
    const body = { routing_key: unbound, event_action: 'acknowledge', dedup_key: 'disk' };
    assert.is((await api.request('/senders/pagerduty/v2/enqueue', { method: 'POST', body })).status, 403);
  }));

test('without alerts:write, acknowledge and the resolve of another key are answered the same and change nothing', () =>
  withSender({}, async ({ api, key }) => {
    const owner = await aPerson(api, ADA, { role: 'owner' });
    const insist = { method: 'PATCH', key: owner, body: { insist: { repeat: 120 } } };
    assert.is((await api.request('/api/v1/workspaces/acme/channels/alerts', insist)).status, 200);
    const { text: other } = await api.issueKey({ channels: ['alerts'], scopes: ['events:write'] });
    const trigger = { routing_key: key(), event_action: 'trigger', dedup_key: 'disk', payload: PAYLOAD };
    await enqueued(api, trigger);
    for (const change of [
      { ...trigger, event_action: 'acknowledge', payload: undefined },
      { ...trigger, event_action: 'resolve', payload: undefined, routing_key: other },
      { ...trigger, event_action: 'resolve', routing_key: other },
    ]) {
      const { headers } = await enqueued(api, change);
      assert.is(headers['pushctl-alert'], 'unchanged, needs alerts:write');
      const { body } = await api.request('/api/v1/alerts', { key: owner });
      assert.equal(
        (body.alerts as Alert[]).map(({ state }) => state),
        ['open'],
      );
    }
    await enqueued(api, { ...trigger, event_action: 'resolve', payload: undefined });
    const { body } = await api.request('/api/v1/alerts', { key: owner });
    assert.equal(body.alerts, []);
  }));

test.run();

async function enqueued(
  api: Api,
  body: { readonly dedup_key: string } & Readonly<Record<string, unknown>>,
): Promise<Reply> {
  const reply = await api.request('/senders/pagerduty/v2/enqueue', { method: 'POST', body });
  assert.equal([reply.status, JSON.parse(reply.text).dedup_key], [202, body.dedup_key]);
  return reply;
}
