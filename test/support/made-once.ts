import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The variable by which the runner tells its files where they keep what all of them would make alike. */
export const SHARED_FOLDER = 'TEST_SHARED_FOLDER';

/** What the first file of a run has made under this name. A file that is run by itself makes it anew. */
export function madeOnce(name: string, make: () => Buffer): Buffer {
  const folder = process.env[SHARED_FOLDER];
  if (folder === undefined) return make();
  const path = join(folder, name);
  try {
    return readFileSync(path);
  } catch {
    const made = make();
    const own = `${path}.${process.pid}`;
    writeFileSync(own, made, { mode: 0o644 });
    // Whole from the start: others may be looking.
    renameSync(own, path);
    return made;
  }
}
