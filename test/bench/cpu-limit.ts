import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PERIOD_US = 10_000;
/** The place of the kernel's control groups, and how they limit the CPU: in version 2, and in version 1. */
const VERSIONS = [
  { root: '/sys/fs/cgroup', limits: (us: number) => ({ 'cpu.max': `${us} ${PERIOD_US}` }) },
  {
    root: '/sys/fs/cgroup/cpu',
    limits: (us: number) => ({ 'cpu.cfs_period_us': `${PERIOD_US}`, 'cpu.cfs_quota_us': `${us}` }),
  },
] as const;

/**
 * Gives a process so many cores at most, by a control group of its own, as if it had a machine of its own. Answers what
 * takes that back, as the end of this process does; null where the system does not allow it.
 */
export function limitCpu(pid: number, cores: number): (() => void) | null {
  for (const { root, limits } of VERSIONS) {
    const group = join(root, `pushctl-bench-${pid}`);
    const remove = () => {
      process.off('exit', remove);
      moveTo(root, pid);
      rmdirSync(group);
    };
    try {
      mkdirSync(group);
    } catch {
      continue;
    }
    try {
      if (!existsSync(join(group, 'cgroup.procs'))) throw new Error('a folder, and no control group');
      for (const [file, text] of Object.entries(limits(PERIOD_US * cores))) writeFileSync(join(group, file), text);
      writeFileSync(join(group, 'cgroup.procs'), String(pid));
      process.on('exit', remove);
      return remove;
    } catch {
      rmdirSync(group);
    }
  }
  return null;
}

/** A process that is gone is in no group any more. */
function moveTo(group: string, pid: number): void {
  try {
    writeFileSync(join(group, 'cgroup.procs'), String(pid));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
