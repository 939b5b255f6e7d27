import type { Role } from '../../../push.ts';
import type { Refusal } from '../../calls.ts';
import { adminsOnly, lastOwner, ownersOnly } from '../../refusals.ts';
import type { Sql } from '../../sql.ts';

/** `askedBy` undefined: an operator asks, who needs no role. */
interface Asked {
  readonly workspaceId: number;
  readonly askedBy: number | undefined;
}

/** A planned change of a member. `becomes` null: removal. */
export interface RoleChange extends Asked {
  readonly userId: number;
  readonly becomes: Role | null;
}

/** Checks a planned change by the roles of both people: why it is refused, or null. */
export interface RoleRules {
  /** Only owners and operators make owners. */
  giving(asked: Asked & { readonly role: Role }): Promise<Refusal | null>;
  /** Only owners and operators make, change and remove owners. Anybody may leave. Whoever asks, one owner stays. */
  changing(change: RoleChange): Promise<Refusal | null>;
  /** Whether whoever asks has each right of this user already, in all of their workspaces, or is that user. */
  mayActAs(userId: number, askedBy: number | undefined): Promise<boolean>;
}

export function roleRules(sql: Sql): RoleRules {
  const roleOf = sql.value<{ workspaceId: number; userId: number }, Role>(
    'SELECT role FROM member WHERE workspace_id = :workspaceId AND user_id = :userId',
  );
  const owners = sql.value<{ workspaceId: number }, number>(
    `SELECT count(*) FROM member WHERE workspace_id = :workspaceId AND role = 'owner'`,
  );
  const rightBeyond = sql.value<{ userId: number; askedBy: number }, 1>(`
    SELECT 1 FROM member WHERE user_id = :userId AND NOT EXISTS (
      SELECT 1 FROM member AS asking
      WHERE asking.workspace_id = member.workspace_id AND asking.user_id = :askedBy
        AND (asking.role = 'owner' OR (asking.role = 'admin' AND member.role <> 'owner'))
    ) LIMIT 1
  `);

  return {
    async giving({ workspaceId, askedBy, role }) {
      const asking = askedBy === undefined ? 'owner' : await roleOf({ workspaceId, userId: askedBy });
      if (asking === undefined || asking === 'member') return adminsOnly();
      return asking === 'admin' && role === 'owner' ? ownersOnly() : null;
    },

    async changing({ workspaceId, userId, askedBy, becomes }) {
      const isOwner = (await roleOf({ workspaceId, userId })) === 'owner';
      const leaves = becomes === null && askedBy === userId;
      const asking = askedBy === undefined || leaves ? 'owner' : await roleOf({ workspaceId, userId: askedBy });
      if (asking === undefined || asking === 'member') return adminsOnly();
      if (asking === 'admin' && (isOwner || becomes === 'owner')) return ownersOnly();
      return isOwner && becomes !== 'owner' && (await owners({ workspaceId })) === 1 ? lastOwner() : null;
    },

    async mayActAs(userId, askedBy) {
      if (askedBy === undefined || askedBy === userId) return true;
      return (await rightBeyond({ userId, askedBy })) === undefined;
    },
  };
}
