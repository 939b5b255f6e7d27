import { databasePath } from '../data-folder.ts';
import { namesIn } from '../handlers/names.ts';
import type { Name, NameQuery } from '../names.ts';
import { openReadOnly } from './database.ts';
import { sqlOver } from './sql.ts';

/** Names in a data folder's database, read beside its owner. Rejects with an `OperatorProblem` where it cannot be read. */
export async function listNames(dataDir: string, query: NameQuery): Promise<readonly Name[]> {
  using db = openReadOnly(databasePath(dataDir));
  return await namesIn(sqlOver(db), query);
}
