import { databasePath } from '../data-folder.ts';
import { namesIn } from '../handlers/suggestions.ts';
import type { Name, NameQuery } from '../records.ts';
import { openReadOnly } from './database.ts';
import { sqlOver } from './sql.ts';

/** Reads names beside the data folder's owner. Rejects with `OperatorProblem` if unreadable. */
export async function listNames(dataDir: string, query: NameQuery): Promise<readonly Name[]> {
  using db = openReadOnly(databasePath(dataDir));
  return await namesIn(sqlOver(db), query);
}
