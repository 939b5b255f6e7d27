import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { dirname, join, parse, relative, resolve, sep } from 'node:path';
import { OperatorProblem } from '../process/problem.ts';

/** The kernel's own limit (path_resolution(7)). */
const MAX_LINKS = 40;

/**
 * Lets root act as the user who controls `path`, until disposal: the first owner on the way who is not root. That user
 * could link to any file, which root would follow.
 *
 * The whole process changes user, group and further groups; root remains the real user, to return (setresuid(2)). Open
 * root's files and load needed code before, as the program's folder may be closed to that user.
 *
 * Does nothing for other users, or on a way entirely root's. Must run in the first thread. Throws `OperatorProblem` if
 * the change fails.
 */
export function actAsOwnerOf(path: string): Disposable {
  const owner = process.geteuid?.() === 0 ? ownerAlong(resolve(path)) : null;
  if (owner === null) return { [Symbol.dispose]() {} };
  const { setgroups, setegid, seteuid, getgroups, getegid } = process as Required<NodeJS.Process>;
  const [groups, gid] = [getgroups(), getegid()];
  const comeBack = () => {
    seteuid(0);
    setegid(gid);
    setgroups(groups);
  };
  try {
    setgroups([]);
    setegid(owner.gid);
    seteuid(owner.uid);
  } catch (error) {
    comeBack();
    throw new OperatorProblem(
      `root could not act as user ${owner.uid}, the owner of ${path}: ${(error as Error).message}.`,
      1,
      { advice: 'Run this as that user.' },
    );
  }
  return { [Symbol.dispose]: comeBack };
}

/** Returns the owner controlling all behind a folder or link; null: root. */
function ownerAlong(path: string): Pick<Stats, 'uid' | 'gid'> | null {
  for (const { stats } of componentsOf(path)) if (stats.uid !== 0) return stats;
  return null;
}

/** Yields folders and links on the way to `path`, and the target, until something is missing. */
export function* componentsOf(path: string): Generator<{ readonly at: string; readonly stats: Stats }> {
  const { root } = parse(path);
  let at = root;
  let names = relative(root, path).split(sep);
  for (let links = 0; names.length > 0 && links <= MAX_LINKS; ) {
    const [name = '', ...rest] = names;
    const here = join(at, name);
    const stats = lstatSync(here, { throwIfNoEntry: false });
    if (stats === undefined) return;
    yield { at: here, stats };
    if (stats.isSymbolicLink()) {
      const target = resolve(dirname(here), readlinkSync(here));
      names = [...relative(root, target).split(sep), ...rest];
      at = root;
      links += 1;
    } else {
      names = rest;
      at = here;
    }
  }
}
