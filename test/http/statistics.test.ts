import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Route } from '../../src/push.ts';
import type { LiveRoute } from '../../src/store/calls.ts';
import { ADA } from '../support/cast.ts';
import { ask, EVENT } from '../support/dashboard.ts';
import { withApi } from '../support/http.ts';
import { aPerson } from '../support/sign-in.ts';

test('statistics say what their reasons mean, what to do, what waits, and which routes are paused', () => {
  const since = '2026-11-21T09:30:00.123+00:00';
  const pause = { kind: 'unauthorized', reason: 'InvalidProviderToken', since };
  const live = new Map<Route, LiveRoute>([
    ['apns_production', { pause, doubt: null }],
    ['fcm', { pause: null, doubt: null }],
  ]);
  return withApi(
    async (api) => {
      const token = await aPerson(api, ADA, { role: 'owner' });
      for (const n of [1, 2]) await api.addDevice({ token: `0${n}`.repeat(32) });
      await api.post(EVENT);
      const queue = { route: 'apns_production', lane: 'standard', limit: 1, batchSize: 1 } as const;
      const [claim] = (await api.store.claimBatches(queue)).claims;
      const verdict = { state: 'failed', reason: 'PayloadTooLarge' } as const;
      const verdicts = [{ index: 0, verdict, fitted: true, linksLost: false }];
      await api.store.settleBatch({ claimId: claim?.claimId ?? '', verdicts });
      const { body } = await ask(api, token, 'GET', 'stats');
      const { reasons, waiting } = body.stats as { reasons: Record<string, string>[]; waiting: unknown };
      assert.equal(waiting, [{ route: 'apns_production', pushes: 1 }]);
      assert.match(String(reasons[0]?.means), /4096 bytes|too large/i);
      assert.ok(reasons[0]?.remedy);
      const [paused, ...others] = body.paused_routes as Record<string, string>[];
      assert.equal(
        [paused?.route, paused?.kind, paused?.since, others],
        ['apns_production', 'unauthorized', since, []],
      );
      assert.match(String(paused?.remedy), 'key');
    },
    { liveRoutes: () => live },
  );
});

test.run();
