import { accessSync, constants, existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { type Config, SERVICE_READ_SOCKET } from '../config/config.ts';
import { defaultDataDir } from '../config/load.ts';
import { serviceDataDir } from '../host/installed.ts';
import { databasePath, socketPath } from '../store/data-folder.ts';
import { NoDatabase } from '../store/sqlite/database.ts';

interface Caller {
  readonly process: Pick<NodeJS.Process, 'env' | 'argv' | 'getuid'>;
  readonly options: { readonly dataDir?: string };
  note(text: string): void;
}

/** A command's data folder, and other places where data may be. */
interface DataLocation {
  readonly dataDir: string;
  /** Neither the folder nor a database is configured, so this is the user's default. */
  readonly isDefault: boolean;
  /** Data folder of the service on this machine; null: no service is installed. */
  readonly serviceDir: string | null;
  /** The command line as typed. Show it only to the user who typed it. */
  readonly verb: string;
}

/**
 * Runs a command on the configured data folder. Notes if it is not the service's (missing `sudo`?). Without a database,
 * the `OperatorProblem` says where data may be.
 */
export async function onData<T>(
  context: Caller,
  config: Config,
  act: (location: DataLocation) => Promise<T>,
): Promise<T> {
  const location = dataLocation(context, config);
  try {
    const answer = await act(location);
    noteWhereOthers(context, config);
    return answer;
  } catch (error) {
    if (!(error instanceof NoDatabase)) throw error;
    throw new NoDatabase(error.what, 1, { advice: adviceOn(location), code: error.code });
  }
}

export function sandboxFolder(dataDir: string): string {
  return join(dataDir, 'sandbox');
}

/** Gives `onData`'s note to commands that also report folders without a database. */
export function noteWhereOthers(context: Caller, config: Config): void {
  const location = dataLocation(context, config);
  if (isOthers(location)) context.note(`${noteOn(location)}. To see its data: sudo ${location.verb}`);
}

export function dataLocation({ process, options }: Caller, { dataDir, store }: Config): DataLocation {
  const { env, argv } = process;
  const isNamed = options.dataDir !== undefined || Boolean(env.PUSHCTL_DATA_DIR) || store !== null;
  return {
    dataDir,
    isDefault: !isNamed && dataDir === defaultDataDir(env, process.getuid?.()),
    serviceDir: serviceDataDir(),
    verb: ['pushctl', ...argv.slice(2).map(quoted)].join(' '),
  };
}

/** Returns whether a service is installed and its data would be another user's default. */
export function isOthers({ dataDir, isDefault, serviceDir }: DataLocation): boolean {
  return isDefault && serviceDir !== null && dataDir !== serviceDir;
}

export function adviceOn(location: DataLocation): string {
  const { dataDir, serviceDir, verb } = location;
  if (dataDir === serviceDir) {
    return 'The service creates it at its first start. `sudo pushctl doctor` shows what is wrong.';
  }
  if (isOthers(location))
    return `The data of the service on this machine is in ${serviceDir}: sudo ${verb}. For your own data, pass its folder with --data-dir.`;
  return 'If the data is elsewhere, pass its folder with --data-dir. Otherwise start the server (`pushctl serve`) or create the first workspace (`pushctl workspace create`).';
}

export function noteOn({ dataDir, serviceDir }: DataLocation): string {
  return `pushctl: ${accountName()} sees the data in ${dataDir}. Only root may see the data of the service on this machine (${serviceDir})`;
}

/** Returns this command's user. Some user ids have no name. */
export function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Returns the reading socket if this user is only in the service's group; null: the folder's owner, or no right. */
export function readSocketOf(context: Caller, config: Config): string | null {
  if (context.process.getuid?.() === 0 || hasOwnData(config)) return null;
  const path = config.readSocket ?? (isOthers(dataLocation(context, config)) ? SERVICE_READ_SOCKET : null);
  return path !== null && canUse(path, constants.R_OK | constants.W_OK) ? path : null;
}

/** Notes once what is hidden from readers, and the remedy. */
export function noteOnReading(context: Caller, config: Config): void {
  const { verb } = dataLocation(context, config);
  context.note(
    `pushctl: ${accountName()} sees what the running server shows its group. Only root sees its files and the service itself: sudo ${verb}`,
  );
}

/** Returns whether this user can read data there: it may be empty, or the service's closed folder. */
function hasOwnData({ dataDir, store }: Config): boolean {
  if (!canUse(dataDir, constants.X_OK)) return false;
  return store !== null || existsSync(databasePath(dataDir)) || existsSync(socketPath(dataDir));
}

function canUse(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
