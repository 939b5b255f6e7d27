import { OperatorProblem } from '../../process/problem.ts';
import type { Migration } from './files.ts';

/**
 * A database's schema: version, oldest version that a program must know, and digest of the original baseline. Version
 * 0: empty.
 */
export interface SchemaVersion {
  readonly version: number;
  readonly oldest: number;
  readonly digest: string;
}

export const NO_SCHEMA: SchemaVersion = { version: 0, oldest: 0, digest: '' };

/** SQL for both engines: a `SchemaVersion`. */
export const SCHEMA = 'SELECT version, oldest, digest FROM pushctl_schema';

/** A pushctl database without a known schema. */
export const UNKNOWN_BASELINE: SchemaVersion = { version: 1, oldest: 1, digest: '' };

/** Throws an `OperatorProblem` if a program with these `migrations` cannot use it. */
export function refuseSchema(found: SchemaVersion, migrations: readonly Migration[], place: string): void {
  const known = migrations.length;
  if (found.oldest > known) throw tooOld(found, known, place);
  if (hasOwnBaseline(found, migrations)) return;
  throw new OperatorProblem(`${place} has the schema of a different build of pushctl from before 1.0.0.`, 1, {
    advice:
      'Use `pushctl move` to move it to an empty data folder (and back, if it is in PostgreSQL). If its columns do not allow this, start over with an empty store.',
  });
}

/** `oldest` is raised before the upgrade, so that older servers leave first. `answer`: for the package's scripts. */
function tooOld({ version, oldest }: SchemaVersion, known: number, place: string): OperatorProblem {
  const isUnderWay = version < oldest;
  const state = isUnderWay
    ? `is being upgraded to schema ${oldest} by a newer pushctl`
    : `has schema ${version} of a newer pushctl and needs at least schema ${oldest}`;
  return new OperatorProblem(`${place} ${state}. This version knows schemas up to ${known}.`, 1, {
    advice: isUnderWay
      ? 'Install the newer pushctl. If its upgrade fails, this version can start again.'
      : 'Install the newer pushctl again, or restore a backup from before the upgrade.',
    answer: { oldest },
  });
}

/** Returns whether the database is empty, or began with our baseline. */
export function hasOwnBaseline({ version, digest }: SchemaVersion, migrations: readonly Migration[]): boolean {
  return version === 0 || digest === baselineOf(migrations);
}

/** Returns the digest stored by a database of these migrations. */
export function baselineOf([baseline]: readonly Migration[]): string {
  return baseline?.digest ?? '';
}
