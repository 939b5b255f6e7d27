import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Buckets, bucketOf, countInto, percentilesOf } from '../../src/values/histogram.ts';

test('A percentile is never below the true one and at most a fifth above it', () => {
  for (const ms of [1, 2, 7, 100, 1_000, 86_400_000]) {
    const p50 = percentilesOf(new Map([[bucketOf(ms), 1]]))?.p50_ms ?? 0;
    assert.ok(p50 >= ms && p50 <= ms * 1.2 + 1, `${ms} → ${p50}`);
  }
});

test('Two histograms add up bucket by bucket', () => {
  const both: Buckets = new Map();
  for (const [ms, count] of [
    [10, 90],
    [10, 5],
    [1_000, 5],
  ] as const) {
    countInto(both, bucketOf(ms), count);
  }
  assert.equal(percentilesOf(both), { p50_ms: 11, p95_ms: 11, p99_ms: 1024 });
});

test('An empty histogram has no percentiles', () => {
  assert.is(percentilesOf(new Map()), null);
  assert.equal(percentilesOf(new Map([[0, 1]])), { p50_ms: 1, p95_ms: 1, p99_ms: 1 });
});

test.run();
