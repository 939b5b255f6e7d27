import { type Clock, systemClock } from '../clock.ts';
import { auditor } from './audit.ts';
import { type Committer, createCommitter } from './committer.ts';
import { openDatabase } from './database.ts';
import { prepareFolder } from './folder.ts';
import type { Db, StoreSettings } from './handlers.ts';
import { takeLock } from './lock.ts';
import { rights } from './rights.ts';
import { assembleHandlers } from './store.ts';
import { advice } from './suggestions.ts';
import { type Upgrade, upgrade } from './upgrade.ts';

export interface StoreOptions {
  readonly dataDir: string;
  readonly settings: StoreSettings;
}

export interface OwnedStore extends Committer {
  /** What opening it did to the schema; null: nothing. */
  readonly upgraded: Upgrade | null;
  close(): void;
}

/**
 * Takes the data folder, opens and migrates its database. Throws an `OperatorProblem` where any of this is not possible. Every
 * time that is stored is read from `clock`.
 */
export function ownStore({ dataDir, settings }: StoreOptions, clock: Clock = systemClock()): OwnedStore {
  const folder = prepareFolder(dataDir);
  const lock = takeLock(folder);
  let db: Db | undefined;
  const close = () => {
    db?.close();
    lock.release();
  };
  try {
    folder.claim(folder.database);
    db = openDatabase(folder.database);
    const upgraded = upgrade(db, folder);
    return { ...committerOver(db, settings, clock), upgraded, close };
  } catch (error) {
    close();
    throw error;
  }
}

function committerOver(db: Db, settings: StoreSettings, clock: Clock): Committer {
  return createCommitter(db, (hooks) => assembleHandlers(db, settings, hooks), {
    rights: rights(db),
    record: auditor(db),
    advise: advice(db),
    clock,
  });
}
