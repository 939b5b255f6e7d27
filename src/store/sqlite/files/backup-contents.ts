import { OperatorProblem } from '../../../process/problem.ts';
import { openReadOnly } from '../database.ts';
import { foreignObjects, pendingMigrations, readMigrations, schemaVersion } from '../migrations.ts';

export interface Contents {
  readonly schema: number;
  readonly workspaces: number;
  readonly devices: number;
  readonly events: number;
}

/**
 * Opens a file as this version would take it, changes nothing, and counts what is in it. Throws an `OperatorProblem`
 * where this version cannot serve it.
 */
export function contentsOf(file: string): Contents {
  using db = openReadOnly(file);
  pendingMigrations(db);
  // A newer program made it, and this version may use it without knowing all of it.
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
