import { existsSync, lstatSync, readdirSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';

const BY_GROUP = 0o020;
const BY_ANYBODY = 0o002;
export const STICKY = 0o1000;

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

export function isOfOthers({ uid }: Stats): boolean {
  return uid !== 0 && uid !== process.geteuid?.();
}

/** Returns whether all, or a group of neither root nor this user, may write. */
export function isOpenToOthers({ gid, mode }: Stats): boolean {
  return (mode & BY_ANYBODY) > 0 || ((mode & BY_GROUP) > 0 && gid !== 0 && gid !== process.getegid?.());
}
