import { join } from 'node:path';
import Database from 'better-sqlite3';
import { connectionsTo } from '../../src/store/postgres/connections.ts';
import type { Env } from '../support/server.ts';

/** Carries out statements in the database of a server that does not run, whichever it has. */
export function readingFrom({ PUSHCTL_STORE_URL: url, PUSHCTL_DATA_DIR: dataDir = '' }: Env) {
  return async <T>(text: string): Promise<readonly T[]> => {
    if (url === undefined) return inFile(join(dataDir, 'pushctl.db'), text);
    const connections = connectionsTo({ url });
    try {
      return await connections.lend(async ({ sql }) => sql.all<object, T>(text)({}));
    } finally {
      await connections.close();
    }
  };
}

function inFile<T>(path: string, text: string): readonly T[] {
  const db = new Database(path);
  try {
    const statement = db.prepare<[], T>(text);
    if (statement.reader) return statement.all();
    statement.run();
    return [];
  } finally {
    db.close();
  }
}
