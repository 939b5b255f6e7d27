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
 * Copies the configuration and the files that it names, for a service that may read neither. Returns what changed: the
 * configuration's file name, and the settings of the named files. A file that cannot be read gets no copy; the service
 * reports it.
 *
 * Copies of files that are no longer named stay, since a running service may still read them. The unit removes them
 * before the next start.
 *
 * Copies only files that root alone can change, including all links and folders on the way. Anyone who could lay a link
 * there would get the contents of any file. The service must be able to read all other files by itself.
 */
export function copyCredentials({ file, folder }: CredentialCopy): readonly string[] {
  const isChanged = mirror(file, join(folder, basename(file)));
  const changed = [...filesNamedIn(file)].filter(([setting, named]) => mirror(named, copyPath(folder, setting, named)));
  return [...(isChanged ? [basename(file)] : []), ...changed.map(([setting]) => setting)];
}

/**
 * Returns the first folder, link or file on the way to `file` that others than root and this user can change; null:
 * none.
 */
export function notRootsAlone(file: string): string | null {
  for (const { at, stats } of componentsOf(file)) if (isChangeable(stats)) return at;
  return null;
}

function isChangeable(stats: Stats): boolean {
  if (isOfOthers(stats)) return true;
  // A link's mode means nothing. In sticky folders such as /tmp, nobody can replace root's files.
  if (stats.isSymbolicLink() || (stats.isDirectory() && stats.mode & STICKY)) return false;
  return isOpenToOthers(stats);
}

/** Returns named files by setting. The service reports mistakes elsewhere in the configuration. */
function filesNamedIn(file: string): ReadonlyMap<string, string> {
  const settings = listSettings(readConfigSchema());
  try {
    return namedFiles(gather(settings, {}, file).values, settings);
  } catch (error) {
    if (error instanceof OperatorProblem) return new Map();
    throw error;
  }
}

/** Returns whether the copy changed. Replaces it whole: no reader gets half. */
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
