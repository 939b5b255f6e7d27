import type { Moment } from '../../process/clock.ts';
import type { KeyActor, LostRight } from '../calls.ts';
import { type KeyRow, scopesOf } from '../handlers/keys/rows.ts';
import type { WorkspaceRow } from '../handlers/lookups.ts';
import { keyFault } from '../key-fault.ts';
import type { Sql } from '../sql.ts';

interface JudgedKey extends Pick<KeyRow, 'scopes' | 'expires_at' | 'revoked_at'> {
  readonly status: WorkspaceRow['status'];
}

/** Returns the right that an API key lacks; null: none. */
export function keyRights(sql: Sql): (actor: KeyActor, now: Moment) => Promise<LostRight | null> {
  const key = sql.get<{ id: string }, JudgedKey>(`
    SELECT scopes, expires_at, revoked_at, workspace.status
    FROM api_key JOIN workspace ON workspace.id = api_key.workspace_id WHERE api_key.id = :id
  `);

  return async ({ id, scope }, { wallMs }) => {
    const found = await key({ id });
    if (found === undefined) return 'unauthenticated';
    const { revoked_at: revokedAtMs, expires_at: expiresAtMs, status: workspaceStatus } = found;
    return keyFault({ revokedAtMs, expiresAtMs, workspaceStatus, scopes: scopesOf(found) }, scope, wallMs);
  };
}
