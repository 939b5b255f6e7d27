import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { pauseOf } from '../../src/health/routes.ts';

const AT = '2026-11-22T09:30:00.000+00:00';
const BY_OPERATOR = { kind: 'operator', reason: 'an operator paused it', since: AT };
const OF_PROVIDER = { kind: 'unavailable', reason: 'http_503', since: AT };

test("An operator's decision holds, even if the server that reports its routes does not know it yet", () => {
  const asked = (paused_at: string | null, pause: typeof BY_OPERATOR | null) =>
    pauseOf({ route: 'fcm', paused_at, quarantined: [], live: { pause, doubt: null } });
  assert.equal(asked(AT, null), BY_OPERATOR);
  assert.is(asked(null, BY_OPERATOR), null);
  assert.equal(asked(null, OF_PROVIDER), OF_PROVIDER);
  assert.is(asked(null, null), null);
});

test('If no server runs, only the decisions of operators are known', () => {
  const asked = (paused_at: string | null) => pauseOf({ route: 'fcm', paused_at, quarantined: [], live: null });
  assert.equal([asked(AT), asked(null)], [BY_OPERATOR, null]);
});

test.run();
