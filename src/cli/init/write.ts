import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { exampleConfig, type Values } from '../../config/example.ts';
import { makeFolder } from '../../files/write.ts';
import { OperatorProblem } from '../../process/problem.ts';
import { KEY_FILES } from '../../providers/table.ts';
import { toFileStamp } from '../../values/timestamp.ts';

const OTHER_FILES = ['tls.cert', 'tls.key', 'tls.acme.ca_file'];

/**
 * Writes the configuration (mode 0600) with the providers' keys beside it, so that root can hand them to the service.
 * Keys in `keptIn` stay there. Returns the contents and an earlier configuration's path (null: none).
 */
export function writeConfig(
  file: string,
  values: Values,
  { wallMs, keptIn }: { readonly wallMs: number; readonly keptIn: string | null },
): { written: Values; kept: string | null } {
  const folder = dirname(file);
  attempt(folder, () => makeFolder(folder));
  const placed = new Map(
    [...values].map(([path, value]): [string, unknown] => {
      if (KEY_FILES.includes(path) && dirname(String(value)) !== keptIn) return [path, bring(String(value), folder)];
      return [path, OTHER_FILES.includes(path) ? resolve(String(value)) : value];
    }),
  );
  const kept = hasSettings(file) ? `${file}.${toFileStamp(wallMs)}` : null;
  if (kept !== null) attempt(kept, () => writeForOwner(kept, readFileSync(file)));
  attempt(file, () => writeForOwner(file, exampleConfig(placed)));
  return { written: placed, kept };
}

/** Returns whether the file has any setting. Unchanged examples may be overwritten. */
export function hasSettings(file: string): boolean {
  return (
    existsSync(file) &&
    readFileSync(file, 'utf8')
      .split('\n')
      .some((line) => /^\s*[^#\s]/.test(line))
  );
}

/** Copies a file into the folder; returns its bare name. */
function bring(source: string, folder: string): string {
  const name = basename(source);
  const target = join(folder, name);
  if (resolve(source) === target) return name;
  if (existsSync(target) && !readFileSync(target).equals(readFileSync(source))) {
    throw new OperatorProblem(`${target} already exists with other contents: move it away, or rename ${source}`);
  }
  attempt(target, () => writeForOwner(target, readFileSync(source)));
  return name;
}

/** Writes a file (mode 0600) by renaming: whole or absent, never readable by others, following no link. */
function writeForOwner(file: string, contents: string | Buffer): void {
  const unfinished = `${file}.part`;
  rmSync(unfinished, { force: true });
  writeFileSync(unfinished, contents, { mode: 0o600, flag: 'wx' });
  renameSync(unfinished, file);
}

function attempt(path: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new OperatorProblem(`cannot write ${path} (${code}): run this as root, or pass another file with --config`);
  }
}
