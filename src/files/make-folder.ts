import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder (mode 0700) and those above it, where they are missing. Throws as `mkdirSync` does. Node's own `recursive`
 * never comes back from a place like /proc, where the making of every folder answers ENOENT.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}
