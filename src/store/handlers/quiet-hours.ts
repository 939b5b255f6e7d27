import { type QuietHours, quietProblems, storedQuietHours } from '../../contract/quiet-hours.ts';
import type { Refusal } from '../calls.ts';
import { invalidField } from '../refusals.ts';
import type { Sql } from '../sql.ts';

export interface QuietRow {
  /** JSON; null: the channel has no quiet hours. */
  readonly quiet: string | null;
}

export function quietHoursOf({ quiet }: QuietRow): QuietHours | null {
  return quiet === null ? null : (JSON.parse(quiet) as QuietHours);
}

export interface QuietHoursOfChannels {
  /** Returns why the hours are refused; null: they are in order. */
  check(hours: QuietHours): Refusal | null;
  /** Sets hours that have been checked. */
  set(channelId: number, hours: QuietHours | null): Promise<void>;
}

export function quietHours(sql: Sql): QuietHoursOfChannels {
  const write = sql.run<{ id: number; hours: string | null }>('UPDATE channel SET quiet = :hours WHERE id = :id');

  return {
    check(hours) {
      const [problem] = quietProblems(hours);
      return problem === undefined ? null : invalidField(problem);
    },
    async set(id, hours) {
      await write({ id, hours: hours && storedQuietHours(hours) });
    },
  };
}
