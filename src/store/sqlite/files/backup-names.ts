/** Names of the server's own backups, by start time: `pushctl-2026-11-22T030000Z.db`. Nothing else is known of them. */
import { toTimestamp } from '../../../values/timestamp.ts';

const NAME = /^pushctl-(\d{4}-\d\d-\d\dT)(\d\d)(\d\d)(\d\dZ)\.db$/;
const UNFINISHED = /^pushctl-\d{4}-\d\d-\d\dT\d{6}Z\.db\.\d+\.part(-journal|-wal|-shm)?$/;
/** A clock set back by less was corrected: its names are believed. */
const AHEAD_MS = 3_600_000;

interface NamedBackup {
  readonly name: string;
  readonly atMs: number;
}

export function backupName(atMs: number): string {
  return `pushctl-${toTimestamp(atMs).slice(0, 19).replaceAll(':', '')}Z.db`;
}

/** Returns an unfinished backup's name. `pid`: the writing process. */
export function unfinishedName(file: string, pid: number): string {
  return `${file}.${pid}.part`;
}

export function isUnfinished(name: string): boolean {
  return UNFINISHED.test(name);
}

/**
 * Returns the backups among these names, newest first. Future times come from a wrong clock and count as oldest:
 * otherwise they would prevent backups, and new ones would be removed.
 */
export function backupsIn(names: readonly string[], nowMs: number): readonly NamedBackup[] {
  const found = names.flatMap((name) => {
    const atMs = timeOf(name);
    return atMs === null ? [] : [{ name, atMs }];
  });
  const isPlausible = ({ atMs }: NamedBackup) => atMs <= nowMs + AHEAD_MS;
  return found.sort((a, b) => Number(isPlausible(b)) - Number(isPlausible(a)) || b.atMs - a.atMs);
}

/** The newest's start; null: none credible. */
export function newestAtMs(backups: readonly NamedBackup[], nowMs: number): number | null {
  const [newest] = backups;
  return newest === undefined || newest.atMs > nowMs + AHEAD_MS ? null : newest.atMs;
}

/** Null: no such name. */
function timeOf(name: string): number | null {
  const [, date, hours, minutes, seconds] = NAME.exec(name) ?? [];
  const atMs = date === undefined ? Number.NaN : Date.parse(`${date}${hours}:${minutes}:${seconds}`);
  return Number.isNaN(atMs) ? null : atMs;
}
