import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { untilEightS } from '../../../src/web/alerts/snoozes.ts';

test('Until eight is the next time that it is, here', () => {
  assert.is(untilEightS(new Date(2026, 5, 10, 3, 0)), 5 * 3_600);
  assert.is(untilEightS(new Date(2026, 5, 10, 22, 0)), 10 * 3_600);
  assert.is(untilEightS(new Date(2026, 5, 10, 8, 0)), 86_400);
});

test('It is never shorter than what the server takes, nor longer', () => {
  assert.is(untilEightS(new Date(2026, 5, 10, 7, 59)), 300);
  for (let hour = 0; hour < 24 * 370; hour += 1) {
    const seconds = untilEightS(new Date(2026, 0, 1, hour, 1));
    assert.ok(seconds >= 300 && seconds <= 86_400, String(hour));
  }
});

test.run();
