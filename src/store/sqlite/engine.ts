import { existsSync } from 'node:fs';
import { type Clock, momentOf, systemClock } from '../../process/clock.ts';
import { prepareFolder } from '../data-folder.ts';
import { auditor } from '../handlers/audit.ts';
import { rights } from '../handlers/people/rights.ts';
import { advice } from '../handlers/suggestions.ts';
import { MOVED, type MovedRow, refuseMoved } from '../moved.ts';
import type { StoreSettings } from '../settings.ts';
import { openDatabase } from './database.ts';
import { unavailableReason } from './errors.ts';
import { type LogState, writeAheadLog } from './files/checkpoints.ts';
import { openFiles } from './files/database-files.ts';
import { takeLock } from './files/lock.ts';
import { type Rescue, refuseToForget, rescueOf } from './files/rescue.ts';
import { type Upgrade, upgrade } from './files/upgrade.ts';
import { type Committer, createCommitter } from './group-commit.ts';
import { assembleHandlers } from './handlers.ts';
import { keyRights } from './key-rights.ts';
import { type QueueClock, queueClock } from './queue-clock.ts';
import { sqlOver } from './sql.ts';
import type { Db } from './transaction.ts';

export interface StoreOptions {
  readonly dataDir: string;
  readonly settings: StoreSettings;
}

export interface OwnedStore extends Pick<Committer, 'run'> {
  /** The schema upgrade of this opening; null: none needed. */
  readonly upgraded: Upgrade | null;
  readonly isNew: boolean;
  /** The previous owner was killed or lost power, and `markWhole` was not called since. */
  readonly wasKilled: boolean;
  /** Every page was checked, and is whole. */
  markWhole(): void;
  /** Describes what happened to the database's files; null: they are in place. */
  displaced(): string | null;
  /** A copy beside, still to be saved. */
  rescue(): Rescue;
  /** Leaves checkpoints of the write-ahead log to others from then on. */
  leaveLog(): { state(): Promise<LogState>; checkpoint(): Promise<LogState> };
  /** Closes after all earlier calls. */
  close(): Promise<void>;
}

/**
 * Takes the data folder, opens and migrates its database; otherwise throws `OperatorProblem`. Stored times come from
 * `clock`.
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
    const { run, betweenGroups, noteClock } = committerOver(open, settings, clock);
    const leaveLog = () => {
      const log = writeAheadLog(open);
      return { state: () => betweenGroups(log.state), checkpoint: () => betweenGroups(log.checkpoint) };
    };
    const { isAfterCrash: wasKilled, markWhole } = lock;
    const close = () =>
      betweenGroups(() => {
        try {
          noteClock();
        } finally {
          release();
        }
      });
    return { run, upgraded, isNew, wasKilled, markWhole, leaveLog, displaced, rescue, close };
  } catch (error) {
    release();
    throw error;
  }
}

/** `noteClock`: stores a jump of the clock that no group has seen. */
export function committerOver(
  db: Db,
  settings: StoreSettings,
  clock: Clock,
): Committer & { readonly noteClock: () => void } {
  const sql = sqlOver(db);
  const queueTime = queueClock(db, clock);
  const committer = createCommitter(db, (hooks) => assembleHandlers(db, settings, hooks), {
    rights: rights(sql, keyRights(db)),
    record: auditor(sql),
    advise: advice(sql),
    clock: queueTime,
  });
  return { ...committer, noteClock: () => noteIfWritable(queueTime) };
}

/** A closing store with a full disk loses no more than this. */
function noteIfWritable(queueTime: QueueClock): void {
  try {
    queueTime.note(momentOf(queueTime));
  } catch (error) {
    if (unavailableReason(error) === undefined) throw error;
  }
}
