import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { etagOf } from '../kept.ts';

/** Encodings, the smallest first. The build makes the copies. */
export const ENCODINGS = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const;
type Encoding = (typeof ENCODINGS)[number]['name'];

interface Bytes {
  readonly body: Buffer;
  readonly etag: string;
}

export interface WebFile extends Bytes {
  readonly type: string;
  readonly encoded: Partial<Record<Encoding, Bytes>>;
}

/** Files by their addresses: `/index.html`, `/assets/index-3f9a.js`. */
export type WebFiles = ReadonlyMap<string, WebFile>;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
};

/** Reads the built app (some hundred KB) into memory. Throws if not built. */
export function readWebFiles(folder: string): WebFiles {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && extname(entry.name) in TYPES)
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(names.map((file) => [file.slice(folder.length), readWebFile(file)]));
}

function readWebFile(file: string): WebFile {
  const body = readFileSync(file);
  return { type: TYPES[extname(file)] ?? '', body, etag: etagOf(body), encoded: encodedCopies(file, body) };
}

function encodedCopies(file: string, original: Buffer): WebFile['encoded'] {
  const copies = ENCODINGS.flatMap(({ name, ending }) => {
    const body = readIfThere(file + ending);
    return body === null ? [] : [[name, { body, etag: etagOf(original, `-${name}`) }] as const];
  });
  return Object.fromEntries(copies);
}

function readIfThere(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
