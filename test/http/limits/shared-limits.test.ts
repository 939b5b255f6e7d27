import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type CountingStore, countUses, SharedLimit } from '../../../src/http/limits/rolling-windows.ts';
import { requestsOf } from '../../../src/store/calls/serving.ts';
import type { StoreClient } from '../../../src/store/calls.ts';
import { ADA } from '../../support/cast.ts';
import { ALONE } from '../../support/counting.ts';
import { withApi } from '../../support/http.ts';
import { aPerson } from '../../support/sign-in.ts';

const AN_EVENT = { channel: 'alerts', title: 'It burns' };

test("a post that the store refuses because of other servers counts nowhere, and is answered with the store's figures", async () => {
  const requests = { remaining: 0, resetAfterMs: 7_000 };
  let free: Pick<StoreClient, 'acceptEvent'> | null = null;
  const acceptEvent: StoreClient['acceptEvent'] = (args, actor) =>
    free === null ? Promise.resolve({ kind: 'rate_limited', requests }) : free.acceptEvent(args, actor);
  await withApi(
    async ({ post, real }) => {
      for (let n = 0; n < 4; n += 1) {
        const { status, headers, body } = await post(AN_EVENT);
        assert.equal([status, body.code], [429, 'rate_limited']);
        assert.equal([headers['retry-after'], headers.ratelimit], ['7', '"burst";r=0;t=7']);
      }
      free = real;
      assert.equal([(await post(AN_EVENT)).status, (await post(AN_EVENT)).status], [202, 202]);
      assert.is((await post(AN_EVENT)).status, 429);
    },
    { limits: { burstPerMinute: 2 }, store: { acceptEvent } },
  );
});

test('a use that the store refuses, or cannot count, counts nowhere', async () => {
  const limit = new SharedLimit('guesses');
  const use = { of: limit, name: 'ada', most: 2 };
  const full: CountingStore = { ...ALONE, countUses: async () => ({ resetAfterMs: 9_000, at: [] }) };
  const broken: CountingStore = { ...ALONE, countUses: () => Promise.reject(new Error('the database is gone')) };
  for (let n = 0; n < 5; n += 1) {
    const { admitted, remaining, resetAfterMs } = await countUses(full, [use], 0);
    assert.equal([admitted, remaining, resetAfterMs], [false, 0, 9_000]);
    assert.match(String(await countUses(broken, [use], 0).catch((error) => error)), /gone/);
  }
  assert.is((await countUses(ALONE, [use], 0)).remaining, 1);
});

test('a use that this process alone refuses is not asked of the store', async () => {
  const limit = new SharedLimit('guesses');
  let asked = 0;
  const store: CountingStore = {
    ...ALONE,
    countUses(args) {
      asked += 1;
      return ALONE.countUses(args);
    },
  };
  const wide = { of: new SharedLimit('all'), name: 'ada', most: 100 };
  for (let n = 0; n < 50; n += 1) await countUses(store, [wide, { of: limit, name: 'ada', most: 3 }], 0);
  assert.is(asked, 3);
  assert.is((await countUses(store, [wide], 0)).remaining, 96);
});

test('the store counts the acknowledgements, resolutions and cancellations of a key, so over all servers', async () => {
  const counted: string[] = [];
  const countUses: StoreClient['countUses'] = (args) => {
    counted.push(...args.uses.map(({ name }) => name));
    return ALONE.countUses(args);
  };
  await withApi(
    async (api) => {
      const body = { insist: { repeat: 120 } };
      const owner = await aPerson(api, ADA, { role: 'owner' });
      await api.request('/api/v1/workspaces/acme/channels/alerts', { method: 'PATCH', key: owner, body });
      const key = await api.issueKey({ scopes: ['alerts:write'] });
      const posted = await api.post({ ...AN_EVENT, level: 'error', delivery_urgency: 'time_sensitive' });
      const { public_id: id } = posted.body.event as { readonly public_id: string };
      for (const change of ['acknowledge', 'resolve', 'cancel']) {
        counted.length = 0;
        const { status } = await api.request(`/api/v1/events/${id}/${change}`, { method: 'POST', key: key.text });
        assert.equal([change, status, counted], [change, 200, [requestsOf(key.id)]]);
      }
    },
    { store: { countUses } },
  );
});

test.run();
