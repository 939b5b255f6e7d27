import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { EventRecord } from '../../src/push.ts';
import { StoreUnavailable } from '../../src/store/calls.ts';
import { ADA } from '../support/cast.ts';
import { type Api, apiTest, type Reply, withApi } from '../support/http.ts';
import { granted } from '../support/refusals.ts';

const EVENT = { channel: 'alerts', title: 'Done' };

function eventIn(reply: Reply): EventRecord {
  return reply.body.event as EventRecord;
}

async function setAllowance(api: Api, monthlyEvents: number): Promise<void> {
  granted(await api.store.setPlan({ name: 'small', monthlyEvents }));
  granted(await api.store.setWorkspacePlan({ slug: 'acme', plan: 'small' }));
}

apiTest('an accepted event is answered 202 with the seven fields of the specification', async (api) => {
  const reply = await api.post({ ...EVENT, level: 'success', event_type: 'deploy.done' });
  assert.is(reply.status, 202);
  assert.equal(Object.keys(reply.body), ['event']);
  const { public_id, event_uuid, received_at, ...rest } = eventIn(reply);
  assert.is(reply.headers.location, `/api/v1/events/${public_id}`);
  assert.match(public_id, /^evt_[0-9a-hjkmnp-tv-z]{26}$/);
  assert.match(event_uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.match(received_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
  assert.equal(rest, { status: 'queued', level: 'success', event_type: 'deploy.done', target_device_count: 0 });
});

apiTest('a known idempotency key is answered 200 with the first event, byte for byte', async (api) => {
  const first = await api.post({ ...EVENT, idempotency_key: 'run-1' });
  const again = await api.post({ channel: 'nowhere', title: 'Another', level: 'error', idempotency_key: 'run-1' });
  assert.is(first.status, 202);
  assert.is(first.headers['idempotent-replayed'], undefined);
  assert.is(again.status, 200);
  assert.is(again.headers['idempotent-replayed'], 'true');
  assert.is(again.text, first.text);
});

apiTest('a replay is answered even when the channel is inactive and the allowance is spent', async (api) => {
  const first = await api.post({ ...EVENT, idempotency_key: 'run-1' });
  await setAllowance(api, 1);
  granted(await api.store.updateChannel({ workspace: 'acme', slug: 'alerts', status: 'inactive' }));
  const again = await api.post({ ...EVENT, idempotency_key: 'run-1' });
  assert.equal([again.status, again.text], [200, first.text]);
  assert.is((await api.post({ ...EVENT, idempotency_key: 'run-2' })).status, 404);
});

apiTest('exactly one of racing requests with one idempotency key is answered 202', async (api) => {
  const replies = await Promise.all(Array.from({ length: 20 }, () => api.post({ ...EVENT, idempotency_key: 'one' })));
  assert.is(replies.filter(({ status }) => status === 202).length, 1);
  assert.is(replies.filter(({ status }) => status === 200).length, 19);
  assert.is(new Set(replies.map(({ text }) => text)).size, 1);
  assert.is((await api.request('/api/v1/usage', { key: api.key })).body.used, 1);
});

apiTest(
  'racing requests for the last places of the allowance are accepted exactly up to the allowance',
  async (api) => {
    await setAllowance(api, 7);
    const replies = await Promise.all(Array.from({ length: 20 }, () => api.post(EVENT)));
    assert.is(replies.filter(({ status }) => status === 202).length, 7);
    const refused = replies.filter(({ status }) => status === 429);
    assert.is(refused.length, 13);
    for (const { body, headers } of refused) {
      assert.is(body.code, 'allowance_exhausted');
      assert.ok(Number(headers['retry-after']) >= 1 && Number(headers['retry-after']) <= 86_400);
    }
  },
);

apiTest('if the allowance is spent, the headers show the month beside the minute', async (api) => {
  await setAllowance(api, 1);
  const endMs = Date.parse(String((await api.request('/api/v1/usage', { key: api.key })).body.resets_at));
  const windowMs = endMs - new Date(endMs).setUTCMonth(new Date(endMs).getUTCMonth() - 1);
  const first = await api.post(EVENT);
  assert.equal([first.status, first.headers['ratelimit-policy']], [202, '"burst";q=60;w=60']);
  for (const [left, body] of [EVENT, { ...EVENT, validate_only: true }].entries()) {
    const [beforeMs, { status, headers }, afterMs] = [Date.now(), await api.post(body), Date.now()];
    assert.equal([status, headers['ratelimit-policy']], [429, `"burst";q=60;w=60, "month";q=1;w=${windowMs / 1_000}`]);
    const fields = String(headers.ratelimit).match(/^"burst";r=(\d+);t=\d+, "month";r=0;t=(\d+)$/) ?? [];
    assert.is(Number(fields[1]), 58 - left);
    const seconds = Number(fields[2]);
    assert.ok(seconds >= Math.ceil((endMs - afterMs) / 1_000) && seconds <= Math.ceil((endMs - beforeMs) / 1_000));
  }
});

apiTest('slugs match case-sensitively, and only in the workspace of the key', async (api) => {
  await api.addWorkspace('umbrella', { channels: ['builds'] });
  for (const channel of ['Alerts', 'builds', 'no\0pe', 'no slug at all!']) {
    const reply = await api.post({ ...EVENT, channel });
    assert.is(reply.status, 404);
    assert.equal(Object.keys(reply.body), ['message']);
  }
});

apiTest(
  'a key may be used so often within a minute, and then the answer says when to come back',
  { limits: { burstPerMinute: 3 }, clock: { wallMs: Date.now, steadyMs: () => 1_000 } },
  async (api) => {
    for (let left = 2; left >= 0; left -= 1) {
      const reply = await api.post({ title: 'No channel' });
      assert.is(reply.status, 422);
      assert.is(reply.headers['ratelimit-policy'], '"burst";q=3;w=60');
      assert.match(reply.headers.ratelimit as string, new RegExp(`^"burst";r=${left};t=60$`));
    }
    const refused = await api.post(EVENT);
    assert.equal([refused.status, refused.body.code], [429, 'rate_limited']);
    assert.match(refused.headers.ratelimit as string, /^"burst";r=0;t=60$/);
    assert.is(refused.headers['retry-after'], '60');
    const other = await api.issueKey({ burstPerMinute: 5 });
    const reply = await api.post(EVENT, { key: other.text });
    assert.equal([reply.status, reply.headers['ratelimit-policy']], [202, '"burst";q=5;w=60']);
  },
);

apiTest('requests that are not authenticated are not counted', { limits: { burstPerMinute: 1 } }, async (api) => {
  for (let at = 0; at < 3; at += 1) assert.is((await api.post(EVENT, { key: 'nonsense' })).status, 401);
  assert.is((await api.post(EVENT)).status, 202);
});

apiTest('links are held for an event that is new and goes somewhere, and for no other', async (api) => {
  await api.join(ADA);
  granted(await api.store.createChannel({ workspace: 'acme', slug: 'silent' }));
  const device = { platform: 'ios', token: 'ab'.repeat(32), subscribe: ['alerts'] } as const;
  granted(await api.store.addDevice({ workspace: 'acme', email: ADA, ...device }));
  const links = { url: 'https://example.com/a', image_url: 'https://example.com/a.png' };
  const { public_id } = eventIn(await api.post({ ...EVENT, ...links, idempotency_key: 'one' }));
  await api.post({ ...EVENT, ...links, idempotency_key: 'one' });
  await api.post({ ...EVENT, ...links, channel: 'nowhere' });
  const only = eventIn(await api.post({ ...EVENT, data: { order: '1842' } })).public_id;
  assert.is((await api.post({ ...EVENT, ...links, channel: 'silent' })).status, 202);
  assert.equal(
    [...api.held],
    [
      [public_id, { url: links.url, imageUrl: links.image_url }],
      [only, { data: '{"order":"1842"}' }],
    ],
  );
});

test('links are held before the event is stored, and dropped when it could not be', async () => {
  let heldMeanwhile = -1;
  const held: { size: number }[] = [];
  const acceptEvent = () => {
    heldMeanwhile = held[0]?.size ?? -1;
    return Promise.reject(new StoreUnavailable('no space left'));
  };
  await withApi(
    async (api) => {
      held.push(api.held);
      const reply = await api.post({ ...EVENT, url: 'https://example.com/' });
      assert.equal([reply.status, reply.body.code, reply.headers['retry-after']], [503, 'unavailable', '5']);
      assert.equal([heldMeanwhile, api.held.size], [1, 0]);
    },
    { store: { acceptEvent } },
  );
});

apiTest(
  'an unexpected error is a 500 without details',
  { store: { acceptEvent: () => Promise.reject(new TypeError('a detail')) } },
  async (api) => {
    const reply = await api.post(EVENT);
    assert.equal(
      [reply.status, reply.body],
      [500, { message: 'Something went wrong on our side.', code: 'internal_error' }],
    );
    assert.match(api.log(), /"name":"TypeError"/);
    assert.not.match(api.log(), /a detail/);
  },
);

apiTest('an event is read back with the counts of its deliveries', async (api) => {
  const { public_id } = eventIn(await api.post(EVENT));
  const reply = await api.request(`/api/v1/events/${public_id}`, { key: api.key });
  assert.is(reply.status, 200);
  assert.is(eventIn(reply).public_id, public_id);
  assert.is(reply.headers['ratelimit-policy'], '"reads";q=60;w=60');
});

apiTest("another workspace's event is not found, nor is an id that is none", async (api) => {
  const { public_id } = eventIn(await api.post(EVENT));
  await api.addWorkspace('umbrella');
  const other = await api.issueKey({ workspace: 'umbrella' });
  assert.is((await api.request(`/api/v1/events/${public_id}`, { key: other.text })).status, 404);
  for (const id of ['evt_', 'evt_1', `${public_id}0`, public_id.toUpperCase(), '%00', '%zz', '..%2f..']) {
    assert.is((await api.request(`/api/v1/events/${id}`, { key: api.key })).status, 404, id);
  }
});

apiTest('reading costs no posting, and has a limit of its own', { limits: { burstPerMinute: 2 } }, async (api) => {
  const path = '/api/v1/events/evt_00000000000000000000000000';
  assert.is((await api.request(path, { key: api.key })).status, 404);
  assert.is((await api.request('/api/v1/usage', { key: api.key })).status, 200);
  assert.is((await api.request(path, { key: api.key })).status, 429);
  assert.is((await api.post(EVENT)).status, 202);
});

test.run();
