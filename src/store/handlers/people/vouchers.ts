/**
 * Keeps what sessions, pairing codes, passwords and passkeys are vouched for. A session has its person's rights only as
 * far as it is vouched for. That is everything if an operator made its code or password. Otherwise it is one workspace,
 * up to the role that the manager who made the code could give. Everything made in a session carries the same vouchers.
 *
 * All checks of a person's rights go through this file.
 */
import type { Role } from '../../../push.ts';
import type { Actor, VouchedFor } from '../../calls.ts';
import type { Sql } from '../../sql.ts';

/** A holder of vouchers, by its column in `voucher`. */
export type Holder =
  | { readonly column: 'session' | 'code' | 'passkey'; readonly id: Buffer }
  | { readonly column: 'password_of'; readonly id: number };

/** `userId`: whose rights it gives. `vouchedBy` null: an operator. */
interface Voucher {
  readonly userId: number;
  /** Null: every workspace. */
  readonly workspaceId: number | null;
  readonly role: Role;
  readonly vouchedBy: number | null;
}

interface Vouchers {
  /** A session's role in a workspace: the person's, as far as vouched for. null: none. */
  roleOf(session: Buffer, workspaceId: number): Promise<Role | null>;
  /**
   * Returns whether a proof of identity (password, passkey, or code of a manager, an operator or the provider) gives
   * its person all that the session does. Otherwise the proof confirms nothing in that session.
   */
  canCover(proof: Holder, session: Buffer): Promise<boolean>;
  give(holder: Holder, voucher: Voucher): Promise<void>;
  /** Gives all the person's rights, present and future. */
  giveEverything(holder: Holder, userId: number): Promise<void>;
  /** Returns whether some sign-in of this person is not vouched for up to this role. */
  isLackingIn(asked: Pick<Voucher, 'userId' | 'role'> & { readonly workspaceId: number }): Promise<boolean>;
  /** Returns each session's vouchers, in the person's workspaces. */
  ofSessions(userId: number): Promise<(session: Buffer) => readonly VouchedFor[]>;
  /** Returns whether provider or operator vouches for the session. Managers vouch for single workspaces only. */
  isForEverything(session: Buffer): Promise<boolean>;
  /** Passes all vouchers of `from` to `to`. */
  pass(from: Holder, to: Holder): Promise<void>;
  takeAll(holder: Holder): Promise<void>;
}

const ROLES: readonly Role[] = ['member', 'admin', 'owner'];
const COLUMNS = ['session', 'code', 'password_of', 'passkey'] as const;

/** SQL: a column's or parameter's role's place in `ROLES`. */
const placeOf = (role: string): string => `CASE ${role} WHEN 'owner' THEN 2 WHEN 'admin' THEN 1 ELSE 0 END`;

/**
 * Uses a subquery: beside an index of many rows, SQLite would recompile the statement for each value of a parameter.
 */
const VOUCHED = `
  FROM voucher
  WHERE voucher.session = (SELECT asking.token_hash FROM session AS asking WHERE asking.token_hash = :session)
    AND (voucher.workspace_id IS NULL OR voucher.workspace_id = member.workspace_id)`;

/** SQL: whether a `member` row's workspace exists. */
export const IS_WORKSPACE_THERE = 'EXISTS (SELECT 1 FROM workspace WHERE workspace.id = member.workspace_id)';

/**
 * SQL: whether :session may act in its person's `member` row's workspace. An empty :session is an operator or the
 * server, who may.
 */
export const IS_VOUCHED = `
  ((EXISTS (SELECT 1 ${VOUCHED}) OR length(:session) = 0) AND ${IS_WORKSPACE_THERE})
`;

/**
 * SQL: whether :session may act on its person's row of `device`. It may not if the device is subscribed in a workspace
 * that the session is not vouched for: the device would get the events posted there.
 */
export const IS_REACHED = `
  (NOT EXISTS (
    SELECT 1 FROM subscription JOIN channel ON channel.id = subscription.channel_id
    JOIN member ON member.workspace_id = channel.workspace_id AND member.user_id = device.user_id
    WHERE subscription.device_id = device.id
      AND NOT EXISTS (SELECT 1 ${VOUCHED})
  ) OR length(:session) = 0)
`;

/** SQL: a session's vouched role in a `member` row's workspace, as a place in `ROLES`; NULL: none. */
export const VOUCHED_TO = `
  (SELECT max(${placeOf('voucher.role')}) ${VOUCHED})
`;

/**
 * SQL: whether all that a holder gives its person now, a voucher in `own` gives as well. Both are conditions on
 * `voucher` rows: `held.code = pairing_code.code_hash`, `own.session = :session`.
 *
 * OFFSET makes PostgreSQL look up each row's vouchers by key. Where it believes a table to be empty, as after its rows were
 * deleted, it would join all vouchers with each other instead: 14 s for 100 sessions.
 */
export function isCovered(held: string, own: string): string {
  return `NOT EXISTS (
    SELECT 1 FROM voucher AS held
    JOIN member ON member.user_id = held.user_id
      AND (held.workspace_id IS NULL OR held.workspace_id = member.workspace_id)
    WHERE ${held} AND NOT EXISTS (
      SELECT 1 FROM voucher AS own
      WHERE ${own} AND (own.workspace_id IS NULL OR own.workspace_id = member.workspace_id)
        AND (own.role = 'owner' OR 'member' IN (held.role, member.role)
          OR (own.role = 'admin' AND 'admin' IN (held.role, member.role)))
      LIMIT 1 OFFSET 0
    )
    LIMIT 1 OFFSET 0
  )`;
}

/** Returns the lower of the person's role and the vouched one. */
export function roleUpTo(role: Role, vouchedTo: number): Role {
  return ROLES[Math.min(ROLES.indexOf(role), vouchedTo)] ?? 'member';
}

/** Returns a call's session, for `:session`; empty: an operator or the server. */
export function sessionOf(actor: Actor | undefined): Buffer {
  return actor?.kind === 'user' ? Buffer.from(actor.session, 'hex') : NO_SESSION;
}
const NO_SESSION = Buffer.alloc(0);

export function vouchers(sql: Sql): Vouchers {
  const roleIn = sql.get<{ session: Buffer; workspaceId: number }, { role: Role; vouched: number | null }>(`
    SELECT member.role, ${VOUCHED_TO} AS vouched FROM session JOIN member ON member.user_id = session.user_id
    WHERE session.token_hash = :session AND member.workspace_id = :workspaceId
  `);
  const forEverything = sql.value<{ session: Buffer }, 1>(
    'SELECT 1 FROM voucher WHERE session = :session AND workspace_id IS NULL LIMIT 1',
  );
  const coveredBy = perColumn((column) =>
    sql.value<{ id: Buffer | number; session: Buffer }, 1>(`
      SELECT 1 FROM session
      WHERE token_hash = :session AND ${isCovered('held.session = :session', `own.${column} = :id`)}
    `),
  );
  const insertInto = perColumn((column) =>
    sql.run<Voucher & { id: Buffer | number }>(`
      INSERT INTO voucher (user_id, ${column}, workspace_id, role, vouched_by)
      VALUES (:userId, :id, :workspaceId, :role, :vouchedBy)
    `),
  );
  const passTo = perColumn((to) =>
    perColumn((from) =>
      sql.run<{ from: Buffer | number; to: Buffer | number }>(`
        INSERT INTO voucher (user_id, ${to}, workspace_id, role, vouched_by)
        SELECT user_id, ${to === 'password_of' ? 'CAST(:to AS BIGINT)' : ':to'}, workspace_id, role, vouched_by
        FROM voucher WHERE ${from} = :from AND NOT EXISTS (
          SELECT 1 FROM voucher AS same
          WHERE same.${to} = :to AND same.workspace_id IS NOT DISTINCT FROM voucher.workspace_id
            AND same.role = voucher.role AND same.vouched_by IS NOT DISTINCT FROM voucher.vouched_by
        )
      `),
    ),
  );
  const removeFrom = perColumn((column) =>
    sql.run<{ id: Buffer | number }>(`DELETE FROM voucher WHERE ${column} = :id`),
  );

  async function give({ column, id }: Holder, voucher: Voucher): Promise<void> {
    await insertInto[column]({ ...voucher, id });
  }

  const lacking = sql.value<{ userId: number; workspaceId: number; role: Role }, 1>(`
    SELECT 1 FROM voucher AS held
    WHERE held.user_id = CAST(:userId AS BIGINT) AND held.code IS NULL AND NOT EXISTS (
      SELECT 1 FROM voucher AS own
      WHERE (own.session = held.session OR own.passkey = held.passkey OR own.password_of = held.password_of)
        AND (own.workspace_id IS NULL OR own.workspace_id = :workspaceId)
        AND ${placeOf('own.role')} >= ${placeOf('CAST(:role AS TEXT)')}
    )
    LIMIT 1
  `);
  const ofSessions = sql.all<{ userId: number }, VouchedFor & { readonly session: Buffer }>(`
    SELECT voucher.session, workspace.slug AS workspace, voucher.role
    FROM voucher LEFT JOIN member ON member.workspace_id = voucher.workspace_id AND member.user_id = voucher.user_id
      LEFT JOIN workspace ON workspace.id = member.workspace_id
    WHERE voucher.user_id = :userId AND voucher.session IS NOT NULL
      AND (voucher.workspace_id IS NULL OR workspace.id IS NOT NULL)
    ORDER BY workspace.slug
  `);

  return {
    isLackingIn: async (asked) => (await lacking(asked)) === 1,
    async ofSessions(userId) {
      const bySession = Map.groupBy(await ofSessions({ userId }), ({ session }) => session.toString('hex'));
      return (session) => widest(bySession.get(session.toString('hex')) ?? []);
    },
    async roleOf(session, workspaceId) {
      const found = await roleIn({ session, workspaceId });
      return found === undefined || found.vouched === null ? null : roleUpTo(found.role, found.vouched);
    },
    canCover: async ({ column, id }, session) => (await coveredBy[column]({ id, session })) === 1,
    isForEverything: async (session) => (await forEverything({ session })) === 1,
    give,
    giveEverything: (holder, userId) => give(holder, { userId, workspaceId: null, role: 'owner', vouchedBy: null }),
    async pass(from, to) {
      await passTo[to.column][from.column]({ from: from.id, to: to.id });
    },
    async takeAll({ column, id }) {
      await removeFrom[column]({ id });
    },
  };
}

/** Returns each workspace's highest role, or only the one for all if that is `owner`. */
function widest(given: readonly VouchedFor[]): readonly VouchedFor[] {
  const upTo = new Map<string | null, Role>();
  for (const { workspace, role } of given) {
    const before = upTo.get(workspace);
    if (before === undefined || ROLES.indexOf(before) < ROLES.indexOf(role)) upTo.set(workspace, role);
  }
  const roleEverywhere = upTo.get(null);
  if (roleEverywhere === 'owner') return [{ workspace: null, role: roleEverywhere }];
  return [...upTo].map(([workspace, role]) => ({ workspace, role }));
}

function perColumn<T>(of: (column: Holder['column']) => T): Readonly<Record<Holder['column'], T>> {
  return Object.fromEntries(COLUMNS.map((column) => [column, of(column)])) as Record<Holder['column'], T>;
}
