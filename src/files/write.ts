import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Renames a finished file durably: complete even after a power failure. */
export function putInPlace(finished: string, file: string): void {
  syncToDisk(finished);
  renameSync(finished, file);
  syncToDisk(dirname(file));
}

/** Syncs a file, or a folder's names. */
export function syncToDisk(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

const PIECE_BYTES = 1024 ** 2;

/** Copies an open file into an existing one, keeping owner and mode, unlike `copyFile`. */
export function copyContents(from: number, target: string): void {
  const to = openSync(target, 'r+');
  try {
    pour(from, to);
  } finally {
    closeSync(to);
  }
}

function pour(from: number, to: number): void {
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  for (let bytes = readSync(from, piece); bytes > 0; bytes = readSync(from, piece)) {
    for (let written = 0; written < bytes; ) written += writeSync(to, piece, written, bytes - written);
  }
}

/**
 * Makes a folder (0700) with parents. Throws like `mkdirSync`. Node's `recursive` hangs in places like /proc, where
 * this fails with ENOENT.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}
