import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder (mode 0700) and its missing parents. Throws as `mkdirSync` does. Node's own `recursive` never returns
 * in a place like /proc, where making any folder fails with ENOENT.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}
