import { linkSync, lstatSync, rmSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncToDisk } from '../../../files/write.ts';
import { OperatorProblem } from '../../../process/problem.ts';

/** A database's files: itself, its write-ahead log, and the log's index. */
const DATABASE_PARTS = ['', '-wal', '-shm'];

/** Gives a file a second name, which outlasts a reuse of the first. */
export function keepAside(file: string, name: string): void {
  linkSync(file, name);
  syncToDisk(dirname(name));
}

/** Returns the name, or the first free one of `name.2`, `name.3` and so on. */
export function freeName(name: string): string {
  let free = name;
  for (let next = 2; lstatSync(free, { throwIfNoEntry: false }); next += 1) free = `${name}.${next}`;
  return free;
}

/** Includes an unfinished copy's journal. */
export function removeDatabase(path: string): void {
  for (const part of [...DATABASE_PARTS, '-journal']) rmSync(`${path}${part}`, { force: true });
}

/** A copy's room while written and checked, as a multiple of its size. */
const WITH_SPARE = 1.2;
const MIB = 1024 ** 2;

/** Throws `OperatorProblem` if the folder of `file` lacks room for a copy of so many bytes. */
export function requireRoom(bytes: number, file: string, advice = 'Free some space, or choose another folder.'): void {
  const { bavail, bsize, blocks } = statfsSync(dirname(file));
  // Some network file systems report nothing.
  if (blocks === 0) return;
  const [wanted, free] = [bytes * WITH_SPARE, bavail * bsize];
  if (free >= wanted) return;
  throw new OperatorProblem(
    `${dirname(file)} has too little space: ${inMib(wanted)} are needed, and ${inMib(free)} are free.`,
    1,
    { advice },
  );
}

function inMib(bytes: number): string {
  return `${(bytes / MIB).toFixed(1)} MiB`;
}

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
