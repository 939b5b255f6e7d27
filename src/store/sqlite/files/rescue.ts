import { lstatSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { putInPlace } from '../../../files/write.ts';
import { OperatorProblem } from '../../../process/problem.ts';
import { toFileStamp } from '../../../values/timestamp.ts';
import type { DataFolder } from '../../data-folder.ts';
import { openingProblem } from '../errors.ts';
import type { Db } from '../transaction.ts';
import { copyPages } from './backup.ts';
import { removeDatabase } from './database-files.ts';

const RESCUED = '.rescued-';

/** A copy of a database without files. */
export interface Rescue {
  readonly file: string;
  /** Writes the current database (mode 0600). Rejects with `OperatorProblem`, keeping an earlier copy. */
  save(): Promise<void>;
  drop(): void;
}

/** Returns a copy in the data folder, named by time. */
export function rescueOf(db: Db, folder: DataFolder, wallMs: number): Rescue {
  const file = `${folder.database}${RESCUED}${toFileStamp(wallMs)}`;
  return { file, save: () => save(db, folder, file), drop: () => removeDatabase(file) };
}

async function save(db: Db, folder: DataFolder, file: string): Promise<void> {
  const unfinished = `${file}.part`;
  try {
    removeDatabase(unfinished);
    folder.claim(unfinished);
    await copyPages(db, unfinished);
    putInPlace(unfinished, file);
  } catch (error) {
    throw openingProblem(file, error);
  } finally {
    removeDatabase(unfinished);
  }
}

/**
 * Throws an `OperatorProblem` if a new database would replace a lost or moved one. A saved copy exists, or its
 * write-ahead log, with the newest events, which SQLite would delete.
 */
export function refuseToForget({ path, database }: DataFolder): void {
  const rescued = newestRescued(path, database);
  if (rescued !== null) {
    throw new OperatorProblem(
      `${database} is missing. A server saved its contents as ${rescued} when it lost the file. Restore that: \`pushctl restore --resend ${rescued}\`. Or put the file back, or move both away to begin with an empty database.`,
    );
  }
  const log = `${database}-wal`;
  if (sizeOf(log) > 0) {
    throw new OperatorProblem(
      `${database} is missing, but its write-ahead log ${log} exists, and the file is incomplete without it. Put the file back, or move the log away to begin with an empty database.`,
    );
  }
}

/** Returns the newest copy saved by a server; null: none. */
export function newestRescued(dataDir: string, database: string): string | null {
  const prefix = `${basename(database)}${RESCUED}`;
  const names = readdirSync(dataDir).filter((name) => name.startsWith(prefix) && /Z$/.test(name));
  const newest = names.sort().at(-1);
  return newest === undefined ? null : join(dataDir, newest);
}

function sizeOf(file: string): number {
  return lstatSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
