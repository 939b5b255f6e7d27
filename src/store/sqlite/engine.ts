import { existsSync } from 'node:fs';
import { type Clock, systemClock } from '../../process/clock.ts';
import { prepareFolder } from '../data-folder.ts';
import { auditor } from '../handlers/audit.ts';
import { rights } from '../handlers/people/rights.ts';
import { advice } from '../handlers/suggestions.ts';
import { MOVED, type MovedRow, refuseMoved } from '../moved.ts';
import type { StoreSettings } from '../settings.ts';
import { openDatabase } from './database.ts';
import type { LogState } from './files/checkpoints.ts';
import { takeLock } from './files/lock.ts';
import { openFiles } from './files/open-files.ts';
import { type Rescue, refuseToForget, rescueOf } from './files/rescue.ts';
import { type Upgrade, upgrade } from './files/upgrade.ts';
import { writeAheadLog } from './files/write-ahead-log.ts';
import { type Committer, createCommitter } from './group-commit.ts';
import { assembleHandlers } from './handlers.ts';
import { keyRights } from './key-rights.ts';
import { sqlOver } from './sql.ts';
import type { Db } from './transaction.ts';

export interface StoreOptions {
  readonly dataDir: string;
  readonly settings: StoreSettings;
}

export interface OwnedStore extends Pick<Committer, 'run'> {
  /** The upgrade of the schema that opening it made; null: none was needed. */
  readonly upgraded: Upgrade | null;
  /** There was no database, so an empty one was made. */
  readonly isNew: boolean;
  /** Its owner before did not close it, as it was killed or the power failed, and `markWhole` was not called since. */
  readonly wasKilled: boolean;
  /** Every page was looked at, and is whole. */
  markWhole(): void;
  /** Returns what happened to the database's files, in words; null: they are in place. */
  displaced(): string | null;
  /** A copy beside them, still to be saved. */
  rescue(): Rescue;
  /** From then on its commits leave the checkpoints of the write-ahead log to others. */
  leaveLog(): { state(): Promise<LogState>; checkpoint(): Promise<LogState> };
  /** Once all that was asked before is done. */
  close(): Promise<void>;
}

/**
 * Takes the data folder, opens and migrates its database. Throws an `OperatorProblem` where any of this is not
 * possible. Every time that is stored is read from `clock`.
 */
export function ownStore({ dataDir, settings }: StoreOptions, clock: Clock = systemClock()): OwnedStore {
  const folder = prepareFolder(dataDir);
  const lock = takeLock(folder);
  let db: Db | undefined;
  const release = () => {
    db?.close();
    lock.release();
  };
  try {
    const isNew = !existsSync(folder.database);
    if (isNew) refuseToForget(folder);
    folder.claim(folder.database);
    const open = openDatabase(folder.database);
    db = open;
    const upgraded = upgrade(open, folder);
    refuseMoved(folder.path, sqlOver(open).get<object, MovedRow>(MOVED)({}));
    const { displaced } = openFiles(folder.database);
    const rescue = () => rescueOf(open, folder, clock.wallMs());
    const { run, betweenGroups } = committerOver(open, settings, clock);
    const leaveLog = () => {
      const log = writeAheadLog(open);
      return { state: () => betweenGroups(log.state), checkpoint: () => betweenGroups(log.checkpoint) };
    };
    const { isAfterCrash: wasKilled, markWhole } = lock;
    const close = () => betweenGroups(release);
    return { run, upgraded, isNew, wasKilled, markWhole, leaveLog, displaced, rescue, close };
  } catch (error) {
    release();
    throw error;
  }
}

/** The calls of the store, over a database whose schema is up to date. */
export function committerOver(db: Db, settings: StoreSettings, clock: Clock): Committer {
  const sql = sqlOver(db);
  return createCommitter(db, (hooks) => assembleHandlers(db, settings, hooks), {
    rights: rights(sql, keyRights(db)),
    record: auditor(sql),
    advise: advice(sql),
    clock,
  });
}
