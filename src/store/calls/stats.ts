/** Calls on the counters. */

import type { Route } from '../../push.ts';
import type { Percentiles } from '../../values/histogram.ts';
import { call } from '../call.ts';
import type { Refusal } from '../refusal.ts';

export const STATS_CALLS = {
  /** `by`: also a line for each hour or day of the time. */
  stats: call<{ workspace?: string; sinceMs: number; by?: 'hour' | 'day' }, Stats | Refusal>({
    reads: true,
    offThread: true,
  }),
};

export interface Stats {
  readonly since: string;
  readonly until: string;
  readonly events: number;
  readonly totals: StatsCounts;
  /** From 202 to acceptance; null: nothing was accepted. */
  readonly latency: Percentiles | null;
  readonly workspaces: readonly ({ readonly workspace: string; readonly events: number } & StatsCounts)[];
  readonly channels: readonly ({
    readonly workspace: string;
    readonly channel: string;
    readonly events: number;
  } & StatsCounts)[];
  readonly routes: readonly ({ readonly route: Route; readonly latency: Percentiles | null } & StatsCounts)[];
  readonly reasons: readonly {
    readonly route: Route;
    readonly state: string;
    readonly reason: string;
    readonly count: number;
    /** The hour in which it was last counted, by its first millisecond. */
    readonly last_hour: string;
  }[];
  /** Pushes that wait now, whatever time was asked about; routes on which none does are left out. */
  readonly waiting: readonly { readonly route: Route; readonly pushes: number }[];
  /** Oldest first, those with nothing left out; empty unless `by` was given. */
  readonly series: readonly (StatsBucket & { readonly latency: Percentiles | null })[];
  readonly usage: readonly WorkspaceForecast[];
}
/** This month's events, and what they come to at its end if they go on as in the last seven days. */
export interface WorkspaceForecast {
  readonly workspace: string;
  readonly monthly_event_allowance: number | null;
  readonly used: number;
  readonly forecast: number;
  /** When the allowance will be spent at that pace; null: not this month. */
  readonly exhausted_at: string | null;
}
/** Counts of an hour or a day, named by its first millisecond. */
export interface StatsBucket extends StatsCounts {
  readonly start: string;
  readonly events: number;
}
export interface StatsCounts {
  readonly accepted: number;
  readonly failed: number;
  readonly unregistered: number;
  readonly expired: number;
  readonly withdrawn: number;
  readonly deferred: number;
  readonly fitted: number;
  readonly links_lost: number;
}
