import { type Finding, warn } from '../finding.ts';
import type { StoredStatus } from '../store/stored-status.ts';

/** So many intervals without a backup are more than one that is late. */
const LATE_INTERVALS = 2;

/**
 * That the last backup is too old. `everyMs`: how often the server is to make one. Of a database without any nothing is
 * said: the server makes the first as it starts, and reports what is in its way.
 */
export function oldBackupFindings(
  lastBackup: StoredStatus['lastBackup'],
  everyMs: number,
  nowMs: number,
): readonly Finding[] {
  if (lastBackup === null || nowMs - Date.parse(lastBackup.at) <= LATE_INTERVALS * everyMs) return [];
  return [
    warn(
      'backup',
      `the last one is of ${lastBackup.at}, more than twice as long ago as backup.every`,
      'see pushctl logs --level warn for what was in the way, and whether the server runs',
    ),
  ];
}
