import { openReadOnly } from './database.ts';
import { databasePath } from './folder.ts';

const WORKSPACES = 'SELECT slug AS value, name AS about FROM workspace ORDER BY slug';
const CHANNELS = `SELECT DISTINCT channel.slug AS value, channel.name AS about
  FROM channel JOIN workspace ON workspace.id = channel.workspace_id
  WHERE :workspace IS NULL OR workspace.slug = :workspace ORDER BY channel.slug`;
const KEYS = `SELECT api_key.id AS value, workspace.slug || ' ' || api_key.name AS about
  FROM api_key JOIN workspace ON workspace.id = api_key.workspace_id
  WHERE api_key.revoked_at IS NULL ORDER BY api_key.id`;

export interface Name {
  readonly value: string;
  /** What people call it. */
  readonly about: string;
}

/** What a word on the command line may stand for. */
export type NameQuery =
  | { readonly of: 'workspaces' | 'keys' }
  /** `workspace` null: of all. */
  | { readonly of: 'channels'; readonly workspace: string | null };

/** Names in a data folder's database, read beside its owner. Throws an `OperatorProblem` where it cannot be read. */
export function listNames(dataDir: string, query: NameQuery): readonly Name[] {
  const db = openReadOnly(databasePath(dataDir));
  try {
    switch (query.of) {
      case 'workspaces':
        return db.prepare<[], Name>(WORKSPACES).all();
      case 'keys':
        return db.prepare<[], Name>(KEYS).all();
      case 'channels':
        return db.prepare<[{ workspace: string | null }], Name>(CHANNELS).all({ workspace: query.workspace });
    }
  } finally {
    db.close();
  }
}
