import { publicIdOf } from '../../contract/public-id.ts';
import { openReadOnly } from './database.ts';
import { databasePath } from './files/folder.ts';

const WORKSPACES = 'SELECT slug AS value, name AS about FROM workspace ORDER BY slug';
const CHANNELS = `SELECT DISTINCT channel.slug AS value, channel.name AS about
  FROM channel JOIN workspace ON workspace.id = channel.workspace_id
  WHERE :workspace IS NULL OR workspace.slug = :workspace ORDER BY channel.slug`;
const KEYS = `SELECT api_key.id AS value, workspace.slug || ' ' || api_key.name AS about
  FROM api_key JOIN workspace ON workspace.id = api_key.workspace_id
  WHERE api_key.revoked_at IS NULL ORDER BY api_key.id`;

/** The prefix is matched in SQL, as there may be very many members. */
const MEMBERS = `SELECT person.email AS value, person.name AS about FROM person
  WHERE person.email >= :prefix AND person.email < :prefix || char(1114111) AND EXISTS (
    SELECT 1 FROM member JOIN workspace ON workspace.id = member.workspace_id
    WHERE member.user_id = person.id AND (:workspace IS NULL OR workspace.slug = :workspace)
  ) ORDER BY person.email LIMIT 100`;
const DEVICES = `SELECT device.public_id AS value, person.email || ' ' || device.name AS about
  FROM device JOIN person ON person.id = device.user_id
  WHERE device.public_id >= :prefix AND device.public_id < :prefix || char(1114111) ORDER BY device.public_id LIMIT 100`;
const LATEST_EVENTS = 'SELECT lower(hex(uuid)) AS uuid, title AS about FROM event ORDER BY id DESC LIMIT 50';

export interface Name {
  readonly value: string;
  /** Its display name. */
  readonly about: string;
}

/** Which names are asked for. */
export type NameQuery =
  | { readonly of: 'workspaces' | 'keys' | 'events' }
  | { readonly of: 'devices'; readonly prefix: string }
  /** By their addresses. `workspace` as below. */
  | { readonly of: 'members'; readonly workspace: string | null; readonly prefix: string }
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
      case 'devices':
        return db.prepare<[{ prefix: string }], Name>(DEVICES).all({ prefix: query.prefix });
      case 'members': {
        const { workspace, prefix } = query;
        return db.prepare<[{ workspace: string | null; prefix: string }], Name>(MEMBERS).all({ workspace, prefix });
      }
      case 'events':
        return db
          .prepare<[], { uuid: string; about: string }>(LATEST_EVENTS)
          .all()
          .map(({ uuid, about }) => ({ value: publicIdOf(uuid), about }));
      case 'channels':
        return db.prepare<[{ workspace: string | null }], Name>(CHANNELS).all({ workspace: query.workspace });
    }
  } finally {
    db.close();
  }
}
