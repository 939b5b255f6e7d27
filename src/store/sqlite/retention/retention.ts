import type { PruneAnswer } from '../../calls.ts';
import type { Handlers } from '../../handlers/handler.ts';
import { STEP_ROWS } from '../../handlers/retention/purges.ts';
import { sweeps } from '../../handlers/retention/retention.ts';
import type { StoreSettings } from '../../settings.ts';
import { sqlOver } from '../sql.ts';
import { importDeps } from '../staged-lines.ts';
import type { Db, TransactionHooks } from '../transaction.ts';
import { evictions } from './evictions.ts';
import { REMOVAL } from './removal.ts';

const STEP_PAGES = 100;
/** Free pages kept for reuse, up to this share of the file. */
const SLACK = 0.2;
const SLACK_PAGES = 2_048;

/** Beyond `[retention] max_size`, younger rows are removed too (evictions.ts). */
export function retention(db: Db, settings: StoreSettings, hooks: TransactionHooks): Handlers<'pruneStep'> {
  const { deliveriesRetentionMs, maxSizeBytes } = settings;
  const sql = sqlOver(db);
  const sweepAll = sweeps(sql, settings, { ...REMOVAL, imports: importDeps(db) });
  const pages = pageCounts(db);
  const maxBytes = maxSizeBytes ?? Number.POSITIVE_INFINITY;
  const evict = evictions(db, deliveriesRetentionMs, { maxBytes, usedBytes: pages.usedBytes }, hooks);

  return {
    async pruneStep({ passedMs }, now): Promise<PruneAnswer> {
      const { left, ...swept } = await sweepAll(now, STEP_ROWS, passedMs);
      if (left <= 0 || (await evict(now, left)) > 0) return { done: false, ...swept, isTooLarge: false };
      return { done: !pages.giveBack(), ...swept, isPressing: false, isTooLarge: pages.usedBytes() > maxBytes };
    },
  };
}

function pageCounts(db: Db) {
  const number = (pragma: string) => Number(db.pragma(pragma, { simple: true }));
  const pageBytes = number('page_size');
  // Only this mode can return pages (database.ts). Otherwise they await reuse.
  const canShrink = number('auto_vacuum') === 2;
  return {
    usedBytes: () => (number('page_count') - number('freelist_count')) * pageBytes,
    /** Returns some excess free pages to the file system, and whether there were any. */
    giveBack(): boolean {
      const hasTooMany = number('freelist_count') > Math.max(SLACK_PAGES, number('page_count') * SLACK);
      if (!hasTooMany || !canShrink) return false;
      db.pragma(`incremental_vacuum(${STEP_PAGES})`);
      return true;
    },
  };
}
