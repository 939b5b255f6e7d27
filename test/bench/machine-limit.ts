import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The size of a machine. */
export interface Size {
  readonly cores: number;
  readonly memoryBytes?: number;
}

/** A control group of the kernel, and the files that limit it. */
interface Limited {
  readonly root: string;
  readonly files: Readonly<Record<string, number | string>>;
}

const PERIOD_US = 10_000;
/** Control groups of version 2, and of version 1. Each limits what `Size` says. */
const VERSIONS: readonly ((size: Size) => readonly Limited[])[] = [
  ({ cores, memoryBytes }) => [
    {
      root: '/sys/fs/cgroup',
      files: {
        'cpu.max': `${PERIOD_US * cores} ${PERIOD_US}`,
        ...(memoryBytes !== undefined && { 'memory.max': memoryBytes }),
      },
    },
  ],
  ({ cores, memoryBytes }) => [
    {
      root: '/sys/fs/cgroup/cpu',
      files: { 'cpu.cfs_period_us': PERIOD_US, 'cpu.cfs_quota_us': PERIOD_US * cores },
    },
    ...(memoryBytes === undefined
      ? []
      : [{ root: '/sys/fs/cgroup/memory', files: { 'memory.limit_in_bytes': memoryBytes } }]),
  ],
];

/**
 * Limits a process as a machine of that size would. Returns how to undo it, as the end of this process does; null: the
 * system does not allow it.
 */
export function limitMachine(pid: number, size: Size): (() => void) | null {
  for (const version of VERSIONS) {
    const undos: (() => void)[] = [];
    const undo = (): void => {
      process.off('exit', undo);
      for (const remove of undos.splice(0)) remove();
    };
    try {
      for (const limited of version(size)) undos.push(limit(pid, limited));
      process.on('exit', undo);
      return undo;
    } catch {
      undo();
    }
  }
  return null;
}

/** Moves a process into a new group. Returns how to remove the group. */
function limit(pid: number, { root, files }: Limited): () => void {
  const group = join(root, `pushctl-bench-${pid}`);
  mkdirSync(group);
  try {
    if (!existsSync(join(group, 'cgroup.procs'))) throw new Error('a folder, and no control group');
    for (const [file, value] of Object.entries(files)) writeFileSync(join(group, file), String(value));
    writeFileSync(join(group, 'cgroup.procs'), String(pid));
  } catch (error) {
    rmdirSync(group);
    throw error;
  }
  return () => {
    moveTo(root, pid);
    rmdirSync(group);
  };
}

/** A process that is gone is in no group any more. */
function moveTo(group: string, pid: number): void {
  try {
    writeFileSync(join(group, 'cgroup.procs'), String(pid));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
