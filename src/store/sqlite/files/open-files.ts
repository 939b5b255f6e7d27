import { lstatSync } from 'node:fs';
import { DATABASE_PARTS } from './database-files.ts';

/** An open database's files, by device and inode: names may change their meaning. */
export interface OpenFiles {
  /** Describes the first missing file's fate; null: all are in place. Looks three times. */
  displaced(): string | null;
}

/**
 * Returns the files of a database just opened at `path`. They are only looked at: opening and closing them beside
 * SQLite cancels its locks
 * (https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_).
 */
export function openFiles(path: string, atFirst = identitiesOf(path)): OpenFiles {
  const files = partsOf(path);
  return {
    displaced() {
      const index = files.findIndex((file, at) => identityOf(file) !== atFirst[at]);
      return index === -1 ? null : whatHappened(files[index] ?? path);
    },
  };
}

/** Returns identities for `openFiles` in another thread. */
export function identitiesOf(path: string): readonly (string | null)[] {
  return partsOf(path).map(identityOf);
}

function partsOf(path: string): readonly string[] {
  return DATABASE_PARTS.map((part) => `${path}${part}`);
}

/** Null: missing or unreadable. */
function identityOf(file: string): string | null {
  try {
    const stats = lstatSync(file, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? null : `${stats.dev}:${stats.ino}`;
  } catch {
    return null;
  }
}

function whatHappened(file: string): string {
  return identityOf(file) === null
    ? `${file} has been deleted, moved, or is on a disk that is gone`
    : `${file} is another file than the one that the server has open`;
}
