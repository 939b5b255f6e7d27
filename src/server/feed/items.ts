import type { Outcome, Route } from '../../push.ts';
import { type Buckets, bucketOf, countInto, type Percentiles, percentilesOf } from '../../values/histogram.ts';

/** Items of `pushctl tail`, as JSON values. */
export type FeedItem = SentItem | PulseItem;

/** A batch's outcomes for an event, equal ones counted. */
export interface SentItem {
  readonly kind: 'sent';
  readonly at: string;
  readonly workspace: string;
  readonly channel: string;
  readonly event: string;
  readonly route: Route;
  /** Since the event was received. */
  readonly after_ms: number;
  readonly outcomes: readonly {
    readonly outcome: Outcome['kind'];
    readonly reason: string | null;
    readonly count: number;
    /** Only on request, as it costs a query; null: removed since. */
    readonly device_ids?: readonly (string | null)[];
  }[];
}

/** Counts since the last pulse, about a second ago, and the current state. */
export interface PulseItem {
  readonly kind: 'pulse';
  readonly at: string;
  readonly period_ms: number;
  readonly events: number;
  readonly routes: readonly RoutePulse[];
  /** From 202 to acceptance in the last minute; null: none. */
  readonly latency: Percentiles | null;
  readonly batches_in_flight: number;
  readonly links_bytes: number;
  /** Items dropped for a slow watcher. */
  readonly skipped: number;
}
export interface RoutePulse {
  readonly route: Route;
  readonly pause: { readonly kind: string; readonly reason: string; readonly for_ms: number } | null;
  /** Open connections of all threads. */
  readonly connections: number;
  readonly accepted: number;
  /** All other outcomes. */
  readonly errors: number;
  /** Waiting pushes: first sends (an upper bound), and retries. */
  readonly waiting: number;
  readonly deferred: number;
  /** How long the oldest is due; null: none waits. */
  readonly oldest_ms: number | null;
}

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
