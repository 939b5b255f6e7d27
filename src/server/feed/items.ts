import type { Outcome, Route } from '../../push.ts';
import type { Percentiles } from '../../values/histogram.ts';

/** The items that `pushctl tail` gets over the socket: JSON values. */
export type FeedItem = SentItem | PulseItem;

/** The outcomes of a batch for one event, equal ones counted. */
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
    /** Only if asked for, as they cost a query; null: the device has been removed since. */
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
  /** From 202 to acceptance, over the last minute; null: nothing was accepted. */
  readonly latency: Percentiles | null;
  readonly batches_in_flight: number;
  readonly links_bytes: number;
  /** Items that were dropped because the watcher reads too slowly. */
  readonly skipped: number;
}
export interface RoutePulse {
  readonly route: Route;
  readonly pause: { readonly kind: string; readonly reason: string; readonly for_ms: number } | null;
  /** Open connections to the provider, over all threads. */
  readonly connections: number;
  readonly accepted: number;
  /** All other outcomes. */
  readonly errors: number;
  /** Pushes that wait: to be sent for the first time, at most; and for another try. */
  readonly waiting: number;
  readonly deferred: number;
  /** How long the oldest of them has been due; null: none waits. */
  readonly oldest_ms: number | null;
}
