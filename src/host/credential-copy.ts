import { existsSync, readFileSync, renameSync, rmSync, type Stats, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readNamedFile } from '../config/named-file.ts';
import { listSettings, readConfigSchema } from '../config/settings.ts';
import { copyPath, gather, namedFiles } from '../config/sources.ts';
import { componentsOf } from '../files/act-as-owner.ts';
import { OperatorProblem } from '../process/problem.ts';
import { isOfOthers, isOpenToOthers, STICKY } from './writable-by-others.ts';

export interface CredentialCopy {
  /** The configuration. */
  readonly file: string;
  /** Root's own, where the service may read. */
  readonly folder: string;
}

/**
 * Root makes copies of the configuration and of the files that it names, for a service that may read neither. Returns
 * the file's name of the configuration and the settings whose copies have changed. A file that cannot be read has no
 * copy; the service says what it misses. What is no longer named stays, as a service that runs may still read it. The
 * unit removes it before the next start.
 *
 * Copied is only what root alone can change, links and all: who could lay a link to any file there would get that
 * file's contents by this. Anything else the service must be able to read by itself.
 */
export function copyCredentials({ file, folder }: CredentialCopy): readonly string[] {
  const isChanged = mirror(file, join(folder, basename(file)));
  const changed = [...filesNamedIn(file)].filter(([setting, named]) => mirror(named, copyPath(folder, setting, named)));
  return [...(isChanged ? [basename(file)] : []), ...changed.map(([setting]) => setting)];
}

/** The first folder, link or file on the way to `file` that others than root and this user can change; null: none. */
export function notRootsAlone(file: string): string | null {
  for (const { at, stats } of componentsOf(file)) if (isChangeable(stats)) return at;
  return null;
}

function isChangeable(stats: Stats): boolean {
  if (isOfOthers(stats)) return true;
  // The mode of a link means nothing. In a folder such as /tmp no one can put another thing in the place of root's.
  if (stats.isSymbolicLink() || (stats.isDirectory() && stats.mode & STICKY)) return false;
  return isOpenToOthers(stats);
}

/** Returns the named files by their settings. The service itself reports mistakes in the rest of the configuration. */
function filesNamedIn(file: string): ReadonlyMap<string, string> {
  const settings = listSettings(readConfigSchema());
  try {
    return namedFiles(gather(settings, {}, file).values, settings);
  } catch (error) {
    if (error instanceof OperatorProblem) return new Map();
    throw error;
  }
}

/** Returns whether the copy is another one now. It is replaced whole: no reader gets half of it. */
function mirror(source: string, copy: string): boolean {
  const before = existsSync(copy) ? readFileSync(copy) : null;
  const now = contentsOf(source);
  if (now === null) {
    rmSync(copy, { force: true });
    return before !== null;
  }
  if (before?.equals(now)) return false;
  const unfinished = `${copy}.part`;
  rmSync(unfinished, { force: true });
  writeFileSync(unfinished, now, { mode: 0o640, flag: 'wx' });
  renameSync(unfinished, copy);
  return true;
}

function contentsOf(source: string): Buffer | null {
  if (notRootsAlone(source) !== null) return null;
  try {
    return readNamedFile(source);
  } catch {
    return null;
  }
}
