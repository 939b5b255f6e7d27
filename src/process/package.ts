import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
// Must be in unbundled modules too: all that connect elsewhere name the program.
import './address-attempts.ts';

/** Found at the start: later the process may act as a user barred from the folder. */
const ROOT = packageRoot();
const BUILD = buildIn(packagePath('dist', 'build.json'));
const MANIFEST: Manifest = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
const VERSION = BUILD.build === null ? MANIFEST.version : `${MANIFEST.version}+${BUILD.build}`;

/** Returns a package file's path (`src/store/sqlite/migrations`, `schemas`), also from `dist`. */
export function packagePath(...parts: string[]): string {
  return join(ROOT, ...parts);
}

/**
 * Returns the version: `0.1.0+587.gad8bb4b` from a checkout, with the number of commits and the last hash behind the
 * coming version.
 */
export function packageVersion(): string {
  return VERSION;
}

export function packageLicense(): string {
  return MANIFEST.license;
}

/** Returns the time of the built sources; null: unknown. */
export function packageTimeMs(): number | null {
  const ms = Date.parse(BUILD.at ?? '');
  return Number.isNaN(ms) ? null : ms;
}

/** Names the program to other servers. */
export const USER_AGENT = `pushctl/${VERSION}`;

interface Manifest {
  readonly version: string;
  readonly license: string;
}

/** Reads the build written by bin/setup.js. */
function buildIn(file: string): { readonly build: string | null; readonly at?: string } {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { build: null };
}

function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}
