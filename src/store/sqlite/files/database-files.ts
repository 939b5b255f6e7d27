import { linkSync, lstatSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncToDisk } from '../../../files/write.ts';

/** A database's files: itself, its write-ahead log, and the log's index. */
export const DATABASE_PARTS = ['', '-wal', '-shm'];

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
