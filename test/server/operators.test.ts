import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Route } from '../../src/push.ts';
import { liveRoutes, OperatorPauses } from '../../src/server/operators.ts';
import { type OperatorPause, StoreUnavailable } from '../../src/store/calls.ts';
import { SimulatedClock } from '../support/simulation.ts';

test('pauses from before the start stay, and later decisions of operators are taken over', async () => {
  const { pauses, decide, done } = scene([{ route: 'fcm', sinceMs: 1 }]);
  await pauses.begin();
  assert.equal(done(), ['fcm held on since 1']);
  decide([
    { route: 'fcm', sinceMs: 1 },
    { route: 'apns_production', sinceMs: 2 },
  ]);
  await pauses.inForce();
  assert.equal(done(), ['apns_production held since 2', 'hurry']);
  decide([{ route: 'apns_production', sinceMs: 2 }]);
  await pauses.inForce();
  assert.equal(done(), ['fcm goes on', 'hurry']);
});

test('if the store cannot be asked it is asked again, until this ends', async () => {
  const { pauses, decide, done, again } = scene([]);
  await pauses.begin();
  decide(null);
  await pauses.inForce();
  decide([{ route: 'fcm', sinceMs: 3 }], 'unheard');
  assert.ok(again());
  await pauses.inForce();
  assert.equal(done(), ['hurry', 'fcm held since 3']);
  decide(null);
  pauses.stop();
  await pauses.inForce();
  assert.not(again());
});

/** `decide`: null: the store cannot be asked. `again`: makes the time to ask again come; false: no time is set. */
function scene(first: readonly OperatorPause[]) {
  let decided: readonly OperatorPause[] | null = first;
  let touched = (): void => undefined;
  let next: (() => void) | null = null;
  let done: string[] = [];
  const pauses = new OperatorPauses({
    store: {
      listPauses: async () => decided ?? Promise.reject(new StoreUnavailable('lost')),
      onTouched: (_topic, listener) => {
        touched = listener;
      },
    },
    relay: {
      holdOn: (route: Route, sinceMs: number) => void done.push(`${route} held on since ${sinceMs}`),
      hold: (route: Route, sinceMs: number | null) =>
        void done.push(sinceMs === null ? `${route} goes on` : `${route} held since ${sinceMs}`),
      hurry: () => void done.push('hurry'),
    },
    after(_, fn) {
      next = fn;
      return () => {
        next = null;
      };
    },
  });
  return {
    pauses,
    decide(pausesNow: readonly OperatorPause[] | null, how?: 'unheard') {
      decided = pausesNow;
      if (how === undefined) touched();
    },
    again() {
      const was = next;
      next = null;
      was?.();
      return was !== null;
    },
    done() {
      const was = done;
      done = [];
      return was;
    },
  };
}

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
