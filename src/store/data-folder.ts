import { accessSync, closeSync, constants, lstatSync, openSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../files/write.ts';
import { OperatorProblem } from '../process/problem.ts';

const OTHERS_WRITE = 0o022;

export interface DataFolder {
  readonly path: string;
  readonly database: string;
  readonly lock: string;
  readonly owner: string;
  /**
   * Makes a missing file (mode 0600), and checks that it is writable. Throws `OperatorProblem` for anything else, such
   * as a link.
   */
  claim(file: string): void;
}

export function databasePath(dataDir: string): string {
  return join(dataDir, 'pushctl.db');
}

export function socketPath(dataDir: string): string {
  return join(dataDir, 'pushctl.sock');
}

/**
 * Returns the data folder, made if missing (mode 0700). Throws `OperatorProblem` if it is no folder, not writable, or
 * open to others. In another user's folder, root acts as that user (act-as-owner.ts), who must open the files later and
 * could plant links to root's. Files are made here first: SQLite would take the umask's mode.
 */
export function prepareFolder(dataDir: string): DataFolder {
  const stats = existing(dataDir) ?? makeDataFolder(dataDir);
  if (!stats.isDirectory())
    throw new OperatorProblem(`data_dir ${dataDir} is not a folder.`, 1, { advice: 'Choose another data_dir.' });
  checkOwner(dataDir, stats);
  checkWritable(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  return {
    path: dataDir,
    database: databasePath(dataDir),
    lock: join(dataDir, 'owner.lock'),
    owner: join(dataDir, 'owner.json'),
    claim: (file) => {
      const found = lstatSync(file, { throwIfNoEntry: false });
      if (found === undefined) create(file);
      else if (!found.isFile()) throw noPlainFile(file);
      checkWritable(file, constants.R_OK | constants.W_OK);
    },
  };
}

function existing(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw fileProblem(path, error);
  }
}

function makeDataFolder(dataDir: string): Stats {
  try {
    makeFolder(dataDir);
    return statSync(dataDir);
  } catch (error) {
    throw fileProblem(dataDir, error);
  }
}

/** Anyone who can write the folder can replace the database, or plant a link. */
function checkOwner(dataDir: string, { uid, mode }: Stats): void {
  if (process.geteuid?.() === 0 && uid !== 0) {
    throw new OperatorProblem(`${dataDir} belongs to user ${uid}, but pushctl runs as root.`, 1, {
      advice: `Run it as that user: setpriv --reuid=${uid} --clear-groups pushctl …, or as the service.`,
    });
  }
  if ((mode & OTHERS_WRITE) > 0) {
    throw new OperatorProblem(
      `${dataDir} can be written by users other than its owner (mode ${(mode & 0o777).toString(8)}).`,
      1,
      { advice: `Close it: chmod 700 ${dataDir}` },
    );
  }
}

function noPlainFile(file: string): OperatorProblem {
  return new OperatorProblem(`${file} is a link or not a regular file. Links are not followed.`, 1, {
    advice: 'Put the file itself there, or set data_dir to the folder of the file.',
  });
}

function create(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw fileProblem(file, error);
  }
}

function checkWritable(path: string, mode: number): void {
  try {
    accessSync(path, mode);
  } catch (error) {
    throw fileProblem(path, error);
  }
}

/** A command may have no configuration, like the demo. */
const ANOTHER = 'another folder with data_dir or --data-dir';

function fileProblem(path: string, error: unknown): OperatorProblem {
  switch (codeOf(error)) {
    case 'ENOTDIR':
    case 'EEXIST':
      return new OperatorProblem(`a part of the path ${path} is not a folder.`, 1, {
        advice: `Choose ${ANOTHER}.`,
      });
    case 'EROFS':
      return new OperatorProblem(`${path} is on a read-only file system.`, 1, {
        advice: `Mount it writable, or choose ${ANOTHER}.`,
      });
    case 'EACCES':
    case 'EPERM':
      return new OperatorProblem(`${path} cannot be written${ownership(path)}.`, 1, {
        advice: `Run pushctl as its owner or as root, or choose ${ANOTHER}.`,
      });
    case 'ENOSPC':
      return new OperatorProblem(`there is no space left for ${path}.`, 1, {
        advice: 'Free some space and try again.',
      });
    default:
      return new OperatorProblem(`${path} cannot be used: ${(error as Error).message}.`, 1, {
        advice: `Choose ${ANOTHER}.`,
      });
  }
}

function ownership(path: string): string {
  try {
    return `: it belongs to user ${statSync(path).uid}, but pushctl runs as user ${process.geteuid?.()}`;
  } catch {
    return ` by user ${process.geteuid?.()}`;
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
