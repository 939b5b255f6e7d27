import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { latencyText } from '../../../src/web/format/durations.ts';
import { barsOf } from '../../../src/web/overview/bars.ts';

const HOUR_MS = 3_600_000;
const NONE = { accepted: 0, failed: 0, unregistered: 0, expired: 0, withdrawn: 0 };

test('Hours in which nothing happened have a bar, and a withdrawn push counts as no failure', () => {
  const at = Date.parse('2026-11-22T09:00:00.000Z');
  const counts = { accepted: 5, failed: 1, unregistered: 2, expired: 3, withdrawn: 4 };
  const slots = [{ start: '2026-11-22T10:00:00.000+00:00', events: 2, ...counts }];
  assert.equal(barsOf(slots, at + 5, at + 2 * HOUR_MS + 5, 'hour'), [
    { startMs: at, events: 0, accepted: 0, others: 0 },
    { startMs: at + HOUR_MS, events: 2, accepted: 5, others: 6 },
    { startMs: at + 2 * HOUR_MS, events: 0, accepted: 0, others: 0 },
  ]);
});

test('Days begin when they do in UTC', () => {
  const slots = [{ start: '2026-11-21T00:00:00.000+00:00', events: 7, ...NONE }];
  const bars = barsOf(slots, Date.parse('2026-11-20T15:00:00Z'), Date.parse('2026-11-22T15:00:00Z'), 'day');
  assert.equal(
    bars.map(({ events }) => events),
    [0, 7, 0],
  );
});

test('A latency is shown in the unit that fits it', () => {
  const texts = [215, 900, 4_250, 42_000, 240_000].map((p99_ms) => latencyText({ p99_ms }));
  assert.equal(texts, ['215 ms', '900 ms', '4.3 s', '42 s', '4 min']);
  assert.is(latencyText({ p99_ms: 4_250 }, 'de'), '4,3 s');
  assert.is(latencyText(null), '–');
});

test.run();
