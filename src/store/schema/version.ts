import { OperatorProblem } from '../../problem.ts';
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
export function refuseSchema(
  { version, oldest, digest }: SchemaVersion,
  migrations: readonly Migration[],
  place: string,
): void {
  const known = migrations.length;
  if (version > known && oldest > known) {
    throw new OperatorProblem(
      `${place} has schema ${version} of a newer pushctl, which needs schema ${oldest}; this version knows schemas up to ${known}.`,
      1,
      { advice: 'Install the newer pushctl again, or restore a backup from before the upgrade.' },
    );
  }
  if (version === 0 || digest === baselineOf(migrations)) return;
  throw new OperatorProblem(`${place} has the schema of another build of pushctl from before 1.0.0.`, 1, {
    advice:
      'Copy it to an empty folder or database with `pushctl move`, if its columns allow it; else start over with an empty one.',
  });
}

/** Returns the digest that a database stores which these migrations made. */
export function baselineOf([baseline]: readonly Migration[]): string {
  return baseline?.digest ?? '';
}
