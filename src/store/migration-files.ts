import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface SqlFile {
  readonly file: string;
  readonly sql: string;
}

export interface Migration extends SqlFile {
  /** The schema's version once it is applied; 1 for the first. */
  readonly version: number;
}

/** All of a folder, in the order of their names. */
export function sqlFilesIn(folder: string): readonly SqlFile[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
  return files.sort().map((file) => ({ file, sql: readFileSync(join(folder, file), 'utf8') }));
}

/** The numbered files of a folder, `0001_….sql`, `0002_….sql` and so on without a gap. */
export function migrationsIn(folder: string): readonly Migration[] {
  return sqlFilesIn(folder).map(({ file, sql }, index) => {
    const version = index + 1;
    if (!file.startsWith(`${String(version).padStart(4, '0')}_`))
      throw new Error(`${file} is not migration ${version}`);
    return { version, file, sql };
  });
}
