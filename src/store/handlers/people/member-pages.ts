import { toTimestamp, toTimestampOrNull } from '../../../values/timestamp.ts';
import { isRefusal, type Member } from '../../calls.ts';
import { ifGiven, type Sql } from '../../sql.ts';
import type { SomeHandlers } from '../handler.ts';
import { lookups } from '../lookups.ts';
import { isLike, searchPattern } from '../search-pattern.ts';
import type { SessionRow } from './sessions.ts';
import { vouchers } from './vouchers.ts';

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
