import { spawn } from 'node:child_process';
import { isAbsolute } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { KnownBackup, StoredStatus } from '../../store/stored-status.ts';

const DEADLINE_MS = 2_000;

/**
 * Returns the newest existing backup, as far as this user sees; null: none. It counts as there if its file system
 * hangs.
 */
export async function existingBackup(
  { lastBackup, earlierBackups }: Pick<StoredStatus, 'lastBackup' | 'earlierBackups'>,
  { program = 'stat', deadlineMs = DEADLINE_MS } = {},
): Promise<KnownBackup | null> {
  const ending = new AbortController();
  const deadline = pause(deadlineMs, null, { signal: ending.signal }).catch(() => null);
  try {
    for (const backup of lastBackup === null ? [] : [lastBackup, ...earlierBackups]) {
      if (!(await isGone(backup.file, program, deadline))) return backup;
    }
    return null;
  } finally {
    ending.abort();
  }
}

/** Asks another program: on a hung mount, a call here would block the exit. `-` is standard output. */
async function isGone(file: string, program: string, deadline: Promise<null>): Promise<boolean> {
  if (!isAbsolute(file)) return false;
  const child = spawn(program, ['--', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
  });
  child.on('error', () => {});
  const output = await Promise.race([text(child.stderr).catch(() => ''), deadline]);
  if (output === null) {
    child.kill('SIGKILL');
    child.stderr.destroy();
    child.unref();
  }
  return output?.trimEnd().endsWith(': No such file or directory') ?? false;
}
