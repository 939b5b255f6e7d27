import { accessSync, constants, lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../../config.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** The unit's LoadCredential. */
const CREDENTIALS_FOLDER = '/etc/pushctl';
const BY_OTHERS = { read: 0o044, write: 0o022 };

/** The file with the settings, which has no secrets in it but says where they are. */
export function checkSettingsFile(file: string | null): Finding[] {
  if (file === null) return [ok('configuration', 'no file: everything comes from the environment and the defaults')];
  const stats = statSync(file);
  if (stats.mode & BY_OTHERS.write) {
    return [fail('configuration', `${file} can be changed by other users`, `chmod 600 ${file}`)];
  }
  return [ok('configuration', `${file} is right`)];
}

/** The key files: there, readable by whoever runs the service, and by nobody else. */
export function checkSecrets({ apns, fcm, tls, dataDir }: Config): Finding[] {
  const secrets = [
    ['apns.key_file', apns?.keyFile],
    ['fcm.service_account_file', fcm?.serviceAccountFile],
    ['tls.key', tls?.key],
  ] as const;
  return secrets.flatMap(([setting, file]) =>
    file === undefined ? [] : checkSecret(setting, file, existing(dataDir)),
  );
}

function checkSecret(setting: string, file: string, dataFolder: Stats | null): Finding {
  const stats = existing(file);
  if (stats === null) return fail(setting, `${file} does not exist`, `put the file there, or change ${setting}`);
  if (!isReadable(file)) {
    return fail(setting, `${file} may not be read by this user`, 'run this as root or as the user of the service');
  }
  if (dataFolder !== null && !isReadableBy(dataFolder, file, stats)) {
    const advice = `put it into ${CREDENTIALS_FOLDER}, whose files the service gets, and name it without a folder`;
    return fail(setting, `${file} may not be read by the user of the service`, advice);
  }
  if (stats.mode & BY_OTHERS.write) {
    return fail(setting, `${file} can be changed by other users`, `chmod 600 ${file}`);
  }
  if (stats.mode & BY_OTHERS.read) {
    return warn(setting, `${file} can be read by other users`, `chmod 600 ${file}`);
  }
  return ok(setting, `${file} is for its owner alone`);
}

/** Root can read everything; the service, whose user owns the data folder, cannot. */
function isReadableBy({ uid, gid }: Stats, file: string, { mode, ...of }: Stats): boolean {
  if (uid === process.geteuid?.() || dirname(file) === CREDENTIALS_FOLDER) return true;
  return (of.uid === uid && (mode & 0o400) > 0) || (of.gid === gid && (mode & 0o040) > 0) || (mode & 0o004) > 0;
}

/**
 * One owner for the folder and all in it, and nobody else. The advice is for root to follow: so it names nothing but the folder,
 * as its owner chooses the names of the files, and leaves what a link points at alone.
 */
export function checkDataFolder(dataDir: string): Finding[] {
  const check = 'data folder';
  const folder = existing(dataDir);
  if (folder === null) return [ok(check, `${dataDir} is not there yet: the first start makes it`)];
  if (!folder.isDirectory()) return [fail(check, `${dataDir} is not a folder`, 'choose another data_dir')];
  if (!isReadable(dataDir)) {
    return [fail(check, `${dataDir} may not be read by this user`, 'run this as root or as the user of the service')];
  }
  if (folder.mode & 0o077) return [fail(check, `${dataDir} is open to other users`, `chmod 700 ${dataDir}`)];
  const files = readdirSync(dataDir).map((name) => join(dataDir, name));
  const foreign = files.filter((file) => ownerOf(file, folder.uid) !== folder.uid);
  if (foreign.length > 0) {
    const advice = `chown -hR --reference=${dataDir} ${dataDir}`;
    return [fail(check, `${foreign.join(', ')} belongs to another user than the folder`, advice)];
  }
  return [ok(check, `${dataDir} and the ${files.length} files in it belong to one user alone`)];
}

function existing(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/** Of a link itself. `gone`: what to answer where the file has just been removed. */
function ownerOf(file: string, gone: number): number {
  return lstatSync(file, { throwIfNoEntry: false })?.uid ?? gone;
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
