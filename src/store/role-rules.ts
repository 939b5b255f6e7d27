import type { Role } from '../push.ts';
import type { Refusal } from './calls.ts';
import { adminsOnly, lastOwner, ownersOnly } from './refusals.ts';
import type { Db } from './sqlite/transaction.ts';

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
export function roleRules(db: Db): (change: RoleChange) => Refusal | null {
  const roleOf = db
    .prepare<[number, number], Role>('SELECT role FROM member WHERE workspace_id = ? AND user_id = ?')
    .pluck();
  const owners = db
    .prepare<[number], number>(`SELECT count(*) FROM member WHERE workspace_id = ? AND role = 'owner'`)
    .pluck();

  return ({ workspaceId, userId, askedBy, becomes }) => {
    const isOwner = roleOf.get(workspaceId, userId) === 'owner';
    const asking = askedBy === undefined ? 'operator' : roleOf.get(workspaceId, askedBy);
    if (asking === undefined || asking === 'member') return adminsOnly();
    if (asking === 'admin' && (isOwner || becomes === 'owner')) return ownersOnly();
    return isOwner && becomes !== 'owner' && owners.get(workspaceId) === 1 ? lastOwner() : null;
  };
}
