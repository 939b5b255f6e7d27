import type { ApiSchema } from '../../contract/api-types.ts';
import { call } from '../call.ts';
import type { Refusal } from '../refusal.ts';

export const STATS_CALLS = {
  /** `by`: also a line per hour or day. */
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
/** This month's events, and projected total at the last seven days' rate. */
export type WorkspaceForecast = Answer['usage'][number];
/** An hour's or day's counts, by first millisecond. */
export type StatsBucket = Omit<Answer['series'][number], 'latency'>;
export type StatsCounts = Answer['totals'];
