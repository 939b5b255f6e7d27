/**
 * Names of the backups that a server makes by itself: `pushctl-2026-11-22T030000Z.db`, by the time at which it was
 * begun. A folder of them is all that is known of them.
 */
import { toTimestamp } from '../../../values/timestamp.ts';

const NAME = /^pushctl-(\d{4}-\d\d-\d\dT)(\d\d)(\d\d)(\d\dZ)\.db$/;
const UNFINISHED = /^pushctl-\d{4}-\d\d-\d\dT\d{6}Z\.db\.\d+\.part(-journal|-wal|-shm)?$/;
/** A clock that is set back by less was set right, and what it has named is believed. */
const AHEAD_MS = 3_600_000;

export interface NamedBackup {
  readonly name: string;
  readonly atMs: number;
}

export function backupName(atMs: number): string {
  return `pushctl-${toTimestamp(atMs).slice(0, 19).replaceAll(':', '')}Z.db`;
}

/** Returns the name of a backup until it is whole. `pid`: the writing process. */
export function unfinishedName(file: string, pid: number): string {
  return `${file}.${pid}.part`;
}

export function isUnfinished(name: string): boolean {
  return UNFINISHED.test(name);
}

/**
 * The backups among these names, the newest first. What is named by a time that is still to come was named by a clock
 * that was wrong: it is older than all others, or no backup would be made until then, and each new one be the oldest.
 */
export function backupsIn(names: readonly string[], nowMs: number): readonly NamedBackup[] {
  const found = names.flatMap((name) => {
    const atMs = timeOf(name);
    return atMs === null ? [] : [{ name, atMs }];
  });
  const isPlausible = ({ atMs }: NamedBackup) => atMs <= nowMs + AHEAD_MS;
  return found.sort((a, b) => Number(isPlausible(b)) - Number(isPlausible(a)) || b.atMs - a.atMs);
}

/** When the newest was begun; null: there is none that is believed. */
export function newestAtMs(backups: readonly NamedBackup[], nowMs: number): number | null {
  const [newest] = backups;
  return newest === undefined || newest.atMs > nowMs + AHEAD_MS ? null : newest.atMs;
}

/** Null: it is no such name. */
function timeOf(name: string): number | null {
  const [, date, hours, minutes, seconds] = NAME.exec(name) ?? [];
  const atMs = date === undefined ? Number.NaN : Date.parse(`${date}${hours}:${minutes}:${seconds}`);
  return Number.isNaN(atMs) ? null : atMs;
}
