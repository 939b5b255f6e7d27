import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type CountingStore,
  countUses,
  RollingWindow,
  RollingWindows,
  SharedLimit,
} from '../../../src/http/limits/rolling-windows.ts';
import { requestsOf } from '../../../src/store/calls/serving.ts';
import type { StoreClient } from '../../../src/store/calls.ts';
import { ADA } from '../../support/cast.ts';
import { ALONE } from '../../support/counting.ts';
import { withApi } from '../../support/http.ts';
import { aPerson } from '../../support/sign-in.ts';

test('no 60 seconds ever hold more than the limit, and none that fits is refused', () => {
  const gaps = fc.array(fc.oneof(fc.nat(3_000), fc.nat(90_000), fc.constant(0)), { maxLength: 400 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), gaps, (limit, gapsMs) => {
      const window = new RollingWindow();
      const admitted: number[] = [];
      let nowMs = 1_000;
      for (const gapMs of gapsMs) {
        nowMs += gapMs;
        const within = admitted.filter((atMs) => nowMs - atMs <= 60_000).length;
        const admission = window.admit(limit, nowMs);
        assert.is(admission.admitted, within < limit);
        assert.is(admission.remaining, Math.max(0, limit - within - 1));
        if (admission.admitted) admitted.push(nowMs);
      }
    }),
  );
});

test('a client that waits as long as asked, plus the rounding of the clock, is admitted', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20_000), { minLength: 5, maxLength: 60 }), (gapsMs) => {
      const window = new RollingWindow();
      let nowMs = 0;
      for (const gapMs of gapsMs) {
        nowMs += gapMs;
        const { admitted, resetAfterMs } = window.admit(5, nowMs);
        assert.ok(resetAfterMs >= 0 && resetAfterMs <= 60_000);
        if (admitted) continue;
        nowMs += resetAfterMs + 1;
        assert.ok(window.admit(5, nowMs).admitted);
      }
    }),
  );
});

test('a limit that shrinks counts the uses admitted before', () => {
  const window = new RollingWindow();
  for (let at = 0; at < 10; at += 1) window.admit(10, at * 1_000);
  assert.equal(window.admit(3, 20_000), { admitted: false, limit: 3, remaining: 0, resetAfterMs: 47_000 });
});

test('an admission that is taken back makes room again', () => {
  const window = new RollingWindow(1_000);
  for (const atMs of [1, 2, 3]) window.admit(3, atMs);
  window.takeBack(2);
  window.takeBack(7);
  assert.ok(window.admit(3, 4).admitted);
  assert.not(window.admit(3, 5).admitted);
  assert.ok(window.admit(3, 1_002).admitted);
});

test('windows are apart for each name', () => {
  const windows = new RollingWindows();
  assert.ok(windows.admit('a', 1, 0).admitted);
  assert.not(windows.admit('a', 1, 0).admitted);
  assert.ok(windows.admit('b', 1, 0).admitted);
});

test('an idle window leaves the memory', () => {
  const windows = new RollingWindows();
  for (let at = 0; at < 1_000; at += 1) windows.admit(`key ${at}`, 60, at);
  windows.admit('late', 60, 200_000);
  assert.is(windows.size, 1);
});

test('a flood of names does not grow the memory, and returning names stay counted', () => {
  const windows = new RollingWindows(100);
  for (let at = 0; at < 10_000; at += 1) {
    windows.admit(`stranger ${at}`, 60, 0);
    assert.is(windows.admit('regular', 50, 0).admitted, at < 50);
  }
  assert.ok(windows.size <= 100);
});

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
