import type { Role } from '../../../push.ts';
import type { Refusal } from '../../calls.ts';
import { adminsOnly, lastOwner, ownersOnly } from '../../refusals.ts';
import type { Sql } from '../../sql.ts';

/** What is about to happen to a member. `becomes` null: to be removed. `askedBy` undefined: an operator asks. */
export interface RoleChange {
  readonly workspaceId: number;
  readonly userId: number;
  readonly askedBy: number | undefined;
  readonly becomes: Role | null;
}

/**
 * Why this may not be done to a member, or null. Only owners and operators make, change and remove owners. Whoever
 * asks, one owner stays.
 */
export function roleRules(sql: Sql): (change: RoleChange) => Promise<Refusal | null> {
  const roleOf = sql.value<{ workspaceId: number; userId: number }, Role>(
    'SELECT role FROM member WHERE workspace_id = :workspaceId AND user_id = :userId',
  );
  const owners = sql.value<{ workspaceId: number }, number>(
    `SELECT count(*) FROM member WHERE workspace_id = :workspaceId AND role = 'owner'`,
  );

  return async ({ workspaceId, userId, askedBy, becomes }) => {
    const isOwner = (await roleOf({ workspaceId, userId })) === 'owner';
    const asking = askedBy === undefined ? 'operator' : await roleOf({ workspaceId, userId: askedBy });
    if (asking === undefined || asking === 'member') return adminsOnly();
    if (asking === 'admin' && (isOwner || becomes === 'owner')) return ownersOnly();
    return isOwner && becomes !== 'owner' && (await owners({ workspaceId })) === 1 ? lastOwner() : null;
  };
}
