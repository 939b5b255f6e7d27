/**
 * Checks whether a caller may still do what they ask, in the transaction that acts. The request was admitted before its
 * body came, perhaps long ago.
 */
import type { Moment } from '../../../process/clock.ts';
import { unreachable } from '../../../push.ts';
import type { Actor, KeyActor, LostRight, UserActor } from '../../calls.ts';
import type { Awaitable, Sql } from '../../sql.ts';
import { sessionOf, vouchers } from './vouchers.ts';

/** Returns the actor's missing right; null: none. */
export type Rights = (actor: Actor, now: Moment) => Awaitable<LostRight | null>;

/** `ofKey`: engine-specific, as every event needs it. */
export function rights(sql: Sql, ofKey: (actor: KeyActor, now: Moment) => Awaitable<LostRight | null>): Rights {
  const isOpen = sql.value<{ session: Buffer; wallMs: number }, 1>(
    'SELECT 1 FROM session WHERE token_hash = :session AND expires_at > :wallMs',
  );
  const statusOf = sql.value<{ id: number }, 'active' | 'suspended'>('SELECT status FROM workspace WHERE id = :id');
  const { roleOf } = vouchers(sql);

  async function ofUser(actor: UserActor, { wallMs }: Moment): Promise<LostRight | null> {
    const session = sessionOf(actor);
    if ((await isOpen({ session, wallMs })) === undefined) return 'not_signed_in';
    const { manages, needs } = actor;
    if (manages === null) return null;
    const role = await roleOf(session, manages);
    if (role === null) return 'workspace_not_found';
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
