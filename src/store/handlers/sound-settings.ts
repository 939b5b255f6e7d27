import { type QuietHours, quietProblems, type Rings, ringsProblem, storedQuietHours } from '../../contract/sounds.ts';
import type { Channel, Refusal } from '../calls.ts';
import { invalidField } from '../refusals.ts';
import type { Sql } from '../sql.ts';

export const SOUND_FIELDS = 'quiet, rings';

/** JSON; null: not set. */
export interface SoundRow {
  readonly quiet: string | null;
  readonly rings: string | null;
}
/** Absent fields stay. */
interface SoundChange {
  readonly quiet?: QuietHours | null | undefined;
  readonly rings?: Rings | null | undefined;
}

export function soundFieldsOf({ quiet, rings }: SoundRow): Pick<Channel, 'quiet' | 'rings'> {
  return { quiet: quiet && JSON.parse(quiet), rings: rings && JSON.parse(rings) };
}

interface SoundSettings {
  /** Returns why the settings are refused; null: valid. */
  check(change: SoundChange): Refusal | null;
  /** Sets checked values. */
  set(channelId: number, change: SoundChange): Promise<void>;
}

export function soundSettings(sql: Sql): SoundSettings {
  const writeQuiet = sql.run<{ id: number; hours: string | null }>('UPDATE channel SET quiet = :hours WHERE id = :id');
  const writeRings = sql.run<{ id: number; atMost: string | null }>(
    'UPDATE channel SET rings = :atMost WHERE id = :id',
  );

  return {
    check({ quiet, rings }) {
      const problem = (quiet && quietProblems(quiet)[0]) ?? (rings && ringsProblem(rings));
      return problem ? invalidField(problem) : null;
    },
    async set(id, { quiet, rings }) {
      if (quiet !== undefined) await writeQuiet({ id, hours: quiet && storedQuietHours(quiet) });
      if (rings === undefined) return;
      await writeRings({ id, atMost: rings && JSON.stringify({ at_most: rings.at_most, per: rings.per }) });
    },
  };
}
