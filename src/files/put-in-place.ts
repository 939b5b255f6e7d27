import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';

/** Puts a finished file under its final name. From then on it is there whole, also after a power failure. */
export function putInPlace(finished: string, file: string): void {
  syncToDisk(finished);
  renameSync(finished, file);
  syncToDisk(dirname(file));
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
