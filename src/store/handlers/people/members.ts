import { canonicalEmail, displayName, displayNameProblem, emailProblem } from '../../../contract/names.ts';
import type { Role } from '../../../push.ts';
import { toTimestamp, toTimestampOrNull } from '../../../values/timestamp.ts';
import { isRefusal, type Member } from '../../calls.ts';
import { invalidField, memberExists, stillLeaving } from '../../refusals.ts';
import type { StoreSettings } from '../../settings.ts';
import { ifGiven, type Sql } from '../../sql.ts';
import type { EngineDeps, SomeHandlers } from '../handler.ts';
import { IS_MEMBER, lookups } from '../lookups.ts';
import { rotaLeaving } from '../on-call/leaving.ts';
import { isLike, searchPattern } from '../pages.ts';
import { quotas } from '../quotas.ts';
import { roleRules } from './role-rules.ts';
import type { SessionRow } from './sessions.ts';
import { signOuts } from './sign-outs.ts';
import { sessionOf, vouchers } from './vouchers.ts';

interface Membership {
  readonly workspaceId: number;
  readonly userId: number;
}

export function members(sql: Sql, settings: StoreSettings, { cleanUp }: EngineDeps) {
  /** A person known elsewhere keeps the name, and the password without a new one. */
  const upsertUser = sql.get<
    { email: string; name: string; password: string | null; wallMs: number },
    { id: number; name: string }
  >(`
    INSERT INTO person (email, name, password, created_at) VALUES (:email, :name, :password, :wallMs)
    ON CONFLICT (email) DO UPDATE SET password = coalesce(excluded.password, person.password) RETURNING id, name
  `);
  const insert = sql.run<Membership & { role: Role; wallMs: number }>(`
    INSERT INTO member (workspace_id, user_id, role, created_at, read_up_to)
    VALUES (:workspaceId, :userId, :role, :wallMs, coalesce((SELECT max(id) FROM event), 0))
  `);
  const roleByEmail = sql.value<{ workspaceId: number; email: string }, Role>(`
    SELECT member.role FROM member JOIN person ON person.id = member.user_id
    WHERE member.workspace_id = :workspaceId AND person.email = :email
  `);
  const rename = sql.run<{ id: number; name: string }>('UPDATE person SET name = :name WHERE id = :id');
  const setRole = sql.run<Membership & { role: Role }>(
    'UPDATE member SET role = :role WHERE workspace_id = :workspaceId AND user_id = :userId',
  );
  const readMembers = sql.all<{ workspaceId: number }, Member>(`
    SELECT person.email, person.name, member.role FROM member JOIN person ON person.id = member.user_id
    WHERE member.workspace_id = :workspaceId ORDER BY person.email
  `);
  const remove = sql.value<Membership, Role>(
    'DELETE FROM member WHERE workspace_id = :workspaceId AND user_id = :userId RETURNING role',
  );
  const isMemberSomewhere = sql.value<{ userId: number }, 1>(
    `SELECT 1 FROM person WHERE id = :userId AND ${IS_MEMBER}`,
  );
  /** Finds a former member whose rows are being removed, here or everywhere. */
  const isLeaving = sql.value<{ email: string; workspaceId: number }, 1>(`
    SELECT 1 FROM person WHERE email = :email AND (NOT ${IS_MEMBER} OR EXISTS (
      SELECT 1 FROM cleanup_job
      WHERE cleanup_job.kind = 'member' AND cleanup_job.id = person.id AND cleanup_job.workspace_id = :workspaceId
    ))
  `);
  /** Stops the workspace's sends until the member's rows are removed. */
  const holdBack = sql.run<Membership>(
    `UPDATE cleanup_job SET holds = 1 WHERE kind = 'member' AND id = :userId AND workspace_id = :workspaceId`,
  );
  const quota = quotas(sql, settings);
  const find = lookups(sql);
  const signOut = signOuts(sql);
  const bans = roleRules(sql);
  const vouched = vouchers(sql);
  const leaveRotas = rotaLeaving(sql);

  return {
    addMember: find.withWorkspace(async (workspace, asked, { wallMs }, actor) => {
      const { email: givenEmail, name: givenName, role, password } = asked;
      const ban = await bans.giving({ workspaceId: workspace.id, actor, role });
      if (ban !== null) return ban;
      const email = canonicalEmail(givenEmail);
      const name = displayName(givenName ?? email);
      const problem = emailProblem(email) ?? displayNameProblem(name);
      if (problem !== null) return invalidField(problem);
      const held = await roleByEmail({ workspaceId: workspace.id, email });
      if (held !== undefined) return memberExists(email, workspace.slug, held);
      if ((await isLeaving({ email, workspaceId: workspace.id })) === 1) return stillLeaving(email);
      const full = await quota.member(workspace);
      if (full !== null) return full;
      const user = await upsertUser({ email, name, password: password ?? null, wallMs });
      if (user === undefined) throw new Error('an upsert returns its row');
      if (password !== undefined) {
        const { more } = await signOut.entirely(user.id);
        if (more) return { email, name: user.name, role, more };
        await vouched.giveEverything({ column: 'password_of', id: user.id }, user.id);
      }
      await insert({ workspaceId: workspace.id, userId: user.id, role, wallMs });
      return { email, name: user.name, role };
    }),

    listMembers: find.withWorkspace(async (workspace) => readMembers({ workspaceId: workspace.id })),

    async renameUser({ email, name: given }, _, actor) {
      const name = displayName(given);
      const user = await find.user(email);
      if (isRefusal(user)) return user;
      const ban = await bans.renamingUser(user.id, actor);
      if (ban !== null) return ban;
      const problem = displayNameProblem(name);
      if (problem !== null) return invalidField(problem);
      await rename({ id: user.id, name });
      return { email: user.email, name };
    },

    setMemberRole: find.withWorkspace(async (workspace, { email, role }, _, actor) => {
      const user = await find.member(workspace, email);
      if (isRefusal(user)) return user;
      const place = { workspaceId: workspace.id, userId: user.id };
      const ban = await bans.changing({ ...place, actor, becomes: role });
      if (ban !== null) return ban;
      await setRole({ ...place, role });
      await signOut.voidCodesBy(user.id, workspace.id, role);
      const waits = await vouched.isLackingIn({ ...place, role });
      return { member: { email: user.email, name: user.name, role }, waits };
    }),

    removeMember: find.withWorkspace(async (workspace, { email, endInvited = false }, now, actor) => {
      const user = await find.member(workspace, email);
      if (isRefusal(user)) return user;
      const place = { workspaceId: workspace.id, userId: user.id };
      const ban = await bans.changing({ ...place, actor, becomes: null });
      if (ban !== null) return ban;
      const role = (await leaveRotas({ ...place, email: user.email }, now, actor, () => remove(place))) ?? 'member';
      await signOut.voidCodesBy(user.id, workspace.id, null);
      if (endInvited) await signOut.vouchedBy(user.id, workspace.id, sessionOf(actor));
      if ((await isMemberSomewhere({ userId: user.id })) === undefined) await signOut.entirely(user.id);
      await cleanUp();
      await holdBack(place);
      return { email: user.email, name: user.name, role };
    }),
  } satisfies SomeHandlers;
}

interface MemberRow extends Member {
  /** Active devices. */
  readonly devices: number;
}
type OpenSession = Pick<SessionRow, 'token_hash' | 'user_agent' | 'created_at' | 'last_seen_at'>;

const ACTIVE_DEVICES = `
  (SELECT count(*) FROM device WHERE device.user_id = member.user_id AND device.status = 'active')`;

export function memberPages(sql: Sql) {
  const page = sql.all<
    {
      workspaceId: number;
      after: string;
      role: string | null;
      reached: 0 | 1 | null;
      pattern: string | null;
      limit: number;
    },
    MemberRow
  >(`
    SELECT person.email, person.name, member.role, ${ACTIVE_DEVICES} AS devices
    FROM member JOIN person ON person.id = member.user_id
    WHERE member.workspace_id = :workspaceId AND person.email > CAST(:after AS TEXT)
      AND ${ifGiven('role', 'member.role = :role')}
      AND ${ifGiven('reached', `CASE WHEN ${ACTIVE_DEVICES} > 0 THEN 1 ELSE 0 END = :reached`)}
      AND ${isLike('person.name', 'person.email')}
    ORDER BY person.email LIMIT :limit
  `);
  const readMember = sql.get<{ workspaceId: number; userId: number }, MemberRow & { joinedAt: number }>(`
    SELECT person.email, person.name, member.role, ${ACTIVE_DEVICES} AS devices, member.created_at AS "joinedAt"
    FROM member JOIN person ON person.id = member.user_id
    WHERE member.workspace_id = :workspaceId AND member.user_id = :userId
  `);
  const sessionsOf = sql.all<{ userId: number; wallMs: number }, OpenSession>(`
    SELECT token_hash, user_agent, created_at, last_seen_at FROM session
    WHERE user_id = :userId AND expires_at > :wallMs ORDER BY last_seen_at DESC
  `);
  const find = lookups(sql);
  const vouched = vouchers(sql);

  return {
    findMembers: find.withWorkspace(async (workspace, { q, role = null, hasDevice, after = '', limit }) => {
      const reached = hasDevice === undefined ? null : hasDevice ? 1 : 0;
      const asked = { workspaceId: workspace.id, after, role, reached, pattern: searchPattern(q) } as const;
      const rows = await page({ ...asked, limit: limit + 1 });
      const members = rows.slice(0, limit);
      return { members, next: rows.length > limit ? (members.at(-1)?.email ?? null) : null };
    }),

    showMember: find.withWorkspace(async (workspace, { email }, { wallMs }) => {
      const user = await find.member(workspace, email);
      if (isRefusal(user)) return user;
      const row = await readMember({ workspaceId: workspace.id, userId: user.id });
      if (row === undefined) throw new Error('a member who was just found is there');
      const { joinedAt, ...member } = row;
      const vouchedFor = await vouched.ofSessions(user.id);
      // Sessions vouched for only elsewhere are hidden from this workspace's managers.
      const here = (await sessionsOf({ userId: user.id, wallMs })).filter(({ token_hash }) =>
        vouchedFor(token_hash).some((voucher) => voucher.workspace === null || voucher.workspace === workspace.slug),
      );
      return {
        ...member,
        joined_at: toTimestamp(joinedAt),
        last_seen_at: toTimestampOrNull(here[0]?.last_seen_at ?? null),
        sessions: here.map(({ user_agent, created_at, last_seen_at }) => ({
          user_agent,
          created_at: toTimestamp(created_at),
          last_seen_at: toTimestamp(last_seen_at),
        })),
      };
    }),
  } satisfies SomeHandlers;
}
