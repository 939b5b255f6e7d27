import type { Role } from '../../../push.ts';
import type { Actor, Refusal } from '../../calls.ts';
import { conflict, forbidden, roleTooLow } from '../../refusals.ts';
import type { Sql } from '../../sql.ts';
import { IS_WORKSPACE_THERE, sessionOf, vouchers } from './vouchers.ts';

/** `actor`: the caller. Operators and the server (undefined) need no role. */
interface Asked {
  readonly workspaceId: number;
  readonly actor: Actor | undefined;
}

/** A member's planned change. `becomes` null: removal. */
interface RoleChange extends Asked {
  readonly userId: number;
  readonly becomes: Role | null;
}

/** Checks a planned change by both roles. Returns the refusal, or null. */
interface RoleRules {
  /** Only owners and operators make owners. */
  giving(asked: Asked & { readonly role: Role }): Promise<Refusal | null>;
  /** Only owners and operators make, change and remove owners. Members may leave. An owner always stays. */
  changing(change: RoleChange): Promise<Refusal | null>;
  /** Only for owners and operators. */
  renamingWorkspace(asked: Asked): Promise<Refusal | null>;
  /** People rename themselves, in a session with all their rights: the name shows everywhere. */
  renamingUser(userId: number, actor: Actor | undefined): Promise<Refusal | null>;
  /** The highest role the actor vouches for to this member; null: the member's is higher. */
  vouchingFor(member: Asked & { readonly userId: number }): Promise<Role | null>;
  /** Whether the actor is this person, or has all their rights in all their workspaces. */
  canActAs(userId: number, actor: Actor | undefined): Promise<boolean>;
  /** Returns the session's person; null: an operator. */
  personOf(actor: Actor | undefined): Promise<number | null>;
}

export function roleRules(sql: Sql): RoleRules {
  const roleOfPerson = sql.value<{ workspaceId: number; userId: number }, Role>(
    'SELECT role FROM member WHERE workspace_id = :workspaceId AND user_id = :userId',
  );
  const owners = sql.value<{ workspaceId: number }, number>(
    `SELECT count(*) FROM member WHERE workspace_id = :workspaceId AND role = 'owner'`,
  );
  const ownerOfSession = sql.value<{ session: Buffer }, number>(
    'SELECT user_id FROM session WHERE token_hash = :session',
  );
  const workspacesOf = sql.all<{ userId: number }, { workspaceId: number; role: Role }>(
    `SELECT workspace_id AS "workspaceId", role FROM member WHERE user_id = :userId AND ${IS_WORKSPACE_THERE}`,
  );
  const { roleOf } = vouchers(sql);

  async function askingRole({ workspaceId, actor }: Asked): Promise<Role | null> {
    return actor?.kind === 'user' ? roleOf(sessionOf(actor), workspaceId) : 'owner';
  }

  async function personOf(actor: Actor | undefined): Promise<number | null> {
    return actor?.kind === 'user' ? ((await ownerOfSession({ session: sessionOf(actor) })) ?? null) : null;
  }

  return {
    personOf,

    async giving({ role, ...asked }) {
      const asking = await askingRole(asked);
      if (asking === null || asking === 'member') return roleTooLow();
      return asking === 'admin' && role === 'owner' ? forbidden('owners_only') : null;
    },

    async changing({ userId, becomes, ...asked }) {
      const { workspaceId } = asked;
      const isOwner = (await roleOfPerson({ workspaceId, userId })) === 'owner';
      const asking = await askingRole(asked);
      const isLeaving = asking !== null && becomes === null && (await personOf(asked.actor)) === userId;
      if (!isLeaving && (asking === null || asking === 'member')) return roleTooLow();
      if (!isLeaving && asking === 'admin' && (isOwner || becomes === 'owner')) return forbidden('owners_only');
      return isOwner && becomes !== 'owner' && (await owners({ workspaceId })) === 1 ? conflict('last_owner') : null;
    },

    async renamingWorkspace(asked) {
      return (await askingRole(asked)) === 'owner' ? null : forbidden('owners_rename');
    },

    async renamingUser(userId, actor) {
      if (actor?.kind !== 'user') return null;
      for (const { workspaceId, role } of await workspacesOf({ userId })) {
        if ((await roleOf(sessionOf(actor), workspaceId)) !== role) return forbidden('narrow_session');
      }
      return null;
    },

    async vouchingFor({ userId, ...asked }) {
      const asking = await askingRole(asked);
      if (asking === null || asking === 'member') return null;
      const role = await roleOfPerson({ workspaceId: asked.workspaceId, userId });
      return asking === 'admin' && role === 'owner' ? null : asking;
    },

    async canActAs(userId, actor) {
      if (actor?.kind !== 'user' || (await personOf(actor)) === userId) return true;
      for (const { workspaceId, role } of await workspacesOf({ userId })) {
        const asking = await roleOf(sessionOf(actor), workspaceId);
        if (asking === null || asking === 'member' || (asking === 'admin' && role === 'owner')) return false;
      }
      return true;
    },
  };
}
