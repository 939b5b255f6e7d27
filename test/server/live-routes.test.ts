import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { liveRoutes } from '../../src/server/operators.ts';
import { SimulatedClock } from '../support/simulation.ts';

test('Why a route pauses or doubts is shown with the time of day since when, even for a pause that seems to begin later', () => {
  const clock = new SimulatedClock();
  const nowMs = clock.steadyMs();
  const pause = { kind: 'off', reason: 'no key', sinceMs: nowMs - 60_000, nextProbeMs: 0 } as const;
  const unproven = { reason: 'BadDeviceToken', sinceMs: nowMs + 1 };
  const routes = liveRoutes(
    {
      pauses: () => [
        { route: 'apns_production', pause, unproven },
        { route: 'fcm', pause: null, unproven: null },
      ],
    },
    clock,
  );
  assert.equal(routes.get('apns_production'), {
    pause: { kind: 'off', reason: 'no key', since: '2026-11-21T09:29:00.000+00:00' },
    doubt: { reason: 'BadDeviceToken', since: '2026-11-21T09:30:00.000+00:00' },
  });
  assert.equal(routes.get('fcm'), { pause: null, doubt: null });
});

test.run();
