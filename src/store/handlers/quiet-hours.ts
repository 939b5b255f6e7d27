import { NO_TIMEZONE, type QuietHours, quietProblems, storedQuietHours } from '../../contract/quiet-hours.ts';
import type { Refusal } from '../calls.ts';
import { invalidField } from '../refusals.ts';
import type { Sql } from '../sql.ts';
import type { EngineDeps } from './handler.ts';

export interface QuietRow {
  /** JSON; null: the channel has no quiet hours. */
  readonly quiet: string | null;
}

export function quietHoursOf({ quiet }: QuietRow): QuietHours | null {
  return quiet === null ? null : (JSON.parse(quiet) as QuietHours);
}

export interface QuietHoursOfChannels {
  /** Returns why the hours are refused; null: they are in order. */
  check(hours: QuietHours): Promise<Refusal | null>;
  /** Sets hours that have been checked. */
  set(channelId: number, hours: QuietHours | null): Promise<void>;
}

export function quietHours(sql: Sql, { knowsTimezone }: Pick<EngineDeps, 'knowsTimezone'>): QuietHoursOfChannels {
  const write = sql.run<{ id: number; hours: string | null }>('UPDATE channel SET quiet = :hours WHERE id = :id');

  return {
    async check(hours) {
      const [problem] = quietProblems(hours);
      if (problem !== undefined) return invalidField(problem);
      return (await knowsTimezone(hours.timezone)) ? null : invalidField(NO_TIMEZONE);
    },
    async set(id, hours) {
      await write({ id, hours: hours && storedQuietHours(hours) });
    },
  };
}
