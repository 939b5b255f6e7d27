import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { actAsOwnerOf } from '../../../files/act-as-owner.ts';
import { copyContents, putInPlace, syncToDisk } from '../../../files/write.ts';
import { OperatorProblem } from '../../../process/problem.ts';
import { toFileStamp } from '../../../values/timestamp.ts';
import { type DataFolder, databasePath, prepareFolder } from '../../data-folder.ts';
import { offlineStatus } from '../../handlers/stored-status.ts';
import { findDamage, openDatabase, openReadOnly, workAsOwnerOf } from '../database.ts';
import { unavailableReason } from '../errors.ts';
import { foreignObjects, migrate, pendingMigrations, schemaVersion } from '../migrations.ts';
import { type WithdrawnAll, withdrawAll } from '../queue/withdraw.ts';
import { sqlOver } from '../sql.ts';
import type { Db } from '../transaction.ts';
import { type Contents, contentsOf } from './backup.ts';
import { freeName, keepAside, removeDatabase, requireRoom } from './database-files.ts';
import { takeLock } from './lock.ts';

export interface RestoreOptions {
  readonly dataDir: string;
  readonly file: string;
  /** Sends what waited in the backup. */
  readonly resend: boolean;
  readonly wallMs: number;
}
export interface Restored {
  readonly schema: number;
  readonly events: number;
  /** Waiting pushes that are not sent. */
  readonly withdrawn: number;
  /** Scheduled events that became due since, so perhaps were sent: they are ended. */
  readonly scheduled_ended: number;
  /** Still scheduled ones. */
  readonly scheduled_kept: number;
  /** The earlier database's path; null: none. */
  readonly kept: string | null;
  /** The Web Push key differs from the previous database's. */
  readonly other_webpush_key: boolean;
}

/**
 * Replaces a data folder's database by a backup. Throws an `OperatorProblem`, changing nothing, if a server runs, or
 * the file is unsound or unknown to this version.
 *
 * The backup's queue was mostly sent since, so it is withdrawn unless `resend`. So are scheduled events due by now, but
 * not later ones.
 */
export function restore({ dataDir, file, resend, wallMs }: RestoreOptions): Restored {
  const source = resolve(file);
  const from = openBackup(source);
  try {
    using _ = workAsOwnerOf(dataDir);
    return restoreFrom(from, { dataDir, file: source, resend, wallMs });
  } finally {
    closeSync(from);
  }
}

/** Returns how many pushes wait in a backup; null: unknown, and `restore` says why. */
export async function waitingIn(file: string): Promise<number | null> {
  const source = resolve(file);
  try {
    // Acts as owner, like `openBackup`.
    using _ = workAsOwnerOf(source);
    using db = openReadOnly(source);
    const { queue } = await offlineStatus(sqlOver(db));
    return queue.reduce((sum, { waiting, deferred }) => sum + waiting + deferred, 0);
  } catch {
    return null;
  }
}

function restoreFrom(from: number, { dataDir, file: source, resend, wallMs }: RestoreOptions): Restored {
  const folder = prepareFolder(dataDir);
  const lock = takeLock(folder);
  const copy = `${folder.database}.restoring`;
  try {
    removeDatabase(copy);
    requireRoom(fstatSync(from).size, copy, 'Free some space. Nothing was changed.');
    copyIn(from, source, copy, folder);
    const before = vapidKeyOf(folder.database);
    const madeAtMs = Math.floor(fstatSync(from).mtimeMs);
    const restored = makeReady(copy, source, { withdrawAtMs: resend ? null : wallMs, before, madeAtMs });
    const kept = existsSync(folder.database) ? setAside(folder, wallMs) : null;
    putInPlace(copy, folder.database);
    lock.markWhole();
    return { ...restored, kept };
  } finally {
    removeDatabase(copy);
    lock.release();
  }
}

/**
 * Opens the file before root acts as the data folder's owner, who may lack access. If another user controls the file's
 * place, root reads it as that user. Otherwise a link planted there would put any file's contents into the data folder.
 */
function openBackup(source: string): number {
  using _ = actAsOwnerOf(source);
  if (!existsSync(source)) throw new OperatorProblem(`there is no file ${source}.`);
  const log = statSync(`${source}-wal`, { throwIfNoEntry: false });
  if (log && log.size > 0) {
    throw new OperatorProblem(
      `${source} has a write-ahead log next to it, so it is a database in use or its copy, not a backup. Use a file that \`pushctl backup\` wrote.`,
    );
  }
  const file = opened(source);
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw new OperatorProblem(`${source} is not a file. Nothing was changed.`);
}

/** Opens the source, without waiting for a pipe's other end. */
function opened(source: string): number {
  try {
    return openSync(source, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw new OperatorProblem(`${source} cannot be read: ${(error as Error).message}. Nothing was changed.`);
  }
}

function copyIn(from: number, source: string, copy: string, folder: DataFolder): void {
  folder.claim(copy);
  try {
    copyContents(from, copy);
  } catch (error) {
    throw new OperatorProblem(
      `${source} cannot be copied to ${copy}: ${(error as Error).message}. Nothing was changed.`,
    );
  }
}

interface CopySource {
  /** The backup's time. */
  readonly madeAtMs: number;
  /** null: waiting pushes are sent. */
  readonly withdrawAtMs: number | null;
  /** The Web Push key in use before; null: unknown. */
  readonly before: VapidKeyRow | null;
}

const NOTHING_WITHDRAWN: WithdrawnAll = { withdrawn: 0, scheduledEnded: 0 };

/** Checks and upgrades the copy, and holds its queue back. */
function makeReady(
  copy: string,
  source: string,
  { withdrawAtMs, before, madeAtMs }: CopySource,
): Omit<Restored, 'kept'> {
  const refuse = (why: string) => new OperatorProblem(`${source} cannot be restored: ${why} Nothing was changed.`);
  const db = (() => {
    try {
      return openDatabase(copy);
    } catch (error) {
      // Its advice fits only a database in place.
      const why = error instanceof OperatorProblem ? error.what : (error as Error).message;
      throw refuse(`${why.replace(copy, 'it')} Use a file that \`pushctl backup\` wrote.`);
    }
  })();
  try {
    const [damage] = findDamage(db);
    if (damage !== undefined) throw refuse(`it is damaged (${damage}). Use an older backup.`);
    if (schemaVersion(db) === 0) throw refuse('it is not a backup of pushctl.');
    try {
      pendingMigrations(db);
      const [foreign] = foreignObjects(db);
      if (foreign !== undefined) throw new Error(`its schema is not that of pushctl (${foreign}).`);
      migrate(db);
    } catch (error) {
      throw refuse((error as Error).message);
    }
    const { withdrawn, scheduledEnded } =
      withdrawAtMs === null ? NOTHING_WITHDRAWN : withdrawAll(db, 'restored', withdrawAtMs);
    noteBackup(db, source, madeAtMs);
    const events = Number(db.prepare('SELECT count(*) FROM event').pluck().get());
    const restored = {
      schema: schemaVersion(db),
      events,
      withdrawn,
      scheduled_ended: scheduledEnded,
      scheduled_kept: Number(db.prepare("SELECT count(*) FROM event WHERE kind = 'scheduled'").pluck().get()),
      other_webpush_key: settleVapidKey(db, before),
    };
    // Closing does it too, but silently on a full disk: half would replace the database.
    db.pragma('wal_checkpoint(TRUNCATE)');
    return restored;
  } catch (error) {
    const reason = unavailableReason(error);
    throw reason === undefined ? error : refuse(`${reason}.`);
  } finally {
    db.close();
  }
}

/**
 * Recorded afterwards: a backup does not contain itself; `status` shows the last one's age. A server's or migration's
 * copies are no backups.
 */
function noteBackup(db: Db, file: string, at: number): void {
  if (basename(file).startsWith(`${basename(databasePath(''))}.`)) return;
  db.prepare(
    `INSERT INTO audit (at, actor_kind, actor, action, object)
     SELECT :at, 'operator', :actor, 'backup.make', :file
     WHERE NOT EXISTS (SELECT 1 FROM audit WHERE action = 'backup.make' AND at >= :at)`,
  ).run({ at, file, actor: 'restore' });
}

/** Keeps a database always under its name, and never a log beside another: SQLite would adopt it. */
function setAside({ database, path }: DataFolder, wallMs: number): string {
  const name = freeName(`${database}.${toFileStamp(wallMs)}`);
  try {
    // Closing empties the log into the file.
    openDatabase(database).close();
  } catch {
    // A damaged one is kept as it is, with its log.
  }
  try {
    keepAside(database, name);
  } catch (error) {
    throw new OperatorProblem(
      `${database} cannot be kept as ${name}: ${(error as Error).message}. Nothing was changed.`,
    );
  }
  if (existsSync(`${database}-wal`)) renameSync(`${database}-wal`, `${name}-wal`);
  rmSync(`${database}-shm`, { force: true });
  syncToDisk(path);
  return name;
}

interface VapidKeyRow {
  readonly public_key: string;
  readonly private_key: string;
  readonly made_at: number;
}

/** Returns a database's Web Push key; null: none, or damaged. */
function vapidKeyOf(database: string): VapidKeyRow | null {
  if (!existsSync(database)) return null;
  try {
    using db = openReadOnly(database);
    return keptKeyIn(db);
  } catch {
    return null;
  }
}

/**
 * Browsers are bound to their key, so a backup's key stays. A backup without one gets that of `before`, not a new one.
 * Returns whether the key changed.
 */
function settleVapidKey(db: Db, before: VapidKeyRow | null): boolean {
  const own = keptKeyIn(db);
  if (own !== null) return before !== null && before.public_key !== own.public_key;
  if (before === null) return false;
  db.prepare<[VapidKeyRow]>(
    'INSERT INTO vapid_key (id, public_key, private_key, made_at) VALUES (1, :public_key, :private_key, :made_at)',
  ).run(before);
  return false;
}

function keptKeyIn(db: Db): VapidKeyRow | null {
  const row = db.prepare<[], VapidKeyRow>('SELECT public_key, private_key, made_at FROM vapid_key').get();
  return row ?? null;
}

/**
 * Restores a backup into a scratch folder, like a real restore, counts its contents, and removes it. Throws
 * `OperatorProblem` if that fails.
 */
export function drill(file: string, wallMs: number): Contents {
  const scratch = makeScratch(file);
  try {
    restore({ dataDir: scratch, file, resend: false, wallMs });
    return contentsOf(databasePath(scratch));
  } finally {
    using _ = workAsOwnerOf(scratch);
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Makes a private scratch folder, like the backup. */
function makeScratch(file: string): string {
  const path = join(tmpdir(), 'pushctl-drill-');
  const bytes = statSync(resolve(file), { throwIfNoEntry: false })?.size ?? 0;
  using _ = workAsOwnerOf(path);
  requireRoom(bytes, path, 'Free some space, or set TMPDIR to another folder.');
  return mkdtempSync(path);
}
