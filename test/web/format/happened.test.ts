import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { happenedAt } from '../../../src/web/format/time.ts';

const received_at = '2026-11-22T09:30:00.000+00:00';

test('The time of an event is shown if it is more than a minute before or after its receipt', () => {
  for (const occurred_at of ['2026-11-22T09:28:59.999+00:00', '2026-11-22T09:31:00.001+00:00']) {
    assert.is(happenedAt({ occurred_at, received_at }), occurred_at);
  }
  for (const occurred_at of ['2026-11-22T09:29:00.000+00:00', '2026-11-22T09:31:00.000+00:00', null]) {
    assert.is(happenedAt({ occurred_at, received_at }), null);
  }
  assert.is(happenedAt({ received_at }), null);
});

test.run();
