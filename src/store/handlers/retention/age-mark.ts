import type { Moment } from '../../../process/clock.ts';
import { toTimestamp } from '../../../values/timestamp.ts';
import type { Sql } from '../../sql.ts';
import type { StoredAgeHold } from '../../stored-status.ts';

/** The wall clock was set if it is further from the mark, or nothing ran for so long. */
const MOST_APART_MS = 86_400_000;
/** After so long at work, the clock counts as right: operators had this time to set it. */
const HELD_FOR_MS = 86_400_000;
/** The mark follows the clock in larger steps, so idle servers write seldom. */
const STEP_MS = 3_600_000;

const MARK = 'SELECT wall_at AS "wallAtMs", held_ms AS "heldMs", seen_at AS "seenAtMs" FROM age_mark WHERE id = 1';
const SET = `
  INSERT INTO age_mark (id, wall_at, held_ms, seen_at)
  VALUES (1, CAST(:wallAtMs AS BIGINT), CAST(:heldMs AS BIGINT), CAST(:seenAtMs AS BIGINT))
  ON CONFLICT (id) DO UPDATE SET wall_at = excluded.wall_at, held_ms = excluded.held_ms, seen_at = excluded.seen_at`;

interface Mark {
  /** The wall clock when it last counted as right. */
  readonly wallAtMs: number;
  /** Time at work since the clock is too far from the mark. */
  readonly heldMs: number;
  /** The last count, by the wall clock: over PostgreSQL the database's, the only one that nodes share. */
  readonly seenAtMs: number;
}

/**
 * `agedMs`: rows are old by this time, and only by this one. It is the wall clock. If that clock is more than a day
 * ahead of the mark, it is the mark and the time at work since, for a day at work: a jump makes nothing old at once.
 */
export interface AgedMoment extends Moment {
  readonly agedMs: number;
}

/** Moves the mark on. `passedMs`: time at work since this server's last step. */
export function ageMark(
  sql: Sql,
): (now: Moment, passedMs: number) => Promise<AgedMoment & { readonly isHeld: boolean }> {
  const markOf = sql.get<object, Mark>(MARK);
  const set = sql.run<Mark>(SET);

  return async (now, passedMs) => {
    const { wallMs } = now;
    const known = await markOf({});
    const mark = known === undefined ? markAt(wallMs) : movedOn(known, wallMs, passedMs);
    if (mark !== known) await set(mark);
    return { ...now, agedMs: agedBy(mark, wallMs), isHeld: isAhead(mark, wallMs) };
  };
}

/** Returns `agedMs` for what is removed outside of the steps of retention. */
export function agedTime(sql: Sql): (wallMs: number) => Promise<number> {
  const markOf = sql.get<object, Mark>(MARK);
  return async (wallMs) => agedBy((await markOf({})) ?? markAt(wallMs), wallMs);
}

/** Returns the hold; null: none has begun, or it is over. */
export function ageHold(sql: Sql): (wallMs: number) => Promise<StoredAgeHold | null> {
  const markOf = sql.get<object, Mark>(MARK);
  return async (wallMs) => {
    const mark = await markOf({});
    if (mark === undefined || !isAhead(mark, wallMs) || !isAhead(mark, mark.seenAtMs)) return null;
    return { lastAt: toTimestamp(mark.wallAtMs), leftMs: HELD_FOR_MS - mark.heldMs };
  };
}

function markAt(wallMs: number): Mark {
  return { wallAtMs: wallMs, heldMs: 0, seenAtMs: wallMs };
}

function movedOn(mark: Mark, wallMs: number, passedMs: number): Mark {
  const { wallAtMs, heldMs, seenAtMs } = mark;
  const aheadMs = wallMs - wallAtMs;
  if (Math.abs(aheadMs) <= MOST_APART_MS) {
    return aheadMs > STEP_MS || heldMs > 0 ? markAt(Math.max(wallMs, wallAtMs)) : mark;
  }
  // Other nodes have counted up to `seenAtMs`. If that clock itself was set, the node's own time bounds the count.
  const countedMs = Math.min(passedMs, Math.max(0, wallMs - seenAtMs));
  const nowHeldMs = heldUpTo(mark, wallMs) + countedMs;
  return nowHeldMs >= HELD_FOR_MS ? markAt(wallMs) : { wallAtMs, heldMs: nowHeldMs, seenAtMs: wallMs };
}

function agedBy(mark: Mark, wallMs: number): number {
  return isAhead(mark, wallMs) ? mark.wallAtMs + heldUpTo(mark, wallMs) : wallMs;
}

/** A clock behind the mark needs no hold: it makes less old. */
function isAhead({ wallAtMs }: Mark, wallMs: number): boolean {
  return wallMs - wallAtMs > MOST_APART_MS;
}

/** The time starts over if the clock was set from one side of the mark to the other. */
function heldUpTo({ wallAtMs, heldMs, seenAtMs }: Mark, wallMs: number): number {
  const hasChangedSides = seenAtMs < wallAtMs !== wallMs < wallAtMs;
  return hasChangedSides ? 0 : heldMs;
}
