import { linkSync, lstatSync, rmSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncToDisk } from '../../../files/write.ts';
import { OperatorProblem } from '../../../process/problem.ts';

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
