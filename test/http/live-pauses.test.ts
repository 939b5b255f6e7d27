import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withLivePauses } from '../../src/http/live-pauses.ts';
import type { Route } from '../../src/push.ts';
import type { DeviceResult, LiveRoute, MemberResult } from '../../src/store/calls.ts';

const test = suite('pauses of the running server in results');

const PAUSED = { pause: { kind: 'provider', reason: 'connect_failed', since: '2026-11-21T09:30:00.000+00:00' } };
const ROUTES = new Map([['fcm', PAUSED]]) as unknown as ReadonlyMap<Route, LiveRoute>;

function memberWith(...devices: readonly Partial<DeviceResult>[]): MemberResult {
  return { email: 'ada@example.com', name: 'Ada', result: 'waiting', devices } as unknown as MemberResult;
}

test('A push that waits on a route that the server has paused by itself says so with the reason', () => {
  const member = memberWith(
    { route: 'fcm', result: 'waiting', until: '2026-11-21T09:31:00.000+00:00', reason: null },
    { route: 'fcm', result: 'muted', reason: null },
  );
  const { result, devices } = withLivePauses(member, ROUTES);
  assert.is(result, 'route_paused');
  assert.equal(devices[0], { route: 'fcm', result: 'route_paused', until: null, reason: 'connect_failed' });
  assert.is(devices[1]?.result, 'muted');
});

test('A push that waits on another route still waits', () => {
  const member = memberWith({ route: 'apns_production', result: 'waiting', reason: null });
  assert.is(withLivePauses(member, ROUTES).result, 'waiting');
});

test.run();
