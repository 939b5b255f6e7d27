import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

/** The system's folder in memory: a database of the tests takes a third of the time there. */
const MEMORY = '/dev/shm';
/** More than twice what the tests have needed at once. */
const ENOUGH_BYTES = 2 * 1024 ** 3;
/** The folder for systems that mount their temporary folder `noexec`: some tests write programs and run them. */
const ELSE = '/var/tmp';

/**
 * Makes the folder for all files of the tests: in TMPDIR if it is set; else in memory, unless `onDisk`; else in the
 * temporary folder. If nothing can be executed there, it takes another folder, and says so. Throws if nothing can be
 * executed in that one either.
 */
export function makeScratch(say: (line: string) => void, { onDisk }: { readonly onDisk: boolean }): string {
  const inMemory = onDisk || process.env.TMPDIR !== undefined ? null : scratchInMemory();
  if (inMemory !== null) return inMemory;
  const usual = tryFolder(tmpdir());
  if (usual !== null) return usual;
  const other = tryFolder(ELSE);
  if (other === null)
    throw new Error(`Nothing can be executed in ${tmpdir()} or ${ELSE} (noexec?): name another folder by TMPDIR.`);
  say(`Nothing can be executed in ${tmpdir()}, so the tests use ${ELSE}. TMPDIR names another.`);
  return other;
}

function scratchInMemory(): string | null {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize < ENOUGH_BYTES || freemem() < ENOUGH_BYTES ? null : tryFolder(MEMORY);
  } catch {
    return null;
  }
}

/** Null where nothing can be executed in it. */
function tryFolder(parent: string): string | null {
  const folder = makeFolder(join(parent, 'pushctl-test-'));
  if (canExecuteIn(folder)) return folder;
  rmSync(folder, { recursive: true });
  return null;
}

/** Open to other users, as the system's own temporary folder is: some tests change their user. */
export function makeFolder(prefix: string): string {
  const folder = mkdtempSync(prefix);
  chmodSync(folder, 0o1777);
  return folder;
}

function canExecuteIn(folder: string): boolean {
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
  const { status } = spawnSync(program);
  rmSync(program);
  return status === 0;
}
