/**
 * Whether somebody may still do what they ask. Their request was let in before its body had come, and that may be long
 * ago: so this is looked at in the very transaction that acts.
 */
import type { Moment } from '../../../clock.ts';
import type { Role } from '../../../push.ts';
import { unreachable } from '../../../push.ts';
import type { Actor, KeyActor, LostRight, UserActor } from '../../calls.ts';
import { keyFault } from '../../key-fault.ts';
import type { Sql } from '../../sql.ts';
import { type KeyRow, scopesOf } from '../keys/rows.ts';
import type { WorkspaceRow } from '../lookups.ts';

/** What a call in this name lacks; null: nothing. */
export type Rights = (actor: Actor, now: Moment) => Promise<LostRight | null>;

export function rights(sql: Sql): Rights {
  const userOfSession = sql.value<{ tokenHash: Buffer; wallMs: number }, number>(
    'SELECT user_id FROM session WHERE token_hash = :tokenHash AND expires_at > :wallMs',
  );
  const roleOf = sql.value<{ workspaceId: number; userId: number }, Role>(
    'SELECT role FROM member WHERE workspace_id = :workspaceId AND user_id = :userId',
  );
  // Every event needs these. Two look-ups take 2 µs; one statement that joins them took 11.
  const key = sql.get<{ id: string }, Pick<KeyRow, 'workspace_id' | 'scopes' | 'expires_at' | 'revoked_at'>>(
    'SELECT workspace_id, scopes, expires_at, revoked_at FROM api_key WHERE id = :id',
  );
  const statusOf = sql.value<{ id: number }, WorkspaceRow['status']>('SELECT status FROM workspace WHERE id = :id');

  async function ofUser({ session, manages }: UserActor, wallMs: number): Promise<LostRight | null> {
    const userId = await userOfSession({ tokenHash: Buffer.from(session, 'hex'), wallMs });
    if (userId === undefined) return 'not_signed_in';
    if (manages === null) return null;
    const role = await roleOf({ workspaceId: manages, userId });
    if (role === undefined) return 'workspace_not_found';
    return role === 'member' ? 'role_too_low' : null;
  }

  async function ofKey({ id, scope }: KeyActor, wallMs: number): Promise<LostRight | null> {
    const found = await key({ id });
    const workspaceStatus = found && (await statusOf({ id: found.workspace_id }));
    if (found === undefined || workspaceStatus === undefined) return 'unauthenticated';
    const { revoked_at: revokedAtMs, expires_at: expiresAtMs } = found;
    return keyFault({ revokedAtMs, expiresAtMs, workspaceStatus, scopes: scopesOf(found) }, scope, wallMs);
  }

  return async (actor, { wallMs }) => {
    switch (actor.kind) {
      case 'operator':
        return null;
      case 'user':
        return ofUser(actor, wallMs);
      case 'key':
        return ofKey(actor, wallMs);
      default:
        return unreachable(actor);
    }
  };
}
