import { packageVersion } from '../../process/package.ts';
import { sharedHandlers } from '../handlers/assembly.ts';
import type { CallHandlers, Handlers } from '../handlers/handler.ts';
import { ageHold } from '../handlers/retention/age-mark.ts';
import { cleanupJobs } from '../handlers/retention/cleanup-jobs.ts';
import { STEP_ROWS } from '../handlers/retention/purges.ts';
import { type Sweep, sweeps } from '../handlers/retention/retention.ts';
import { retriedOf } from '../queue/dead-letter.ts';
import type { StoreSettings } from '../settings.ts';
import type { Sql } from '../sql.ts';
import type { AssumedSounds } from './accept/assumed-sounds.ts';
import { acceptWithinChanges, postingOwn } from './accept/within-changes.ts';
import type { Connection } from './connections.ts';
import { listsInOrder } from './lists.ts';
import { lockKeys } from './locks.ts';
import { bringBack } from './queue/dead-letters.ts';
import type { LetGo } from './queue/letting-go.ts';
import { measuring, waitingByRoute } from './queue/measuring.ts';
import { cancellingInQueue } from './queue/sweeping.ts';
import { REMOVAL } from './removal.ts';
import { importDeps } from './staged-lines.ts';

export function assembleHandlers(
  connection: Connection,
  settings: StoreSettings,
  nodeOf: () => number,
  sounds: AssumedSounds,
  letGo: LetGo,
): Partial<CallHandlers> {
  const { sql } = connection;
  const accepting = acceptWithinChanges(connection, settings, nodeOf, sounds);
  const cleanUp = cleanupJobs(sql, REMOVAL);
  return {
    ...sharedHandlers(sql, settings, {
      acceptEvent: accepting.acceptEvent,
      testDevice: accepting.testDevice,
      postOwn: postingOwn(connection, settings),
      imports: importDeps(sql),
      nodeOf,
      lists: listsInOrder(sql),
      waitingByRoute: waitingByRoute(connection),
      cleanUp: (rows = 0) => cleanUp(Math.max(0, STEP_ROWS - rows)),
    }),
    ...health(connection),
    ...accepting,
    ...cancellingInQueue(connection, nodeOf, letGo),
    retryDeadLetters: async () => retriedOf(await bringBack(sql)),
    ...measuring(connection),
    ...retention(sql, settings),
  };
}

function health({ sql }: Connection): Pick<CallHandlers, 'ping'> {
  const version = packageVersion();
  const schema = sql.value<object, number>('SELECT version FROM pushctl_schema');
  return { ping: async () => ({ version, schema: (await schema({})) ?? 0, displaced: null }) };
}

/**
 * Deletes old rows. Their space is reused, but files do not shrink: the operator decides how large the database may
 * grow. One node cleans up at a time, any of them: losing one does not matter.
 */
function retention(sql: Sql, settings: StoreSettings): Handlers<'pruneStep'> {
  const tryLock = sql.value<object, boolean>(`SELECT pg_try_advisory_xact_lock(${lockKeys('cleanup')})`);
  const sweepAll = sweeps(sql, settings, { ...REMOVAL, imports: importDeps(sql) });
  const forgetWindows = windowsWithoutUse(sql);
  const holdAt = ageHold(sql);

  return {
    async pruneStep({ passedMs }, now) {
      if ((await tryLock({})) !== true) {
        // Another node cleans up until all is done.
        const isHeld = (await holdAt(now.wallMs)) !== null;
        return { done: true, isPressing: false, isTooLarge: false, isHeld };
      }
      const { left, aged, ...swept } = await sweepAll(now, STEP_ROWS, passedMs);
      const done = left > 0 && (await forgetWindows(aged, left)) < left;
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
  return ({ wallMs }, limit) => remove({ nowMs: wallMs, limit });
}
