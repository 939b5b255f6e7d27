import type { Outcome, Route } from '../../push.ts';
import type { Percentiles } from '../../values/histogram.ts';

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
