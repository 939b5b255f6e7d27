/**
 * Histograms of durations in fixed logarithmic buckets, four a doubling, exact to a fifth. Buckets of hours, routes and
 * servers add up.
 */

export type Buckets = Map<number, number>;

export interface Percentiles {
  readonly p50_ms: number;
  readonly p95_ms: number;
  readonly p99_ms: number;
}

const PER_DOUBLING = 4;

/** Returns the bucket: 0 below a millisecond, n up to 2^(n/4) ms. */
export function bucketOf(durationMs: number): number {
  return durationMs < 1 ? 0 : Math.floor(Math.log2(durationMs) * PER_DOUBLING) + 1;
}

export function countInto(buckets: Buckets, bucket: number, count: number): void {
  buckets.set(bucket, (buckets.get(bucket) ?? 0) + count);
}

/** Returns percentiles' upper bounds. Null without values. */
export function percentilesOf(buckets: ReadonlyMap<number, number>): Percentiles | null {
  const sorted = [...buckets].sort(([a], [b]) => a - b);
  const total = sorted.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return null;
  const at = (share: number): number => {
    let left = Math.ceil(total * share);
    const found = sorted.find(([, count]) => {
      left -= count;
      return left <= 0;
    });
    return upperBoundMs(found?.[0] ?? 0);
  };
  return { p50_ms: at(0.5), p95_ms: at(0.95), p99_ms: at(0.99) };
}

function upperBoundMs(bucket: number): number {
  return Math.round(2 ** (bucket / PER_DOUBLING));
}
