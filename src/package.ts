import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The path of a file of this package (`src/store/sqlite/migrations`, `schemas`), also when the code runs from `dist`.
 */
export function packagePath(...parts: string[]): string {
  return join(packageRoot(), ...parts);
}

/** The version of this program, `0.1.0`. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
  return (manifest as { version: string }).version;
}

function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}
