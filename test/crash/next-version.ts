import { appendFileSync, cpSync, globSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../src/process/package.ts';
import { readMigrations } from '../../src/store/postgres/migrations.ts';

/** How another version of the program differs from this one. */
export interface Version {
  readonly version: string;
  /** SQL of further migrations, by the ends of their names: `next.sql`. */
  readonly migrations: Readonly<Record<string, string>>;
  /** SQL that each file of functions has in addition. */
  readonly moreFunctions?: string;
  /** Words of program and functions that it writes otherwise. */
  readonly renamed?: Readonly<Record<string, string>>;
}

export const NEXT_VERSION = '99.0.0';
const NEXT: Version = {
  version: NEXT_VERSION,
  migrations: { 'next.sql': 'ALTER TABLE workspace ADD COLUMN next_version {text};\n' },
};
const SCHEMA = 'src/store/schema';
const FUNCTIONS = 'src/store/postgres/functions';

/** Makes a copy of this program in a folder, as its next version would be: one migration more. Returns its main file. */
export function nextVersionIn(folder: string): string {
  return versionIn(folder, NEXT);
}

/** Makes a copy of this program in a folder, with these differences. Returns its main file. */
export function versionIn(folder: string, { version, migrations, moreFunctions = '', renamed = {} }: Version): string {
  for (const part of ['bin', 'dist/program', 'dist/web', 'schemas', FUNCTIONS, SCHEMA]) {
    cpSync(packagePath(part), join(folder, part), { recursive: true });
  }
  symlinkSync(packagePath('node_modules'), join(folder, 'node_modules'));
  const manifest = JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as object;
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, version }));
  for (const [index, [name, sql]] of Object.entries(migrations).entries()) {
    const number = String(readMigrations().length + 1 + index).padStart(4, '0');
    writeFileSync(join(folder, SCHEMA, `${number}_${name}`), sql);
  }
  for (const file of globSync(`${FUNCTIONS}/*.sql`, { cwd: folder })) appendFileSync(join(folder, file), moreFunctions);
  for (const file of globSync(['dist/program/**/*.js', `${FUNCTIONS}/*.sql`], { cwd: folder })) {
    rename(join(folder, file), renamed);
  }
  return join(folder, 'dist/program/cli/main.js');
}

function rename(file: string, words: NonNullable<Version['renamed']>): void {
  const before = readFileSync(file, 'utf8');
  const after = Object.entries(words).reduce(
    (text, [from, to]) => text.replaceAll(new RegExp(`\\b${from}\\b`, 'g'), to),
    before,
  );
  if (after !== before) writeFileSync(file, after);
}
