import { existsSync, lstatSync, readdirSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';

const BY_GROUP = 0o020;
const BY_ANYBODY = 0o002;
export const STICKY = 0o1000;

/**
 * The first file or folder, `path` itself or something in it, that another user than root and this one could change.
 * Where a link leads out of `top`, what it leads to is looked at as well; a link to nothing counts as one that could be
 * changed.
 */
export function changeableByOthers(path: string, top = path, seen = new Set([top])): string | null {
  const stats = lstatSync(path);
  if (isOfOthers(stats)) return path;
  // The mode of a link means nothing: its folder decides who may replace it.
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
 * The first folder from `above` up in which another user could put something in the place of what is there. In one
 * with the sticky bit only the owners may: of the folder, and of what lies there.
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

/** Whether all may write there, or a group that is neither root's nor this user's. */
export function isOpenToOthers({ gid, mode }: Stats): boolean {
  return (mode & BY_ANYBODY) > 0 || ((mode & BY_GROUP) > 0 && gid !== 0 && gid !== process.getegid?.());
}
