import { access, constants, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import { oldBackupFindings } from '../../health/findings.ts';
import { type After, type Clock, within } from '../../process/clock.ts';
import { backupSeverity, type Finding, graded } from '../../process/finding.ts';
import { backupName, backupsIn, isUnfinished, newestAtMs } from '../../store/sqlite/files/backup-names.ts';
import type { StoredStatus } from '../../store/stored-status.ts';
import { toTimestamp } from '../../values/timestamp.ts';
import { type BackupProcess, type FailedBackup, failure, startBackup } from './process.ts';

/** The folder is looked at this often, because clocks are set and files come and go. */
const LOOK_EVERY_MS = 60_000;
/** The wait after a failure; then four times as long each time. */
const AGAIN_FIRST_MS = 60_000;
const AGAIN_LAST_MS = 3_600_000;
/** Unwritten partial backups this old are abandoned. */
const ABANDONED_MS = 3_600_000;
/** Network file systems may never answer. */
const ENDS_WITHIN_MS = 2_000;
/** After this time, a running backup is reported: it may never end. */
const LONG_MS = 3_600_000;

const AGAIN = 'the server retries by itself; check the folder: sudo pushctl config check';
/** systemd grants write access to folders existing at the start. */
const RESTART =
  'if the folder was created after the service started: systemctl restart pushctl; otherwise find the cause: sudo pushctl config check';

export interface BackupsDeps {
  readonly settings: NonNullable<Config['backup']>;
  readonly dataDir: string;
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly after: After;
  readonly log: Logger;
  /** Whether the database has content and a known backup. */
  readonly hasWorkspace: () => Promise<boolean>;
  readonly hasBackup: () => Promise<boolean>;
  readonly onFailed?: () => void;
  /** Used by tests only. */
  readonly start?: typeof startBackup;
}

/**
 * Makes a backup in a process whenever the newest file is too old, and removes the oldest. Goes by the folder alone, so
 * restarts neither miss nor repeat any. Only libuv's threads and that process wait for disks.
 */
export class Backups {
  readonly #deps: BackupsDeps;
  #cancel: () => void = () => {};
  #isStopped = false;
  #working: Promise<void> = Promise.resolve();
  /** Null: nothing is under way. */
  #busySinceMs: number | null = null;
  #process: BackupProcess | null = null;
  /** Null: the last succeeded. `times`: in a row. `isLook`: none was tried; the next good look clears it. */
  #failed: { at: number; times: number; why: FailedBackup; isLook: boolean } | null = null;
  #nextAtMs: number | null = null;
  #lastBytes: number | null = null;
  #isKnown = false;

  constructor(deps: BackupsDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#plan(0);
  }

  /** Aborts a running backup; the next start makes up for it. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    this.#process?.kill();
    await within(ENDS_WITHIN_MS, this.#working, undefined);
  }

  /** Null: it is not known yet. */
  nextAtMs(): number | null {
    return this.#nextAtMs;
  }

  /** Size of the newest; null: none, or unknown yet. */
  lastBytes(): number | null {
    return this.#lastBytes;
  }

  findings(lastBackup: StoredStatus['lastBackup']): readonly Finding[] {
    const { settings, clock } = this.#deps;
    const lastMs = lastBackup && Date.parse(lastBackup.at);
    const severity = backupSeverity(lastMs, settings.everyMs, clock.wallMs());
    if (this.#busySinceMs !== null && clock.wallMs() - this.#busySinceMs > LONG_MS) {
      const since = toTimestamp(this.#busySinceMs);
      return [
        graded(
          severity,
          'backup',
          `one has been running since ${since}`,
          `check that the disk of ${settings.folder} responds`,
        ),
      ];
    }
    if (this.#failed === null) return oldBackupFindings(lastBackup, settings.everyMs, clock.wallMs());
    const { at, why } = this.#failed;
    const last = lastBackup === null ? 'there is no earlier one' : `the last one is from ${lastBackup.at}`;
    const advice = /EROFS|read-only/.test(why.reason) ? RESTART : (why.advice ?? AGAIN);
    return [graded(severity, 'backup', `failed at ${toTimestamp(at)}, and ${last}: ${why.reason}`, advice)];
  }

  #plan(ms: number): void {
    if (this.#isStopped) return;
    this.#cancel = this.#deps.after(ms, () => {
      this.#working = this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#busySinceMs = this.#deps.clock.wallMs();
    try {
      this.#plan(await this.#look());
    } catch (error) {
      this.#plan(this.#fail(failure((error as Error).message), true));
    } finally {
      this.#busySinceMs = null;
    }
  }

  /** Checks the folder, and makes a due backup. Returns the ms to the next look. */
  async #look(): Promise<number> {
    const { settings, clock, hasBackup, hasWorkspace } = this.#deps;
    const { folder } = settings;
    const names = await namesIn(folder);
    await insistOnWriting(folder);
    const backups = backupsIn(names, clock.wallMs());
    this.#lastBytes = await sizeOf(folder, backups[0]?.name);
    // An unknown one may belong to another database.
    this.#isKnown ||= await hasBackup();
    if (this.#failed?.isLook) this.#failed = null;
    this.#nextAtMs = dueAtMs(this.#isKnown ? newestAtMs(backups, clock.wallMs()) : null, settings);
    const inMs = this.#nextAtMs - clock.wallMs();
    if (inMs > 0) return Math.min(inMs, LOOK_EVERY_MS);
    if (!(await hasWorkspace())) return LOOK_EVERY_MS;
    await this.#removeAbandoned(names);
    return this.#isStopped ? 0 : this.#make();
  }

  async #make(): Promise<number> {
    const { settings, dataDir, clock, log, start = startBackup } = this.#deps;
    const atMs = clock.wallMs();
    const file = join(settings.folder, backupName(atMs));
    this.#process = start(dataDir, file);
    const outcome = await this.#process.done;
    this.#process = null;
    if (this.#isStopped) return 0;
    if ('failed' in outcome) return this.#fail(outcome.failed);
    const { bytes, workspaces, devices, events } = outcome.made;
    this.#isKnown = true;
    this.#failed = null;
    this.#lastBytes = bytes;
    this.#nextAtMs = dueAtMs(atMs, settings);
    log.info({ file, bytes, workspaces, devices, events }, 'a backup was made and verified');
    await this.#removeOldest();
    return LOOK_EVERY_MS;
  }

  /** Returns the ms to the next try. */
  #fail(why: FailedBackup, isLook = false): number {
    const { clock, log, onFailed } = this.#deps;
    const { times } = this.#failed ?? { times: 0 };
    this.#failed = { at: clock.wallMs(), times: times + 1, why, isLook };
    onFailed?.();
    log.error({ reason: why.reason, advice: why.advice }, 'a backup failed; the server retries');
    const inMs = Math.min(AGAIN_FIRST_MS * 4 ** times, AGAIN_LAST_MS);
    this.#nextAtMs = clock.wallMs() + inMs;
    return inMs;
  }

  /** Removes the oldest. Failures do not affect the new backup. */
  async #removeOldest(): Promise<void> {
    const { settings, clock, log } = this.#deps;
    const { folder, keep } = settings;
    const names = await readdir(folder).catch(() => []);
    for (const { name } of backupsIn(names, clock.wallMs()).slice(keep)) {
      const file = join(folder, name);
      if (await isOurs(file)) await this.#remove(file);
      else log.warn({ file }, 'an old backup belongs to another user and is kept');
    }
  }

  /** Removes partial backups of killed processes. */
  async #removeAbandoned(names: readonly string[]): Promise<void> {
    const { settings, clock } = this.#deps;
    for (const name of names.filter(isUnfinished)) {
      const file = join(settings.folder, name);
      const stats = await stat(file).catch(() => null);
      if (stats !== null && Math.abs(clock.wallMs() - stats.mtimeMs) > ABANDONED_MS) await this.#remove(file);
    }
  }

  async #remove(file: string): Promise<void> {
    await rm(file, { force: true }).catch((error: Error) => {
      this.#deps.log.warn({ file, reason: error.message }, 'an old or partial backup could not be removed');
    });
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    throw new Error(`cannot read backup.folder: ${(error as Error).message}`);
  }
}

/** Checks rights and a read-only mount before a backup is due, without writing. */
async function insistOnWriting(folder: string): Promise<void> {
  try {
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Error(`cannot write to backup.folder: ${(error as Error).message}`);
  }
}

/** Null: there is none. */
async function sizeOf(folder: string, name: string | undefined): Promise<number | null> {
  const stats = name === undefined ? null : await stat(join(folder, name)).catch(() => null);
  return stats?.size ?? null;
}

/** Checks the owner: a folder's writers could remove others' files. */
async function isOurs(file: string): Promise<boolean> {
  const stats = await stat(file).catch(() => null);
  return stats?.uid === process.geteuid?.();
}

const DAY_MS = 86_400_000;

/**
 * Returns when a backup is due after the newest (wall time); `null`: there is none, so one is due at once. At a time of
 * day, it is due on the first such time in the interval's last day, whenever the previous one was made. So a backup
 * that was made up for moves no others.
 */
export function dueAtMs(
  newestMs: number | null,
  { at, everyMs }: Pick<NonNullable<Config['backup']>, 'at' | 'everyMs'>,
): number {
  if (newestMs === null) return 0;
  return at === null ? newestMs + everyMs : firstAfter(newestMs + everyMs - DAY_MS, at);
}

/** Returns when clocks first show `at`, or what they show for a skipped time. */
function firstAfter(atMs: number, at: string): number {
  const [hours = 0, minutes = 0] = at.split(':').map(Number);
  const day = new Date(atMs);
  const on = (days: number) =>
    new Date(day.getFullYear(), day.getMonth(), day.getDate() + days, hours, minutes).getTime();
  return on(0) > atMs ? on(0) : on(1);
}
