import { OperatorProblem } from '../../../process/problem.ts';
import { openReadOnly } from '../database.ts';
import { foreignObjects, pendingMigrations, readMigrations, schemaVersion } from '../migrations.ts';

export interface Contents {
  readonly schema: number;
  readonly workspaces: number;
  readonly devices: number;
  readonly events: number;
}

/** Opens a file as this version would, unchanged, and counts its contents. Throws `OperatorProblem` if unusable. */
export function contentsOf(file: string): Contents {
  using db = openReadOnly(file);
  pendingMigrations(db);
  // A newer program made it, but this version may use it.
  const isNewer = schemaVersion(db) > readMigrations().length;
  const [foreign] = isNewer ? [] : foreignObjects(db);
  if (foreign !== undefined) throw new OperatorProblem(`the schema of ${file} is not that of pushctl (${foreign}).`);
  const rowsOf = (table: string) => Number(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
  return {
    schema: schemaVersion(db),
    workspaces: rowsOf('workspace'),
    devices: rowsOf('device'),
    events: rowsOf('event'),
  };
}
