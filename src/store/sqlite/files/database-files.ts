import { linkSync, lstatSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncToDisk } from '../../../files/put-in-place.ts';

/** A database is up to three files: itself, its write-ahead log, and the log's index. */
export const DATABASE_PARTS = ['', '-wal', '-shm'];

/** Gives a file a second name, under which it stays when the first is given to another. */
export function keepAside(file: string, name: string): void {
  linkSync(file, name);
  syncToDisk(dirname(name));
}

/** The name, or where that is given already, the first of `name.2`, `name.3` and so on that is not. */
export function freeName(name: string): string {
  let free = name;
  for (let next = 2; lstatSync(free, { throwIfNoEntry: false }); next += 1) free = `${name}.${next}`;
  return free;
}

/** With the journal of a copy that was not finished. */
export function removeDatabase(path: string): void {
  for (const part of [...DATABASE_PARTS, '-journal']) rmSync(`${path}${part}`, { force: true });
}
