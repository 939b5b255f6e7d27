import { openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { databasePath } from '../../data-folder.ts';
import { noDatabase, workAsOwnerOf } from '../database.ts';
import { type Backup, type BackupOptions, backUp } from './backup.ts';
import { removeDatabase } from './database-files.ts';

const STREAMED = 'pushctl.db.streamed-';
const LEFT_BEHIND = /^pushctl\.db\.streamed-(\d+)(\.\d+\.part)?$/;

/** `fd`: reads the nameless backup, which is gone once closed. */
export interface StreamedBackup {
  readonly fd: number;
  readonly backup: Backup;
}

/**
 * A backup to be passed on, unreadable until fully checked. The data folder has room for it, and is private. Throws as
 * `backUp` does.
 */
export async function openBackup(options: Omit<BackupOptions, 'file'>): Promise<StreamedBackup> {
  const { dataDir } = options;
  const file = join(dataDir, `${STREAMED}${process.pid}`);
  removeLeftBehind(dataDir);
  const backup = await backUp({ ...options, file });
  using _ = workAsOwnerOf(file);
  const fd = openSync(file, 'r');
  rmSync(file);
  return { fd, backup };
}

/** Removes killed processes' files. */
function removeLeftBehind(dataDir: string): void {
  using _ = workAsOwnerOf(join(dataDir, STREAMED));
  for (const name of namesIn(dataDir)) {
    const [, pid] = LEFT_BEHIND.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) removeDatabase(join(dataDir, name));
  }
}

function namesIn(dataDir: string): readonly string[] {
  try {
    return readdirSync(dataDir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw noDatabase(databasePath(dataDir));
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
