/** Explains SQLite's errors to operators. */
import Database from 'better-sqlite3';
import { OperatorProblem } from '../../process/problem.ts';
import { bugReply, type Damage, type Reply } from '../reply.ts';

/** Describes an error if the disk is at fault, not the program; else undefined. */
export function unavailableReason(error: unknown): string | undefined {
  if (!(error instanceof Database.SqliteError)) return undefined;
  return UNAVAILABLE.has(primaryCode(error.code)) ? `${error.message} (${error.code})` : undefined;
}

/** Returns a throwing call's reply: unavailable if the disk is at fault, else a bug. */
export function errorReply(error: unknown): Reply {
  const reason = unavailableReason(error);
  if (reason === undefined) return bugReply(error);
  const damage = damageOf(error);
  return { kind: 'unavailable', reason, ...(damage && { damage }) };
}

/** An unintelligible page stays so; a refused one may work next time. */
function damageOf(error: unknown): Damage | undefined {
  if (!(error instanceof Database.SqliteError)) return undefined;
  return FAILED_WRITE.test(error.code) ? 'unwritten' : DAMAGE.get(primaryCode(error.code));
}

const FAILED_WRITE = /^SQLITE_IOERR_(?:WRITE|FSYNC|DIR_FSYNC|TRUNCATE|SHMSIZE)$/;

const DAMAGE: ReadonlyMap<string, Damage> = new Map([
  ['SQLITE_CORRUPT', 'lasting'],
  ['SQLITE_NOTADB', 'lasting'],
  ['SQLITE_IOERR', 'passing'],
]);

const UNAVAILABLE: ReadonlySet<string> = new Set([
  'SQLITE_FULL',
  'SQLITE_READONLY',
  'SQLITE_IOERR',
  'SQLITE_BUSY',
  'SQLITE_CANTOPEN',
  'SQLITE_PERM',
  'SQLITE_NOMEM',
  'SQLITE_CORRUPT',
  'SQLITE_NOTADB',
]);

/** Whether another connection holds it. */
export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && primaryCode(error.code) === 'SQLITE_BUSY';
}

/** Converts SQLite's opening errors to problems with advice. Others stay. */
export function openingProblem(path: string, error: unknown): Error {
  if (!(error instanceof Database.SqliteError)) return error as Error;
  switch (primaryCode(error.code)) {
    case 'SQLITE_CORRUPT':
      return new OperatorProblem(`${path} is damaged (${error.message}).`, 1, {
        advice: `See "The database is damaged" in operations.md, and restore a backup with \`pushctl restore\`.`,
      });
    case 'SQLITE_NOTADB':
      return new OperatorProblem(`${path} is not an SQLite database.`, 1, {
        advice: `Restore a backup with \`pushctl restore\`, or move it away.`,
      });
    case 'SQLITE_BUSY':
      return new OperatorProblem(`${path} is locked by another program, such as an open sqlite3 shell.`, 1, {
        advice: 'Stop it and try again.',
      });
    case 'SQLITE_CANTOPEN':
    case 'SQLITE_READONLY':
    case 'SQLITE_PERM':
      return new OperatorProblem(`${path} cannot be written (${error.message}).`, 1, {
        advice: 'Check the owner and mode of the file and its folder.',
      });
    case 'SQLITE_FULL':
      return noSpace(path);
    case 'SQLITE_IOERR':
      // SQLite makes a file beside the database: its only sign of a full disk.
      if (error.code === 'SQLITE_IOERR_SHMSIZE') return noSpace(path);
      return new OperatorProblem(`${path} cannot be read or written (${error.code}: ${error.message}).`, 1, {
        advice: 'Check the disk, and whether it is mounted read-only: journalctl -k -p err',
      });
    default:
      return new OperatorProblem(`${path} cannot be opened (${error.code}: ${error.message}).`);
  }
}

export class NoSpace extends OperatorProblem {}

function noSpace(path: string): NoSpace {
  return new NoSpace(`there is no space left for ${path}.`, 1, { advice: 'Free some space and try again.' });
}

/** `SQLITE_IOERR` of `SQLITE_IOERR_FSYNC`. */
function primaryCode(code: string): string {
  return code.split('_').slice(0, 2).join('_');
}
