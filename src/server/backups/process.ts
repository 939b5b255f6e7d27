import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { entryUrl } from '../../process/entry-points.ts';
import type { Backup } from '../../store/sqlite/files/backup.ts';
import { unfinishedName } from '../../store/sqlite/files/backup-names.ts';

const MAIN = fileURLToPath(entryUrl('cli/main'));
const PARTS = ['', '-journal', '-wal', '-shm'];
const LONGEST_REASON = 500;

export interface FailedBackup {
  readonly reason: string;
  readonly advice: string | null;
}

export interface BackupProcess {
  readonly done: Promise<{ readonly made: Backup } | { readonly failed: FailedBackup }>;
  kill(): void;
}

/**
 * Runs `pushctl backup` as a process, which spares our threads and returns its memory. Leaves nothing behind after any
 * failure.
 */
export function startBackup(dataDir: string, file: string): BackupProcess {
  // It needs only the data folder of the configuration. A configuration that is being edited is no reason to fail.
  const args = [MAIN, '--config', '/dev/null', '--data-dir', dataDir, '--json', 'backup', file];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: ownEnvironment(),
    // A Ctrl+C is for the server, which ends it.
    detached: true,
  });
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const outcome = async () => {
    const [[code, signal], stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
    const report = documentIn(stdout);
    if (code === 0 && report.backup) return { made: report.backup };
    const parts = PARTS.map((part) => `${unfinishedName(file, Number(child.pid))}${part}`);
    await Promise.allSettled(parts.map((part) => rm(part, { force: true })));
    if (report.error) {
      const { message: reason, advice } = report.error;
      return { failed: { reason, advice } };
    }
    const how = signal === null ? `ended with exit code ${code}` : `was killed by ${signal}`;
    const last = stderr.trim().slice(-LONGEST_REASON);
    return { failed: failure(`its process ${how}${last === '' ? '' : `: ${last}`}`) };
  };
  const done = outcome().catch((error: Error) => ({
    failed: failure(`its process could not be run: ${error.message}`),
  }));
  return { done, kill: () => child.kill('SIGKILL') };
}

export function failure(reason: string): FailedBackup {
  return { reason, advice: null };
}

/** Drops settings and the service manager's variables. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const isOurs = (name: string) => /^(PUSHCTL_|NOTIFY_SOCKET$|WATCHDOG_|LISTEN_)/.test(name);
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isOurs(name)));
}

interface Document {
  readonly backup?: Backup;
  readonly error?: { readonly message: string; readonly advice: string | null };
}

function documentIn(stdout: string): Document {
  try {
    return JSON.parse(stdout) as Document;
  } catch {
    return {};
  }
}
