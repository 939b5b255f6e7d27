import { existsSync, readFileSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { OperatorProblem } from '../../../process/problem.ts';
import { toTimestamp } from '../../../values/timestamp.ts';
import type { DataFolder } from '../../data-folder.ts';
import { refuseOldNode } from '../database.ts';
import { isBusy, openingProblem } from '../errors.ts';

/** Two simultaneous attempts collide only for a blink. */
const LOCK_TIMEOUT_MS = 250;

export interface Lock {
  /** An owner crashed, and not every page was checked since. */
  readonly isAfterCrash: boolean;
  /** Every page was checked, and is whole. */
  markWhole(): void;
  release(): void;
}

/** Another process owns the folder; the message says which. */
export class FolderInUse extends OperatorProblem {}

/**
 * Makes this process the data folder's only owner; throws `FolderInUse`, with that advice, if there is one. The lock is
 * SQLite's on an empty database: the kernel frees it however its holder dies, kill -9 included. The file beside it
 * names the holder, and remains after a kill, even for later holders, until every page was checked.
 */
export function takeLock(folder: DataFolder, advice = 'Stop it first.'): Lock {
  refuseOldNode();
  folder.claim(folder.lock);
  const db = new Database(folder.lock, { timeout: LOCK_TIMEOUT_MS });
  try {
    db.pragma('journal_mode = MEMORY');
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    if (isBusy(error)) throw new FolderInUse(`${folder.path} is in use by ${ownerOf(folder)}.`, 1, { advice });
    throw openingProblem(folder.lock, error);
  }
  const isAfterCrash = existsSync(folder.owner);
  let isUnproven = isAfterCrash;
  writeOwner(folder);
  return {
    isAfterCrash,
    markWhole: () => {
      isUnproven = false;
    },
    release: () => {
      if (!isUnproven) removeOwner(folder);
      db.close();
    },
  };
}

/** A disk turned read-only keeps the file: the next start checks every page. `rmSync` has no code for this error. */
function removeOwner(folder: DataFolder): void {
  try {
    unlinkSync(folder.owner);
  } catch (error) {
    if (!['ENOENT', 'EROFS'].includes(String((error as NodeJS.ErrnoException).code))) throw error;
  }
}

function writeOwner(folder: DataFolder): void {
  const owner = { pid: process.pid, command: ['pushctl', ...commandWords(process.argv.slice(2))].join(' ') };
  try {
    rmSync(folder.owner, { force: true });
    writeFileSync(folder.owner, JSON.stringify(owner), { flag: 'wx', mode: 0o600 });
  } catch {
    // The disk is full, perhaps: no reason not to read from it.
  }
}

/** Returns only the first words: later ones may be tokens or addresses. */
function commandWords(args: readonly string[]): readonly string[] {
  const isValue = (index: number) => /^--(config|data-dir)$/.test(args[index - 1] ?? '');
  const words = args.filter((word, index) => !word.startsWith('-') && !isValue(index));
  return words.slice(0, 2).filter((word) => /^[a-z]+$/.test(word));
}

function ownerOf(folder: DataFolder): string {
  try {
    const { pid, command } = JSON.parse(readFileSync(folder.owner, 'utf8')) as { pid: number; command: string };
    return `\`${command}\` (process ${pid}, since ${toTimestamp(statSync(folder.owner).mtimeMs)})`;
  } catch {
    return 'another process';
  }
}
