import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const BY_GROUP = 0o020;
const BY_ANYBODY = 0o002;

/** The first file or folder, `path` itself or something in it, that somebody else than root and this user could change. */
export function changeableByOthers(path: string): string | null {
  const stats = lstatSync(path);
  const { uid, gid, mode } = stats;
  if (uid !== 0 && uid !== process.geteuid?.()) return path;
  // The mode of a link means nothing: its folder decides who may replace it.
  if (stats.isSymbolicLink()) return null;
  if ((mode & BY_ANYBODY) > 0 || ((mode & BY_GROUP) > 0 && gid !== 0 && gid !== process.getegid?.())) return path;
  if (!stats.isDirectory()) return null;
  for (const name of readdirSync(path)) {
    const found = changeableByOthers(join(path, name));
    if (found !== null) return found;
  }
  return null;
}
