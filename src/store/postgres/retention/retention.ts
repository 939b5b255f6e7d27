import type { PruneAnswer } from '../../calls.ts';
import type { Handlers } from '../../handlers/handler.ts';
import { STEP_ROWS } from '../../handlers/retention/purges.ts';
import { type Sweep, sweeps } from '../../handlers/retention/retention.ts';
import type { StoreSettings } from '../../settings.ts';
import type { Sql } from '../../sql.ts';
import { lockKeys } from '../locks.ts';
import { importDeps } from '../staged-lines.ts';
import { REMOVAL } from './removal.ts';

/** The answer while another node cleans up, until all is done. */
const BY_ANOTHER: PruneAnswer = { done: true, isPressing: false, isTooLarge: false, isHeld: false };

/**
 * Deletes old rows. Their space is reused, but files do not shrink: the operator decides how large the database may
 * grow. One node cleans up at a time, any of them: losing one does not matter.
 */
export function retention(sql: Sql, settings: StoreSettings): Handlers<'pruneStep'> {
  const tryLock = sql.value<object, boolean>(`SELECT pg_try_advisory_xact_lock(${lockKeys('cleanup')})`);
  const sweepAll = sweeps(sql, settings, { ...REMOVAL, imports: importDeps(sql) });
  const forgetWindows = windowsWithoutUse(sql);

  return {
    async pruneStep({ passedMs }, now) {
      if ((await tryLock({})) !== true) return BY_ANOTHER;
      const { left, ...swept } = await sweepAll(now, STEP_ROWS, passedMs);
      const done = left > 0 && (await forgetWindows(now, left)) < left;
      return { done, ...swept, isTooLarge: false };
    },
  };
}

/** Deletes unused windows. Skips locked ones, in use: multi-window counts lock in another order. */
function windowsWithoutUse(sql: Sql): Sweep {
  const remove = sql.run<{ nowMs: number; limit: number }>(`
    DELETE FROM rolling_window WHERE name IN (
      SELECT name FROM rolling_window WHERE (slot + 61) * slot_ms <= :nowMs LIMIT :limit FOR UPDATE SKIP LOCKED
    )
  `);
  return ({ steadyMs }, limit) => remove({ nowMs: steadyMs, limit });
}
