import { accessSync, constants, existsSync } from 'node:fs';
import { type Config, SERVICE_READ_SOCKET } from '../config/config.ts';
import { databasePath, socketPath } from '../store/data-folder.ts';
import { accountName, type Caller, dataLocation, isOthers } from './data-folder.ts';

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
