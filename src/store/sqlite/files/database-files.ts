import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

/** A database is up to three files: itself, its write-ahead log, and the log's index. */
export const DATABASE_PARTS = ['', '-wal', '-shm'];

/** Puts a finished file under its final name. From then on it is there whole, also after a power failure. */
export function putInPlace(finished: string, file: string): void {
  syncToDisk(finished);
  renameSync(finished, file);
  syncToDisk(dirname(file));
}

/** Gives a file a second name, under which it stays when the first is given to another. */
export function keepAside(file: string, name: string): void {
  linkSync(file, name);
  syncToDisk(dirname(name));
}

export function removeDatabase(path: string): void {
  for (const part of DATABASE_PARTS) rmSync(`${path}${part}`, { force: true });
}

/** A file, or the names in a folder. */
export function syncToDisk(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
