import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, SYSTEM_CONFIG_FILE } from '../../config/config.ts';
import { actAsOwnerOf } from '../../files/act-as-owner.ts';
import { type Finding, fail, ok } from '../../process/finding.ts';
import { whyServiceCannotWrite } from '../service-rights.ts';

const CHECK = 'backup.folder';

/** The folder of the backups that the server makes: there, and one that a file can be written to, which is tried. */
export function checkBackupFolder({ backup }: Pick<Config, 'backup'>, configFile: string | null): readonly Finding[] {
  if (backup === null) return [];
  const { folder } = backup;
  const right = configFile === SYSTEM_CONFIG_FILE ? whyServiceCannotWrite(folder, CHECK) : null;
  if (right !== null) return [fail(CHECK, right.message, right.advice)];
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return [fail(CHECK, `there is no ${folder}`, `install -d -m 700 ${folder}`)];
  if (!found.isDirectory()) return [fail(CHECK, `${folder} is not a folder`, 'choose another one')];
  const reason = whyUnwritable(folder);
  if (reason !== null) return [fail(CHECK, `no file can be written to ${folder}: ${reason}`, 'see its owner and mode')];
  return [ok(CHECK, `a file can be written to ${folder}`)];
}

/** Null: it can be written to. Root tries as its owner, as a file system may treat root as no one. */
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
