import { accessSync, closeSync, constants, openSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, SYSTEM_CONFIG_FILE } from '../../config/config.ts';
import { actAsOwnerOf } from '../../files/act-as-owner.ts';
import { type Finding, fail, ok } from '../../process/finding.ts';
import { whyServiceCannotWrite } from '../service-rights.ts';
import { output } from '../unit-sandbox.ts';

const CHECK = 'backup.folder';

/** Checks that the backup folder exists, and tries to write to it. */
export function checkBackupFolder({ backup }: Pick<Config, 'backup'>, configFile: string | null): readonly Finding[] {
  if (backup === null) return [];
  const { folder } = backup;
  const unusable = unusableBackupFolder({ backup }, configFile);
  if (unusable.length > 0) return unusable;
  const reason = whyUnwritable(folder);
  if (reason !== null) return [fail(CHECK, `pushctl cannot write to ${folder}: ${reason}`, 'check its owner and mode')];
  return [ok(CHECK, `${folder} is writable`)];
}

/** Finds a backup folder that is missing or closed to the service, without writing to it. */
export function unusableBackupFolder(
  { backup }: Pick<Config, 'backup'>,
  configFile: string | null,
): readonly Finding[] {
  if (backup === null) return [];
  const { folder } = backup;
  const finding = findUnusable(folder, configFile === SYSTEM_CONFIG_FILE);
  return finding === null ? [] : [{ ...finding, files: [folder] }];
}

function findUnusable(folder: string, isOfService: boolean): Finding | null {
  const right = isOfService ? whyServiceCannotWrite(folder, CHECK) : null;
  if (right !== null) return fail(CHECK, right.message, right.advice);
  try {
    const found = statSync(folder, { throwIfNoEntry: false });
    if (found === undefined) return fail(CHECK, `${folder} does not exist`, `install -d -m 700 ${folder}`);
    if (!found.isDirectory()) return fail(CHECK, `${folder} is not a folder`, 'choose another folder');
  } catch (error) {
    return fail(CHECK, `pushctl cannot reach ${folder}: ${(error as Error).message}`, 'check its owner and mode');
  }
  const stale = isOfService ? whyRunningCannotWrite(folder, runningService()) : null;
  return stale === null ? null : fail(CHECK, stale, RESTART);
}

const RESTART = 'restart needed: systemctl restart pushctl';

/** Returns the service's process; null: not running, or unknown. */
function runningService(): number | null {
  const pid = Number(output('/usr/bin/systemctl', ['show', 'pushctl.service', '--property=MainPID', '--value']));
  return pid > 0 ? pid : null;
}

/**
 * Returns null if a process can write to a folder, as far as root sees. Folders made after the service's start are
 * read-only to it.
 */
export function whyRunningCannotWrite(folder: string, pid: number | null): string | null {
  if (pid === null || process.geteuid?.() !== 0) return null;
  try {
    accessSync(`/proc/${pid}/root${folder}`, constants.W_OK);
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EROFS' && code !== 'ENOENT') return null;
    return `the running service cannot write to ${folder}, which was created or allowed after the service started`;
  }
}

/** Returns null if writable. Root tries as the owner: a file system may squash root. */
function whyUnwritable(folder: string): string | null {
  const file = join(folder, `.pushctl-${process.pid}.try`);
  using _ = actAsOwnerOf(file);
  try {
    closeSync(openSync(file, 'wx', 0o600));
    rmSync(file);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
