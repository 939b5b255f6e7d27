import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder (0700) with parents. Throws like `mkdirSync`. Node's `recursive` hangs in places like /proc, where
 * this fails with ENOENT.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}
