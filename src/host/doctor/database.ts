import { existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { OperatorProblem } from '../../problem.ts';
import type { MovedRow } from '../../store/moved.ts';
import { findDamage, openReadOnly } from '../../store/sqlite/database.ts';
import { databasePath, socketPath } from '../../store/sqlite/files/folder.ts';
import { newestRescued } from '../../store/sqlite/files/rescue.ts';
import { newestSetAside } from '../../store/sqlite/queue/set-aside.ts';
import { movedFrom } from '../../store/sqlite/status-offline.ts';
import type { NewestSetAside } from '../../store/stored-status.ts';
import { toTimestamp } from '../../timestamp.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const MIB = 1024 ** 2;
/** Twice what the server keeps of it between checkpoints. */
const LARGE_WAL_BYTES = 128 * MIB;
const LITTLE_SPACE_BYTES = 1024 * MIB;
const NO_SPACE_BYTES = 100 * MIB;

/** Reads beside a running server, which does not wait for it. */
export async function checkDatabase(dataDir: string): Promise<Finding[]> {
  const path = databasePath(dataDir);
  if (!existsSync(path)) return [checkAbsent(dataDir)];
  try {
    const db = openReadOnly(path);
    const damage = findDamage(db, 'quick_check');
    const rest =
      damage.length === 0 ? [...checkMoved(path, movedFrom(db)), ...checkSetAside(await newestSetAside(db))] : [];
    db.close();
    const advice = 'stop the server and restore a backup: `pushctl restore <file>`';
    if (damage.length > 0) return [fail('database', `${path} is damaged: ${damage.join('; ')}`, advice)];
    return [ok('database', `${path} is whole`), checkWal(`${path}-wal`), ...rest];
  } catch (error) {
    if (!(error instanceof OperatorProblem)) throw error;
    return [
      fail('database', error.message, 'see the findings about the data folder; if all is well there, restore a backup'),
    ];
  }
}

/** What it means that there is no database: it was lost under a server, or there never was one. */
export function checkAbsent(dataDir: string): Finding {
  const path = databasePath(dataDir);
  const rescued = existsSync(dataDir) ? newestRescued(dataDir, path) : null;
  if (rescued !== null) {
    const advice = `if it is lost: stop the service, pushctl restore --resend ${rescued}, start the service`;
    return fail('database', `${path} is gone; ${rescued} is what a server saved of it`, advice);
  }
  if (existsSync(socketPath(dataDir))) {
    return fail('database', `${path} is gone, though a server runs on it`, 'see what is said of the server');
  }
  return ok('database', 'there is none yet: the first start makes it');
}

/** Of a store that was moved nobody sends or takes anything. */
export function checkMoved(place: string, moved: MovedRow | null): Finding[] {
  if (moved === null) return [];
  return [
    fail(
      'database',
      `all that is in ${place} was moved to ${moved.place} at ${toTimestamp(moved.at)}, so nobody serves it here`,
      'name that place in the configuration ([store] url, or data_dir without it); to go back: pushctl move --undo',
    ),
  ];
}

/** Pushes that wait because of an error of our own. */
export function checkSetAside(newest: NewestSetAside | null): Finding[] {
  if (newest === null) return [];
  const { count, publicId, route, reason } = newest;
  const one = `${publicId} on ${route}: ${reason}`;
  return [
    fail(
      'queue',
      count === 1
        ? `an event could not be worked off and is set aside, ${one}`
        : `${count} events could not be worked off and are set aside, the newest ${one}`,
      'nothing else waits for that; restart the service (a newer version where there is one) to try again, and report this',
    ),
  ];
}

function checkWal(wal: string): Finding {
  const bytes = statSync(wal, { throwIfNoEntry: false })?.size ?? 0;
  const message = `takes ${Math.ceil(bytes / MIB)} MiB`;
  if (bytes <= LARGE_WAL_BYTES) return ok('write-ahead log', message);
  return warn(
    'write-ahead log',
    message,
    'end what reads the database for long, such as an open sqlite3 shell or a copy',
  );
}

/** Space for the database to grow in. */
export function checkDisk(dataDir: string): Finding[] {
  const { bavail, bsize } = statfsSync(nearestFolder(dataDir));
  const bytes = bavail * bsize;
  const message = `${Math.floor(bytes / MIB)} MiB are free for ${dataDir}`;
  if (bytes >= LITTLE_SPACE_BYTES) return [ok('disk', message)];
  const advice = 'free some, or keep less: [retention] in the configuration';
  return [bytes >= NO_SPACE_BYTES ? warn('disk', message, advice) : fail('disk', message, advice)];
}

function nearestFolder(path: string): string {
  return existsSync(path) ? path : nearestFolder(dirname(path));
}
