import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** For where the system's own temporary folder is mounted `noexec`: some tests write programs and run them. */
const ELSE = '/var/tmp';

/**
 * Makes the folder in which all that the tests write lies: in the system's temporary folder, or where nothing can be
 * executed there, in another, which it says. Throws where nothing can be executed in that one either.
 */
export function makeScratch(say: (line: string) => void): string {
  const usual = makeFolder(join(tmpdir(), 'pushctl-test-'));
  if (canExecuteIn(usual)) return usual;
  rmSync(usual, { recursive: true });
  const other = makeFolder(join(ELSE, 'pushctl-test-'));
  if (!canExecuteIn(other)) {
    rmSync(other, { recursive: true });
    throw new Error(`Nothing can be executed in ${tmpdir()} or ${ELSE} (noexec?): name another folder by TMPDIR.`);
  }
  say(`Nothing can be executed in ${tmpdir()}, so the tests use ${ELSE}. TMPDIR names another.`);
  return other;
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
