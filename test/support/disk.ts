import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { temporaryFolder } from './folder.ts';

/** Runs `use` with a file system of `kilobytes` of its own; says so and does nothing where mounting is not allowed. */
export async function withSmallDisk(kilobytes: number, use: (folder: string) => Promise<void> | void): Promise<void> {
  const folder = temporaryFolder();
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k,mode=0755`, 'tmpfs', folder]);
  if (mounted.status !== 0) {
    process.stdout.write('skipped: mounting a file system needs root\n');
    return;
  }
  try {
    await use(folder);
  } finally {
    spawnSync('umount', ['--lazy', folder]);
  }
}

/** Makes the file system of `folder`, on which nothing is open for writing, read-only. */
export function remountReadOnly(folder: string): void {
  const { status, stderr } = spawnSync('mount', ['-o', 'remount,ro', folder], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

/** Takes all that is left on the file system, by a file at `path`. */
export function fill(path: string): void {
  for (let bytes = 1024 * 1024; bytes >= 512; ) {
    try {
      writeFileSync(path, Buffer.alloc(bytes), { flag: 'a' });
    } catch {
      bytes /= 2;
    }
  }
}
