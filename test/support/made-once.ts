import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './folder.ts';

/** The variable with the folder in which the files of a run keep what each of them would make alike. */
export const SHARED_FOLDER = 'TEST_SHARED_FOLDER';

let own: string | undefined;
/** The things being made, since two makers at once would write over each other. */
const making = new Map<string, Promise<string>>();

/**
 * Returns the path of a file or a folder that `make` makes there. The first file of a run makes it, or this file if it
 * runs by itself.
 */
export function madeOnce(name: string, make: (path: string) => Promise<unknown>): Promise<string> {
  const path = placeOf(name);
  const made = `${path}.${process.pid}`;
  const known = making.get(name) ?? (existsSync(path) ? Promise.resolve(path) : make(made).then(() => put(made, path)));
  making.set(name, known);
  return known;
}

/** Like `madeOnce`, but synchronous. */
export function madeOnceSync(name: string, make: (path: string) => unknown): string {
  const path = placeOf(name);
  if (existsSync(path)) return path;
  const made = `${path}.${process.pid}`;
  make(made);
  return put(made, path);
}

function placeOf(name: string): string {
  own ??= process.env[SHARED_FOLDER] ?? temporaryFolder();
  return join(own, name);
}

/** Whole from the start, as others may be looking; one of them may have been quicker. */
function put(made: string, path: string): string {
  try {
    renameSync(made, path);
  } catch (error) {
    if (!existsSync(path)) throw error;
    rmSync(made, { recursive: true });
  }
  return path;
}
