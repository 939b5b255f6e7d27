import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';

const BY_GROUP = 0o020;
const BY_ANYBODY = 0o002;

/**
 * The first file or folder, `path` itself or something in it, that somebody else than root and this user could change. A link that
 * leads out of `top` counts as one: what is there was not looked at.
 */
export function changeableByOthers(path: string, top = path): string | null {
  const stats = lstatSync(path);
  const { uid, gid, mode } = stats;
  if (uid !== 0 && uid !== process.geteuid?.()) return path;
  // The mode of a link means nothing: its folder decides who may replace it.
  if (stats.isSymbolicLink()) {
    const target = resolve(dirname(path), readlinkSync(path));
    return target.startsWith(`${top}${sep}`) ? null : path;
  }
  if ((mode & BY_ANYBODY) > 0 || ((mode & BY_GROUP) > 0 && gid !== 0 && gid !== process.getegid?.())) return path;
  if (!stats.isDirectory()) return null;
  for (const name of readdirSync(path)) {
    const found = changeableByOthers(join(path, name), top);
    if (found !== null) return found;
  }
  return null;
}
