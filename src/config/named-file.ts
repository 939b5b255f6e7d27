import { accessSync, closeSync, constants, existsSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from './config.ts';

/** No key or chain is longer: longer files are named by mistake. */
const MAX_FILE_BYTES = 1024 * 1024;

/** Returns a named file's path for this process: perhaps root's copy since the start. */
export function readablePath({ handedOver }: Partial<Pick<Config, 'handedOver'>>, file: string): string {
  const copy = handedOver?.[file];
  return copy !== undefined && existsSync(copy) ? copy : file;
}

/** Reads a key or certificate without blocking on pipes. Throws an error whose `code` `whyUnreadable` knows. */
export function readNamedFile(path: string): Buffer {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor);
    if (stats.isDirectory()) throw withCode('EISDIR');
    if (!stats.isFile()) throw withCode('ENOTFILE');
    if (stats.size > MAX_FILE_BYTES) throw withCode('EFBIG');
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the rest of a sentence about the file. */
export function whyUnreadable(error: unknown): string {
  const { code, path } = error as NodeJS.ErrnoException;
  if (path !== undefined && (code === 'EACCES' || code === 'EPERM') && isClosed(dirname(path))) {
    return `does not exist, or ${dirname(path)} is closed to the user that pushctl runs as`;
  }
  return REASONS[code ?? ''] ?? `cannot be read (${code})`;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  ELOOP: 'is a link in a loop of links',
  EACCES: 'cannot be read by the user that pushctl runs as',
  EPERM: 'cannot be read by the user that pushctl runs as',
  EISDIR: 'is a directory, not a file',
  ENOTFILE: 'is not a regular file',
  EFBIG: 'is larger than 1 MiB, too large for a key or certificate',
};

/** Returns whether this user cannot enter the folder. */
function isClosed(folder: string): boolean {
  try {
    accessSync(folder, constants.X_OK);
    return false;
  } catch {
    return true;
  }
}

function withCode(code: string): Error {
  return Object.assign(new Error(code), { code });
}
