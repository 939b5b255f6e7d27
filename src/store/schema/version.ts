import { OperatorProblem } from '../../process/problem.ts';
import type { Migration } from './files.ts';

/**
 * The schema that a database has: the version, the oldest version that a program must know to use it, and the digest of
 * the baseline that it began with. Version 0: the database is empty.
 */
export interface SchemaVersion {
  readonly version: number;
  readonly oldest: number;
  readonly digest: string;
}

export const NO_SCHEMA: SchemaVersion = { version: 0, oldest: 0, digest: '' };

/** SQL for both engines: a `SchemaVersion`. */
export const SCHEMA = 'SELECT version, oldest, digest FROM pushctl_schema';

/** A database of pushctl that does not say which schema it has. */
export const UNKNOWN_BASELINE: SchemaVersion = { version: 1, oldest: 1, digest: '' };

/** Throws an `OperatorProblem` if this program, which knows `migrations`, cannot use the schema. */
export function refuseSchema(found: SchemaVersion, migrations: readonly Migration[], place: string): void {
  const { version, oldest } = found;
  const known = migrations.length;
  if (version > known && oldest > known) {
    throw new OperatorProblem(
      `${place} has schema ${version} of a newer pushctl and needs at least schema ${oldest}. This version knows schemas up to ${known}.`,
      1,
      { advice: 'Install the newer pushctl again, or restore a backup from before the upgrade.' },
    );
  }
  if (hasOwnBaseline(found, migrations)) return;
  throw new OperatorProblem(`${place} has the schema of a different build of pushctl from before 1.0.0.`, 1, {
    advice:
      'Use `pushctl move` to move it to an empty data folder (and back, if it is in PostgreSQL). If its columns do not allow this, start over with an empty store.',
  });
}

/** Tells whether the database is empty, or began with this program's baseline. */
export function hasOwnBaseline({ version, digest }: SchemaVersion, migrations: readonly Migration[]): boolean {
  return version === 0 || digest === baselineOf(migrations);
}

/** Returns the digest that a database stores which these migrations made. */
export function baselineOf([baseline]: readonly Migration[]): string {
  return baseline?.digest ?? '';
}
