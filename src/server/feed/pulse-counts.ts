import type { Route } from '../../push.ts';
import { type Buckets, bucketOf, countInto, type Percentiles, percentilesOf } from '../../values/histogram.ts';
import type { SentItem } from './items.ts';

const LATENCY_PERIODS = 60;

interface RouteCounts {
  accepted: number;
  errors: number;
}

/** A watcher's counts since its last pulse, and its latencies over the last sixty pulses. */
export class PulseCounts {
  sinceMs: number;
  events = 0;
  skipped = 0;
  #routes = new Map<Route, RouteCounts>();
  #latencies: Buckets[] = [new Map()];

  constructor(nowMs: number) {
    this.sinceMs = nowMs;
  }

  count({ route, outcomes, after_ms }: SentItem): void {
    const counts = this.of(route);
    this.#routes.set(route, counts);
    for (const { outcome, count } of outcomes) {
      if (outcome === 'recalled') continue;
      if (outcome !== 'accepted') {
        counts.errors += count;
        continue;
      }
      counts.accepted += count;
      const current = this.#latencies.at(-1);
      if (current) countInto(current, bucketOf(after_ms), count);
    }
  }

  of(route: Route): RouteCounts {
    return this.#routes.get(route) ?? { accepted: 0, errors: 0 };
  }

  latency(): Percentiles | null {
    const buckets: Buckets = new Map();
    for (const period of this.#latencies) for (const [bucket, count] of period) countInto(buckets, bucket, count);
    return percentilesOf(buckets);
  }

  next(nowMs: number): void {
    this.sinceMs = nowMs;
    this.events = 0;
    this.skipped = 0;
    this.#routes = new Map();
    this.#latencies = [...this.#latencies, new Map()].slice(-LATENCY_PERIODS);
  }
}
