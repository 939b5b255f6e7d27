import type { Moment } from '../../../process/clock.ts';
import type { Sql } from '../../sql.ts';

/** A wall clock further ahead of the mark was set, or nothing ran for so long. */
const MOST_AHEAD_MS = 86_400_000;
/** After so long at work, the clock counts as right: operators had this time to set it. */
const HELD_FOR_MS = 86_400_000;
/** The mark follows the clock in larger steps, so idle servers write seldom. */
const STEP_MS = 3_600_000;

const MARK = 'SELECT wall_at AS "wallAtMs", held_ms AS "heldMs" FROM age_mark WHERE id = 1';
const SET = `
  INSERT INTO age_mark (id, wall_at, held_ms) VALUES (1, CAST(:wallAtMs AS BIGINT), CAST(:heldMs AS BIGINT))
  ON CONFLICT (id) DO UPDATE SET wall_at = excluded.wall_at, held_ms = excluded.held_ms`;

interface Mark {
  readonly wallAtMs: number;
  /** Time at work since the clock is too far ahead. */
  readonly heldMs: number;
}

/**
 * Returns the time by which rows are old. After a jump of the wall clock by more than a day, this time stands still for
 * a day at work, so that a wrong clock removes nothing at once. `passedMs`: time at work since the last step.
 */
export function ageMark(sql: Sql): (now: Moment, passedMs: number) => Promise<Moment & { readonly isHeld: boolean }> {
  const markOf = sql.get<object, Mark>(MARK);
  const set = sql.run<Mark>(SET);

  return async (now, passedMs) => {
    const { wallMs } = now;
    const { wallAtMs, heldMs } = (await markOf({})) ?? { wallAtMs: 0, heldMs: HELD_FOR_MS };
    if (wallMs - wallAtMs <= MOST_AHEAD_MS || heldMs + passedMs >= HELD_FOR_MS) {
      if (wallMs - wallAtMs > STEP_MS || (heldMs > 0 && wallMs > wallAtMs)) await set({ wallAtMs: wallMs, heldMs: 0 });
      return { ...now, isHeld: false };
    }
    await set({ wallAtMs, heldMs: heldMs + passedMs });
    return { ...now, wallMs: wallAtMs, isHeld: true };
  };
}

/** Returns the mark; undefined: none was set. */
export function markedAge(sql: Sql): () => Promise<number | undefined> {
  const markOf = sql.get<object, Mark>(MARK);
  return async () => (await markOf({}))?.wallAtMs;
}
