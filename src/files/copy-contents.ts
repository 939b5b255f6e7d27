import { closeSync, openSync, readSync, writeSync } from 'node:fs';

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
