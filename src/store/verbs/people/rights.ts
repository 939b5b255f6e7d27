/**
 * Whether somebody may still do what they ask. Their request was let in before its body had come, and that may be long
 * ago: so this is looked at in the very transaction that acts.
 */
import type { Moment } from '../../../clock.ts';
import type { Role } from '../../../push.ts';
import { unreachable } from '../../../push.ts';
import type { Actor, KeyActor, LostRight, UserActor } from '../../calls.ts';
import type { Awaitable, Sql } from '../../sql.ts';

/** The right that the actor lacks for a call; null: none. */
export type Rights = (actor: Actor, now: Moment) => Awaitable<LostRight | null>;

/** `ofKey`: the engine's own, as every event needs it. */
export function rights(sql: Sql, ofKey: (actor: KeyActor, now: Moment) => Awaitable<LostRight | null>): Rights {
  const userOfSession = sql.value<{ tokenHash: Buffer; wallMs: number }, number>(
    'SELECT user_id FROM session WHERE token_hash = :tokenHash AND expires_at > :wallMs',
  );
  const roleOf = sql.value<{ workspaceId: number; userId: number }, Role>(
    'SELECT role FROM member WHERE workspace_id = :workspaceId AND user_id = :userId',
  );

  const statusOf = sql.value<{ id: number }, 'active' | 'suspended'>('SELECT status FROM workspace WHERE id = :id');

  async function ofUser({ session, manages, needs }: UserActor, { wallMs }: Moment): Promise<LostRight | null> {
    const userId = await userOfSession({ tokenHash: Buffer.from(session, 'hex'), wallMs });
    if (userId === undefined) return 'not_signed_in';
    if (manages === null) return null;
    const role = await roleOf({ workspaceId: manages, userId });
    if (role === undefined) return 'workspace_not_found';
    if (role === 'member') return 'role_too_low';
    return needs !== undefined && (await statusOf({ id: manages })) !== needs ? 'workspace_inactive' : null;
  }

  return (actor, now) => {
    switch (actor.kind) {
      case 'operator':
        return null;
      case 'user':
        return ofUser(actor, now);
      case 'key':
        return ofKey(actor, now);
      default:
        return unreachable(actor);
    }
  };
}
