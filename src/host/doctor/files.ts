import {
  accessSync,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Config, SYSTEM_CONFIG_FILE } from '../../config/config.ts';
import { withoutPassword } from '../../config/database.ts';
import { SOCKET_UNITS } from '../../config/held-sockets.ts';
import { readablePath, readNamedFile, whyUnreadable } from '../../config/named-file.ts';
import { actAsOwnerOf, componentsOf } from '../../files/act-as-owner.ts';
import { type Finding, fail, graded, ok, type Setting, warn } from '../../process/finding.ts';
import { providerFiles } from '../../providers/credentials.ts';
import type { NamedFile } from '../../providers/provider.ts';
import { isOpenPort, type Ports } from '../ports.ts';
import {
  type MissingRight,
  whyServiceCannotListen,
  whyServiceCannotRead,
  whyServiceCannotTakeMail,
  whyServiceCannotWrite,
} from '../service-rights.ts';
import { output } from '../unit-sandbox.ts';
import { type BrokenFile, brokenFileFindings } from './causes.ts';

const BY_OTHERS = { read: 0o044, write: 0o022 };

/** Checks the settings file, whose only secret is a database's password. */
export function checkSettingsFile(file: string | null, { store }: Pick<Config, 'store'>): Finding[] {
  if (file === null)
    return [ok('configuration', 'there is no file: settings come from the environment and the defaults')];
  const stats = statSync(file);
  if (stats.mode & BY_OTHERS.write) {
    return [fail('configuration', `other users can change ${file}`, `chmod 600 ${file}`)];
  }
  if (stats.mode & BY_OTHERS.read && [store?.url, store?.listenUrl].some(hasPassword)) {
    const message = `other users can read ${file}, which contains the password of the database`;
    return [
      fail(
        'configuration',
        message,
        `move the password into a separate file (store.password_file), or chmod 600 ${file}`,
      ),
    ];
  }
  return [ok('configuration', `${file} is right`)];
}

function hasPassword(url: string | null | undefined): boolean {
  return Boolean(url) && withoutPassword(url ?? '') !== url;
}

/** Checks named files: present, valid, readable for the service's user, and keys for nobody else. */
export function checkNamedFiles(config: Config, configFile: string | null): Finding[] {
  const { store, tls, oidc, webhooks, dataDir } = config;
  const files: readonly NamedFile[] = [
    ...providerFiles(config),
    { setting: 'store.password_file', file: store?.passwordFile ?? null, isSecret: true },
    { setting: 'store.ca_file', file: store?.caFile ?? null, isSecret: false },
    { setting: 'tls.cert', file: tls?.cert ?? null, isSecret: false },
    { setting: 'tls.key', file: tls?.key ?? null, isSecret: true },
    { setting: 'oidc.client_secret_file', file: oidc?.clientSecretFile ?? null, isSecret: true },
    { setting: 'tls.acme.ca_file', file: tls?.acme?.caFile ?? null, isSecret: false },
    { setting: 'webhooks.ca_file', file: webhooks.caFile, isSecret: false },
  ];
  const broken: BrokenFile[] = [];
  const usable = files.flatMap(({ setting, file, isSecret }) => {
    if (!file) return [];
    const finding =
      unusable(setting, file, readablePath(config, file)) ??
      (configFile === SYSTEM_CONFIG_FILE
        ? missing(setting, whyServiceCannotRead(file))
        : outOfReach(setting, file, existing(dataDir)));
    if (finding !== null) broken.push({ setting, file, finding });
    return finding === null && isSecret ? [checkMode(setting, file)] : [];
  });
  return [...brokenFileFindings(broken), ...usable];
}

function unusable(setting: Setting, file: string, place: string): Finding | null {
  try {
    readNamedFile(place);
    return null;
  } catch (error) {
    const isForbidden = (error as NodeJS.ErrnoException).code === 'EACCES';
    const advice = isForbidden ? 'run this as root' : `restore the file, or change ${setting}`;
    return fail(setting, `${file} ${whyUnreadable(error)}`, advice);
  }
}

/** Checks whether the installed service may listen there; root may anywhere. */
export function checkListen(
  { listen, senders: { smtp } }: Pick<Config, 'listen' | 'senders'>,
  configFile: string | null,
  held: Ports = {},
): Finding[] {
  if (configFile !== SYSTEM_CONFIG_FILE) return [];
  const findings = [
    missing('listen', whyServiceCannotListen(listen.port, held)),
    missing('senders.smtp.listen', whyServiceCannotTakeMail(smtp.listen?.port ?? 0)),
    missing('senders.smtp.listen_tls', whyServiceCannotTakeMail(smtp.listenTls?.port ?? 0)),
  ];
  return findings.filter((finding) => finding !== null);
}

export function checkPorts({ tls, proxy, baseUrl }: Pick<Config, 'tls' | 'proxy' | 'baseUrl'>, held: Ports): Finding[] {
  const { https, http } = held;
  const isEncrypted = tls !== null || proxy.trusted.length > 0;
  const own = 'set [tls] first (sudo pushctl init)';
  const findings: Finding[] = [];
  if (https !== undefined && isOpenPort(https) && !isEncrypted) {
    const message = `port ${https.port} can be reached from outside, and [tls] is not set`;
    const advice = `${own}; or, behind a proxy, set proxy.trusted, or listen on 127.0.0.1:${https.port}`;
    findings.push(fail(SOCKET_UNITS.https, message, advice));
  }
  if (http !== undefined && tls === null && !baseUrl?.startsWith('https:')) {
    const advice = `${own}; or, behind a proxy, set base_url to its https address`;
    findings.push(fail(SOCKET_UNITS.http, 'it redirects to HTTPS, but the server has no HTTPS', advice));
  }
  return findings;
}

/** Checks whether the installed service may write to its data folder. */
export function checkDataDir({ dataDir }: Pick<Config, 'dataDir'>, configFile: string | null): Finding[] {
  const problem = configFile === SYSTEM_CONFIG_FILE ? missing('data_dir', whyServiceCannotWrite(dataDir)) : null;
  return problem === null ? [] : [problem];
}

function missing(setting: Setting, right: MissingRight | null): Finding | null {
  return right && fail(setting, right.message, right.advice);
}

/** Root can read everything; the data folder owner's server cannot. */
function outOfReach(setting: Setting, file: string, owner: Stats | null): Finding | null {
  if (owner === null || owner.uid === process.geteuid?.() || isReadableBy(owner, file)) return null;
  const message = `the user of the service may not read ${file}`;
  return fail(setting, message, 'give that user read access to the file, and access to the folders above it');
}

function isReadableBy({ uid, gid }: Pick<Stats, 'uid' | 'gid'>, file: string): boolean {
  return [...componentsOf(file)].every(({ stats }) => {
    if (stats.isSymbolicLink()) return true;
    const right = stats.isDirectory() ? 0o1 : 0o4;
    if (stats.uid === uid) return (stats.mode & (right << 6)) > 0;
    return (stats.mode & (stats.gid === gid ? right << 3 : right)) > 0;
  });
}

function checkMode(setting: Setting, file: string): Finding {
  const { mode } = statSync(file);
  if (mode & BY_OTHERS.write) return fail(setting, `other users can change ${file}`, `chmod 600 ${file}`);
  if (mode & BY_OTHERS.read) return warn(setting, `other users can read ${file}`, `chmod 600 ${file}`);
  return ok(setting, `only its owner can read ${file}`);
}

/** Root's own, in a folder that is a file system of its own. */
const LOST_AND_FOUND = 'lost+found';

/**
 * Checks that one owner has the folder and all in it. Root follows the advice, so it names only the folder and leaves
 * link targets alone: the owner chooses file names.
 */
export function checkDataFolder(dataDir: string): Finding[] {
  const check = 'data folder';
  const folder = existing(dataDir);
  if (folder === null) return [ok(check, `${dataDir} does not exist yet: the first start creates it`)];
  if (!folder.isDirectory()) return [fail(check, `${dataDir} is not a folder`, 'choose another data_dir')];
  if (!isReadable(dataDir)) {
    return [fail(check, `this user may not read ${dataDir}`, 'run this as root or as the user of the service')];
  }
  if (folder.mode & 0o077) return [fail(check, `${dataDir} is open to other users`, `chmod 700 ${dataDir}`)];
  const names = readdirSync(dataDir).filter((name) => name !== LOST_AND_FOUND);
  const files = names.map((name) => join(dataDir, name));
  const foreign = files.filter((file) => ownerOf(file, folder.uid) !== folder.uid);
  if (foreign.length > 0) {
    const isRoots = foreign.every((file) => ownerOf(file, 0) === 0);
    const message = `${foreign.join(', ')} ${foreign.length === 1 ? 'belongs' : 'belong'} to ${isRoots ? 'root' : 'another user'}, unlike the folder`;
    return [graded(isRoots ? 'warn' : 'fail', check, message, `chown -hR --reference=${dataDir} ${dataDir}`)];
  }
  return [
    ok(check, `${dataDir} and the ${files.length} files in it belong to one user, and other users have no access`),
  ];
}

function existing(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/** `lstat`: the link itself. `gone`: the result for a file just removed. */
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
