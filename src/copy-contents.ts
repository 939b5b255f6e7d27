import { closeSync, openSync, readSync, writeSync } from 'node:fs';

const PIECE_BYTES = 1024 ** 2;

/** Fills a file that is there already. It keeps its owner and its mode, which `copyFile` would take from the source. */
export function copyContents(source: string, target: string): void {
  const from = openSync(source, 'r');
  try {
    const to = openSync(target, 'r+');
    try {
      pour(from, to);
    } finally {
      closeSync(to);
    }
  } finally {
    closeSync(from);
  }
}

function pour(from: number, to: number): void {
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  for (let bytes = readSync(from, piece); bytes > 0; bytes = readSync(from, piece)) {
    for (let written = 0; written < bytes; ) written += writeSync(to, piece, written, bytes - written);
  }
}
