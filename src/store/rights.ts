/**
 * Whether somebody may still do what they ask. Their request was let in before its body had come, and that may be long ago:
 * so this is looked at in the very transaction that acts.
 */
import type { Moment } from '../clock.ts';
import type { Role, Scope } from '../push.ts';
import { unreachable } from '../push.ts';
import type { Actor, KeyActor, LostRight, UserActor } from './calls.ts';
import type { Db } from './handlers.ts';
import { scopesOf } from './key-rows.ts';

/** What a call in this name lacks; null: nothing. */
export type Rights = (actor: Actor, now: Moment) => LostRight | null;

export function rights(db: Db): Rights {
  const userOfSession = db
    .prepare<[Buffer, number], number>('SELECT user_id FROM session WHERE token_hash = ? AND expires_at > ?')
    .pluck();
  const roleOf = db
    .prepare<[number, number], Role>('SELECT role FROM member WHERE workspace_id = ? AND user_id = ?')
    .pluck();
  const key = db.prepare<[string], KeyStanding>(`
    SELECT revoked_at AS revokedAtMs, expires_at AS expiresAtMs, scopes, workspace.status AS workspaceStatus
    FROM api_key JOIN workspace ON workspace.id = api_key.workspace_id WHERE api_key.id = ?
  `);

  function ofUser({ session, manages }: UserActor, wallMs: number): LostRight | null {
    const userId = userOfSession.get(Buffer.from(session, 'hex'), wallMs);
    if (userId === undefined) return 'not_signed_in';
    if (manages === null) return null;
    const role = roleOf.get(manages, userId);
    if (role === undefined) return 'workspace_not_found';
    return role === 'member' ? 'role_too_low' : null;
  }

  function ofKey({ id, scope }: KeyActor, wallMs: number): LostRight | null {
    const found = key.get(id);
    return found === undefined ? 'unauthenticated' : keyFault({ ...found, scopes: scopesOf(found) }, scope, wallMs);
  }

  return (actor, { wallMs }) => {
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

interface KeyStanding {
  readonly revokedAtMs: number | null;
  readonly expiresAtMs: number | null;
  readonly scopes: string;
  readonly workspaceStatus: 'active' | 'suspended';
}

/** Why a key may not be used for `scope`, or null. */
export function keyFault(
  key: Omit<KeyStanding, 'scopes'> & { readonly scopes: readonly Scope[] },
  scope: Scope,
  wallMs: number,
): LostRight | null {
  if (key.revokedAtMs !== null) return 'key_revoked';
  if (key.expiresAtMs !== null && key.expiresAtMs <= wallMs) return 'key_expired';
  if (!key.scopes.includes(scope)) return 'missing_scope';
  return key.workspaceStatus === 'active' ? null : 'workspace_inactive';
}
