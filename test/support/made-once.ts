import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './folder.ts';

/** The variable by which the runner tells its files where they keep what all of them would make alike. */
export const SHARED_FOLDER = 'TEST_SHARED_FOLDER';

let own: string | undefined;

/**
 * Where this stands, a file or a folder that `make` makes at the path it is given: by the first file of a run, or by this
 * one, where it is run by itself.
 */
export async function madeOnce(name: string, make: (path: string) => Promise<unknown>): Promise<string> {
  const path = placeOf(name);
  if (existsSync(path)) return path;
  const made = `${path}.${process.pid}`;
  await make(made);
  return put(made, path);
}

/** As `madeOnce`, at once. */
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
