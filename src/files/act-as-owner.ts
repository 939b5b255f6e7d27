import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { dirname, join, parse, relative, resolve, sep } from 'node:path';
import { OperatorProblem } from '../process/problem.ts';

/** The kernel's own limit (path_resolution(7)). */
const MAX_LINKS = 40;

/**
 * Lets root act as the user who controls `path`, until the result is disposed of: the owner of the first folder or link
 * on the way there that is not root's. That user could have put a link to any file there, which root would follow. So
 * root drops its rights: user, group and further groups change for the whole process, and the real user stays root, to
 * come back (setresuid(2)). What only root may read must be open by then, and what is needed of this program be loaded:
 * it may lie in a folder that only root can enter.
 *
 * Does nothing for another user, or where the whole way is root's. For the first thread only. Throws an
 * `OperatorProblem` where root may not become that user.
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

/** The owner of a folder or link controls all that is behind it. Null: only root does. */
function ownerAlong(path: string): Pick<Stats, 'uid' | 'gid'> | null {
  for (const { stats } of componentsOf(path)) if (stats.uid !== 0) return stats;
  return null;
}

/** Each folder and link on the way to `path`, and what is there. Ends early at what does not exist. */
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
