/** Calls on the counters. */

import type { ApiSchema } from '../../contract/api-types.ts';
import { call } from '../call.ts';
import type { Refusal } from '../refusal.ts';

export const STATS_CALLS = {
  /** `by`: also a line for each hour or day of the time. */
  stats: call<{ workspace?: string; sinceMs: number; by?: 'hour' | 'day' }, Stats | Refusal>({
    reads: true,
    offThread: true,
  }),
};

type Answer = ApiSchema<'StatisticsAnswer'>['stats'];
/** Only the providers know what its reasons mean. */
export interface Stats extends Omit<Answer, 'reasons'> {
  readonly reasons: readonly Omit<Answer['reasons'][number], 'means' | 'remedy'>[];
}
/** This month's events, and what they come to at its end if they go on as in the last seven days. */
export type WorkspaceForecast = Answer['usage'][number];
/** Counts of an hour or a day, named by its first millisecond. */
export type StatsBucket = Omit<Answer['series'][number], 'latency'>;
export type StatsCounts = Answer['totals'];
