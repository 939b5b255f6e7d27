import { OperatorProblem } from '../process/problem.ts';
import { toTimestamp } from '../values/timestamp.ts';

/**
 * A moved store stays in place, whole, naming its new place: two stores with one queue would send everything twice. The
 * SQL fits both engines.
 */
export const MOVED = 'SELECT place, at FROM moved';
export const MARK_MOVED = 'INSERT INTO moved (id, place, at) VALUES (1, :place, :at)';
export const UNMARK_MOVED = 'DELETE FROM moved';

/** `place`: the new one. `at`: Unix ms. */
export interface MovedRow {
  readonly place: string;
  readonly at: number;
}

/** Throws an `OperatorProblem` if the store at `here` was moved. */
export function refuseMoved(here: string, moved: MovedRow | undefined): void {
  if (moved === undefined) return;
  throw new OperatorProblem(`${here} was moved to ${moved.place} at ${toTimestamp(moved.at)}.`, 1, {
    // The mark precedes the target by a moment.
    advice:
      'Use that place. If it is empty, or to use the old place again as it was before the move: `pushctl move --undo <place>`, with its folder or address.',
  });
}
