import { accessSync, closeSync, constants, fchownSync, openSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../make-folder.ts';
import { OperatorProblem } from '../problem.ts';

export interface DataFolder {
  readonly path: string;
  readonly database: string;
  readonly lock: string;
  readonly owner: string;
  /**
   * Makes an empty file (mode 0600) that belongs to the folder's owner, where there is none, and checks that it can be
   * written.
   */
  claim(file: string): void;
}

/** Where the database of a data folder is. */
export function databasePath(dataDir: string): string {
  return join(dataDir, 'pushctl.db');
}

/** Where the running server listens for the command line tool. */
export function socketPath(dataDir: string): string {
  return join(dataDir, 'pushctl.sock');
}

/**
 * The data folder, made (mode 0700) if it is missing. Throws an `OperatorProblem` where it is no folder or cannot be
 * written.
 *
 * The command line tool may run as root in a folder of the service's user, who must be able to open every file later. So
 * each file is made here before SQLite opens it, and given to the folder's owner; SQLite, when it runs as root, gives
 * -wal, -shm and -journal the owner of their database. That is sturdier than to drop privileges, after which a command
 * could no longer read the operator's own files. Only a file made just now is given away: the folder's owner could have
 * put a link to a file of root's in its place.
 */
export function prepareFolder(dataDir: string): DataFolder {
  const stats = existing(dataDir) ?? made(dataDir);
  if (!stats.isDirectory()) throw new OperatorProblem(`data_dir ${dataDir} is not a folder. Choose another data_dir.`);
  checkWritable(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  return {
    path: dataDir,
    database: databasePath(dataDir),
    lock: join(dataDir, 'owner.lock'),
    owner: join(dataDir, 'owner.json'),
    claim: (file) => {
      if (!existing(file)) create(file, stats);
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

function made(dataDir: string): Stats {
  try {
    makeFolder(dataDir);
    return statSync(dataDir);
  } catch (error) {
    throw fileProblem(dataDir, error);
  }
}

function create(file: string, folder: Stats): void {
  try {
    const fd = openSync(file, 'wx', 0o600);
    try {
      if (process.geteuid?.() === 0 && folder.uid !== 0) fchownSync(fd, folder.uid, folder.gid);
    } finally {
      closeSync(fd);
    }
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

function fileProblem(path: string, error: unknown): OperatorProblem {
  switch (codeOf(error)) {
    case 'ENOTDIR':
    case 'EEXIST':
      return new OperatorProblem(`a part of the path ${path} is not a folder. Choose another data_dir.`);
    case 'EROFS':
      return new OperatorProblem(
        `${path} is on a read-only file system. Mount it writable, or choose another data_dir.`,
      );
    case 'EACCES':
    case 'EPERM':
      return new OperatorProblem(`${path} cannot be written${ownership(path)}. Run pushctl as its owner or as root.`);
    case 'ENOSPC':
      return new OperatorProblem(`there is no space left for ${path}. Free some and try again.`);
    default:
      return new OperatorProblem(`${path} cannot be used: ${(error as Error).message}.`);
  }
}

function ownership(path: string): string {
  try {
    return `: it belongs to user ${statSync(path).uid}, this is user ${process.geteuid?.()}`;
  } catch {
    return ` by user ${process.geteuid?.()}`;
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
