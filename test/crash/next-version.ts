import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../src/process/package.ts';
import { readMigrations } from '../../src/store/postgres/migrations.ts';

/** A copy of this program in a folder, as its next version would be: one migration more. Answers its main file. */
export function nextVersionIn(folder: string): string {
  for (const part of ['bin', 'dist/program', 'dist/web', 'schemas', 'src/store/postgres/functions', SCHEMA]) {
    cpSync(packagePath(part), join(folder, part), { recursive: true });
  }
  symlinkSync(packagePath('node_modules'), join(folder, 'node_modules'));
  const manifest = JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as object;
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, version: NEXT_VERSION }));
  const number = String(readMigrations().length + 1).padStart(4, '0');
  writeFileSync(join(folder, SCHEMA, `${number}_next.sql`), 'ALTER TABLE workspace ADD COLUMN next_version {text};\n');
  return join(folder, 'dist/program/cli/main.js');
}

export const NEXT_VERSION = '99.0.0';
const SCHEMA = 'src/store/schema';
