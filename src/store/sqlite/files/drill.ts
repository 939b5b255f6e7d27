import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { databasePath } from '../../data-folder.ts';
import { workAsOwnerOf } from '../database.ts';
import { type Contents, contentsOf } from './backup.ts';
import { requireRoom } from './database-files.ts';
import { restore } from './restore.ts';

/**
 * Restores a backup into a scratch folder, like a real restore, counts its contents, and removes it. Throws
 * `OperatorProblem` if that fails.
 */
export function drill(file: string, wallMs: number): Contents {
  const scratch = makeScratch(file);
  try {
    restore({ dataDir: scratch, file, resend: false, wallMs });
    return contentsOf(databasePath(scratch));
  } finally {
    using _ = workAsOwnerOf(scratch);
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Makes a private scratch folder, like the backup. */
function makeScratch(file: string): string {
  const path = join(tmpdir(), 'pushctl-drill-');
  const bytes = statSync(resolve(file), { throwIfNoEntry: false })?.size ?? 0;
  using _ = workAsOwnerOf(path);
  requireRoom(bytes, path, 'Free some space, or set TMPDIR to another folder.');
  return mkdtempSync(path);
}
