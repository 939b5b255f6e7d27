import { existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Finding, FREE_SPACE, fail, ok, warn } from '../../process/finding.ts';
import { OperatorProblem } from '../../process/problem.ts';
import { databasePath, socketPath } from '../../store/data-folder.ts';
import type { MovedRow } from '../../store/moved.ts';
import { findDamage, openReadOnly } from '../../store/sqlite/database.ts';
import { NoSpace } from '../../store/sqlite/errors.ts';
import { newestRescued } from '../../store/sqlite/files/rescue.ts';
import { type OfflineStatus, readOffline } from '../../store/sqlite/offline.ts';
import { damageText } from '../../store/transports/database-watch.ts';
import { toTimestamp } from '../../values/timestamp.ts';
import type { LookedInto } from './examined.ts';

const MIB = 1024 ** 2;
/** Twice what the server keeps between checkpoints. */
const LARGE_WAL_BYTES = 128 * MIB;
const LITTLE_SPACE_BYTES = 1024 * MIB;
const NO_SPACE_BYTES = 100 * MIB;

/** Reads the database of a data folder without blocking a running server. */
export async function lookIntoFolder(
  dataDir: string,
  reported: LookedInto['stored'],
  isDeep: boolean,
): Promise<LookedInto> {
  const path = databasePath(dataDir);
  const disk = checkDisk(dataDir);
  if (!existsSync(path)) return { stored: reported, findings: [checkAbsent(dataDir), ...disk] };
  try {
    const damage = isDeep ? checkPages(path) : null;
    if (damage !== null) return { stored: reported, findings: [damage, ...disk] };
    const found = await readOffline(dataDir);
    const findings = [
      schemaFinding(`${path} is whole`, found.schema),
      ...checkMoved(path, found.moved),
      checkWal(`${path}-wal`),
      ...disk,
    ];
    return { stored: reported ?? found.stored, findings };
  } catch (error) {
    if (!(error instanceof OperatorProblem)) throw error;
    // One cause is one finding.
    if (error instanceof NoSpace && disk.some(({ status }) => status === 'fail'))
      return { stored: reported, findings: disk };
    return { stored: reported, findings: [fail('database', error.what, error.advice ?? UNREADABLE), ...disk] };
  }
}

const RESTORE =
  'see "The database is damaged" in operations.md: stop the server, and restore a backup: `pushctl restore <file>`';
const UNREADABLE = 'fix the findings about the data folder; if there are none, restore a backup';

/** Null: every page is whole. */
function checkPages(path: string): Finding | null {
  using db = openReadOnly(path);
  const damage = findDamage(db, 'quick_check');
  return damage.length === 0 ? null : fail('database', `${path} is damaged: ${damageText(damage)}`, RESTORE);
}

/** Reports a usable schema. `what` begins the sentence. */
export function schemaFinding(what: string, { version, known }: OfflineStatus['schema']): Finding {
  if (version === known) return ok('database', `${what}, with schema ${version}`);
  if (version < known) return ok('database', `${what}, with schema ${version}; the next start upgrades it to ${known}`);
  const message = `${what}, with schema ${version}: a newer pushctl made it, and this version can use it`;
  return warn('database', message, 'upgrade pushctl on this machine too');
}

/** Explains a missing database: lost under a server, or never made. */
function checkAbsent(dataDir: string): Finding {
  const path = databasePath(dataDir);
  const rescued = existsSync(dataDir) ? newestRescued(dataDir, path) : null;
  if (rescued !== null) {
    const advice = `if the file is lost: stop the service, pushctl restore --resend ${rescued}, start the service`;
    return fail('database', `${path} is gone; a server saved its contents in ${rescued}`, advice);
  }
  if (existsSync(socketPath(dataDir))) {
    return fail('database', `${path} is gone while a server is running on it`, 'see the finding about the server');
  }
  return ok('database', 'does not exist yet: the first start creates it');
}

export function checkMoved(place: string, moved: MovedRow | null): Finding[] {
  if (moved === null) return [];
  const message = `everything in ${place} was moved to ${moved.place} at ${toTimestamp(moved.at)}, so servers do not use it here any more`;
  const advice =
    'set [store] url to the new place, or remove it and set data_dir; to undo the move: pushctl move --undo';
  return [fail('database', message, advice)];
}

function checkWal(wal: string): Finding {
  const bytes = statSync(wal, { throwIfNoEntry: false })?.size ?? 0;
  const message = `takes ${Math.ceil(bytes / MIB)} MiB`;
  if (bytes <= LARGE_WAL_BYTES) return ok('write-ahead log', message);
  const advice = 'end long reads of the database, such as an open sqlite3 shell or a copy';
  return warn('write-ahead log', message, advice);
}

/** Space for the database to grow in. */
function checkDisk(dataDir: string): Finding[] {
  const { bavail, bsize } = statfsSync(nearestFolder(dataDir));
  const bytes = bavail * bsize;
  const message = `${Math.floor(bytes / MIB)} MiB are free for ${dataDir}`;
  if (bytes >= LITTLE_SPACE_BYTES) return [ok('disk', message)];
  return [bytes >= NO_SPACE_BYTES ? warn('disk', message, FREE_SPACE) : fail('disk', message, FREE_SPACE)];
}

function nearestFolder(path: string): string {
  return existsSync(path) ? path : nearestFolder(dirname(path));
}
