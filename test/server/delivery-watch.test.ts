import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Route } from '../../src/push.ts';
import { DeliveryWatch } from '../../src/server/delivery-watch.ts';
import type { LiveRoute, QueueAge } from '../../src/store/calls.ts';
import { StoreUnavailable } from '../../src/store/calls.ts';
import { whilePaused } from '../support/live-routes.ts';
import { SimulatedClock } from '../support/simulation.ts';

const test = suite('server: whether deliveries stand still');
const MINUTE_MS = 60_000;
const OPEN: LiveRoute = { pause: null, doubt: null };
const ACCEPTED = { index: 0, deviceId: 0, outcome: { kind: 'accepted' }, fitted: false } as const;
const BUSY = { kind: 'deferred', reason: 'TooManyRequests', pace: 'busy' } as const;

/** A server with work on `fcm`, as old as an outage of a day leaves it. */
function watched() {
  const clock = new SimulatedClock();
  const state: { due: QueueAge[]; routes: ReadonlyMap<Route, LiveRoute>; isGone: boolean } = {
    due: [{ route: 'fcm', lane: 'standard', ageMs: 86_400_000 }],
    routes: new Map([
      ['fcm', OPEN],
      ['apns_production', OPEN],
    ]),
    isGone: false,
  };
  const queueAge = async () => {
    if (state.isGone) throw new StoreUnavailable('gone');
    return state.due;
  };
  const watch = new DeliveryWatch({ store: { queueAge }, clock, after: clock.after, routes: () => state.routes });
  watch.start();
  const stillS = (route: Route) => (watch.stillMs().get(route) ?? -1) / 1_000;
  return { clock, watch, state, stillS };
}

test('Work that is due, and of which nothing comes, stands still from the time at which that was first seen', async () => {
  const { clock, stillS } = watched();
  await clock.run(MINUTE_MS);
  assert.equal([stillS('fcm'), stillS('apns_production')], [60, 0]);
});

test('However old the work is, it does not stand still while its provider answers anything at all', async () => {
  const { clock, watch, stillS } = watched();
  for (let n = 0; n < 10; n += 1) {
    await clock.run(30_000);
    watch.sent('fcm', [n % 2 === 0 ? ACCEPTED : { ...ACCEPTED, outcome: BUSY }]);
  }
  assert.is(stillS('fcm'), 0);
  await clock.run(30_000);
  for (const outcome of [
    { kind: 'recalled', reason: 'gone' },
    { kind: 'held', reason: 'quarantine', isSent: false },
  ] as const)
    watch.sent('fcm', [{ ...ACCEPTED, outcome }]);
  assert.is(stillS('fcm'), 30, 'what was not sent is no answer');
});

test('A route that pauses does not count as still, and starts afresh when it opens', async () => {
  const { clock, state, stillS } = watched();
  await clock.run(MINUTE_MS);
  const open = state.routes;
  state.routes = whilePaused(['fcm']);
  assert.is(stillS('fcm'), 0);
  await clock.run(600_000);
  state.routes = open;
  assert.is(stillS('fcm'), 0);
  await clock.run(30_000);
  assert.ok(stillS('fcm') <= 30);
});

test('A queue that is empty, or cannot be read, is not reported to stand still', async () => {
  const { clock, state, stillS } = watched();
  await clock.run(MINUTE_MS);
  state.isGone = true;
  await clock.run(20_000);
  assert.is(stillS('fcm'), 0);
  state.isGone = false;
  state.due = [];
  await clock.run(600_000);
  state.due = [{ route: 'fcm', lane: 'urgent', ageMs: 5 }];
  await clock.run(10_000);
  assert.ok(stillS('fcm') <= 10);
});

test('Once stopped it looks no more', async () => {
  const { clock, watch } = watched();
  await clock.settle();
  watch.stop();
  await clock.run(MINUTE_MS);
  assert.is(clock.timers, 0);
});

test.run();
