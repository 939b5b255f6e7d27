import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Found, and read, when the program starts: later it may act as a user who cannot enter its folder. */
const ROOT = packageRoot();
const VERSION = versionOf(packagePath('package.json'), packagePath('dist', 'build.json'));

/**
 * The path of a file of this package (`src/store/sqlite/migrations`, `schemas`), also when the code runs from `dist`.
 */
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

/** How this program names itself to the servers that it asks. */
export const USER_AGENT = `pushctl/${VERSION}`;

function versionOf(manifest: string, built: string): string {
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  if (!existsSync(built)) return version;
  const { build } = JSON.parse(readFileSync(built, 'utf8')) as { build: string | null };
  return build === null ? version : `${version}+${build}`;
}

function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}
