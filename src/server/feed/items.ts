import type { Percentiles } from '../../histogram.ts';
import type { Outcome, Route } from '../../push.ts';

/** What goes over the socket to whoever watches the server at work: JSON values. */
export type FeedItem = SentItem | PulseItem;

/** The answers to a batch, those that are alike together. */
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
    /** Only where they were asked for, as they cost a look into the store; null: the device has been removed since. */
    readonly device_ids?: readonly (string | null)[];
  }[];
}

/** What happened since the last one, about a second ago, and how things stand. */
export interface PulseItem {
  readonly kind: 'pulse';
  readonly at: string;
  readonly period_ms: number;
  readonly events: number;
  readonly routes: readonly RoutePulse[];
  /** From 202 to acceptance, of the last minute; null: nothing was accepted. */
  readonly latency: Percentiles | null;
  readonly batches_in_flight: number;
  readonly links_bytes: number;
  /** Batches whose answers were not told, because whoever watches reads too slowly. */
  readonly skipped: number;
}
export interface RoutePulse {
  readonly route: Route;
  readonly pause: { readonly kind: string; readonly reason: string; readonly for_ms: number } | null;
  /** To the provider, open now, over all threads. */
  readonly connections: number;
  readonly accepted: number;
  /** All other answers. */
  readonly errors: number;
  /** Pushes that wait: to be sent for the first time, at most; and for another try. */
  readonly waiting: number;
  readonly deferred: number;
  /** How long the oldest of them could have been sent, and was not; null: none waits. */
  readonly oldest_ms: number | null;
}
