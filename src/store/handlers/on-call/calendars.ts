import type { CalendarShift } from '../../../contract/on-call/calendar.ts';
import { userGone } from '../../refusals.ts';
import type { Sql } from '../../sql.ts';
import type { SomeHandlers } from '../handler.ts';
import { IS_WORKSPACE_THERE, sessionOf, VOUCHED_TO, vouchers } from '../people/vouchers.ts';
import { rotaShifts } from './shifts.ts';
import { rotaTimelines } from './timelines.ts';

const DAY_MS = 86_400_000;
const [BACK_MS, AHEAD_MS] = [7 * DAY_MS, 180 * DAY_MS];

const UPSERT = `
  INSERT INTO calendar (user_id, secret_hash, workspaces, created_at)
  VALUES (:userId, :secret, CAST(:workspaces AS TEXT), :wallMs)
  ON CONFLICT (user_id) DO UPDATE SET secret_hash = excluded.secret_hash, workspaces = excluded.workspaces,
    created_at = excluded.created_at`;

/** Makes and ends the addresses of calendars. An address shows no more than the session that made it may see. */
export function calendars(sql: Sql) {
  const upsert = sql.run<object>(UPSERT);
  const remove = sql.run<{ userId: number }>('DELETE FROM calendar WHERE user_id = :userId');
  const emailOf = sql.value<{ userId: number }, string>('SELECT email FROM person WHERE id = :userId');
  const vouchedIn = sql.values<{ userId: number; session: Buffer }, number>(
    `SELECT member.workspace_id FROM member WHERE member.user_id = :userId AND ${VOUCHED_TO} IS NOT NULL`,
  );
  const { isForEverything } = vouchers(sql);

  return {
    async makeCalendar({ userId, secretHash }, { wallMs }, actor) {
      const email = await emailOf({ userId });
      if (email === undefined) return userGone();
      const session = sessionOf(actor);
      const isForAll = await isForEverything(session);
      const workspaces = isForAll ? null : JSON.stringify(await vouchedIn({ userId, session }));
      await upsert({ userId, secret: Buffer.from(secretHash, 'hex'), workspaces, wallMs });
      return { email };
    },

    async endCalendar({ userId }) {
      const email = await emailOf({ userId });
      if (email === undefined) return userGone();
      return { email, ended: (await remove({ userId })) > 0 };
    },
  } satisfies SomeHandlers;
}

/** Reads calendars, also beside the store thread. */
export function calendarReading(sql: Sql) {
  const bySecret = sql.get<{ secret: Buffer }, { userId: number; email: string; workspaces: string | null }>(`
    SELECT user_id AS "userId", email, workspaces FROM calendar JOIN person ON person.id = user_id
    WHERE secret_hash = :secret
  `);
  const placesOf = sql.all<{ userId: number }, { id: number; slug: string }>(`
    SELECT workspace.id, workspace.slug FROM member JOIN workspace ON workspace.id = member.workspace_id
    WHERE member.user_id = :userId AND ${IS_WORKSPACE_THERE} ORDER BY workspace.slug
  `);
  const timelines = rotaTimelines(sql);
  const shifts = rotaShifts(sql);

  return {
    async readCalendar({ secretHash, everyone }, { wallMs }) {
      const calendar = await bySecret({ secret: Buffer.from(secretHash, 'hex') });
      if (calendar === undefined) return null;
      const { userId, email } = calendar;
      const visible = calendar.workspaces === null ? null : (JSON.parse(calendar.workspaces) as readonly number[]);
      const found: CalendarShift[] = [];
      for (const { id, slug: workspace } of await placesOf({ userId })) {
        if (visible !== null && !visible.includes(id)) continue;
        for (const rota of await timelines.ofWorkspace(id)) {
          const { slug, name: rotaName } = rota.row;
          const read = await shifts.readWhole(rota, wallMs - BACK_MS, wallMs + AHEAD_MS);
          const wanted = everyone ? read : read.filter(({ person }) => person.email === email);
          found.push(
            ...wanted.map(({ from, until, person }) => ({
              ...{ workspace, rota: slug, rotaName, name: everyone ? person.name : null },
              ...{ fromMs: Date.parse(from), untilMs: Date.parse(until) },
            })),
          );
        }
      }
      return { shifts: found };
    },
  } satisfies SomeHandlers;
}
