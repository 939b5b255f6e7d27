import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { readNamedFile } from '../config/named-file.ts';
import { listSettings, readConfigSchema } from '../config/settings.ts';
import { copyPath, gather, namedFiles } from '../config/sources.ts';
import { componentsOf } from '../files/act-as-owner.ts';
import { OperatorProblem } from '../process/problem.ts';

interface CredentialCopy {
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

const BY_GROUP = 0o020;
const BY_ANYBODY = 0o002;
const STICKY = 0o1000;

/**
 * Returns the first path, from `path` down, that others than root and this user could change. Follows links out of
 * `top`; dangling links count as changeable.
 */
export function changeableByOthers(path: string, top = path, seen = new Set([top])): string | null {
  const stats = lstatSync(path);
  if (isOfOthers(stats)) return path;
  // A link's mode means nothing: its folder decides.
  if (stats.isSymbolicLink()) {
    const target = resolve(dirname(path), readlinkSync(path));
    if (target.startsWith(`${top}${sep}`) || seen.has(target)) return null;
    if (!existsSync(target)) return path;
    seen.add(target);
    return replaceableByOthers(dirname(target)) ?? changeableByOthers(target, target, seen);
  }
  if (isOpenToOthers(stats)) return path;
  if (!stats.isDirectory()) return null;
  for (const name of readdirSync(path)) {
    const found = changeableByOthers(join(path, name), top, seen);
    if (found !== null) return found;
  }
  return null;
}

/**
 * Returns the first folder from `above` up whose entry another user could replace. A sticky folder allows that to its
 * owner and the entry's only.
 */
export function replaceableByOthers(above: string): string | null {
  for (let folder = above; folder !== '/'; folder = dirname(folder)) {
    const stats = statSync(folder);
    if (isOfOthers(stats) || (isOpenToOthers(stats) && (stats.mode & STICKY) === 0)) return folder;
  }
  return null;
}

function isOfOthers({ uid }: Stats): boolean {
  return uid !== 0 && uid !== process.geteuid?.();
}

/** Returns whether all, or a group of neither root nor this user, may write. */
function isOpenToOthers({ gid, mode }: Stats): boolean {
  return (mode & BY_ANYBODY) > 0 || ((mode & BY_GROUP) > 0 && gid !== 0 && gid !== process.getegid?.());
}
