import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
// Needed by modules that run unbundled: all that connect to another machine name the program to it.
import './address-attempts.ts';

/** Found, and read, when the program starts: later it may act as a user who cannot enter its folder. */
const ROOT = packageRoot();
const BUILD = buildIn(packagePath('dist', 'build.json'));
const MANIFEST: Manifest = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
const VERSION = BUILD.build === null ? MANIFEST.version : `${MANIFEST.version}+${BUILD.build}`;

/** The path of a file of this package (`src/store/sqlite/migrations`, `schemas`), also where code runs from `dist`. */
export function packagePath(...parts: string[]): string {
  return join(ROOT, ...parts);
}

/**
 * The version of this program: `0.1.0+587.gad8bb4b` of a build from a checkout, with the number of commits and the hash
 * of the last behind the version that it will be part of.
 */
export function packageVersion(): string {
  return VERSION;
}

export function packageLicense(): string {
  return MANIFEST.license;
}

/** The time of the sources that this program was built of; null: it is not known. */
export function packageTimeMs(): number | null {
  const ms = Date.parse(BUILD.at ?? '');
  return Number.isNaN(ms) ? null : ms;
}

/** How this program names itself to the servers that it asks. */
export const USER_AGENT = `pushctl/${VERSION}`;

interface Manifest {
  readonly version: string;
  readonly license: string;
}

/** Reads the build that bin/setup.js has written. */
function buildIn(file: string): { readonly build: string | null; readonly at?: string } {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { build: null };
}

function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}
