import { LEVELS, type Level } from '../../../push.ts';
import type { Sql } from '../../sql.ts';
import { IS_VOUCHED } from '../people/vouchers.ts';
import type { HeardChannel, ReadMark } from './event-rows.ts';

/** A channel's row, or one per mark if it has marks. */
interface Row {
  readonly id: number;
  readonly slug: string;
  readonly workspace: string;
  readonly readUpTo: number;
  readonly level: Level | null;
  readonly upTo: number | null;
  readonly hasApart: boolean | 0 | 1;
}

const HEARD = `
  SELECT channel.id, channel.slug, workspace.slug AS workspace, member.read_up_to AS "readUpTo",
    read_mark.level, read_mark.up_to AS "upTo",
    EXISTS (SELECT 1 FROM read_apart WHERE user_id = member.user_id AND channel_id = channel.id) AS "hasApart"
  FROM member
  JOIN workspace ON workspace.id = member.workspace_id
  JOIN channel ON channel.workspace_id = member.workspace_id
  LEFT JOIN read_mark ON read_mark.user_id = member.user_id AND read_mark.channel_id = channel.id
    AND read_mark.up_to > member.read_up_to
  WHERE member.user_id = CAST(:userId AS BIGINT) AND ${IS_VOUCHED}
    AND EXISTS (SELECT 1 FROM subscription WHERE user_id = member.user_id AND channel_id = channel.id)`;

/** Returns a person's subscribed channels, and how far they are read. */
export function heardChannels(sql: Sql) {
  const readRows = sql.all<{ userId: number; session: Buffer }, Row>(HEARD);

  return async (asker: { userId: number; session: Buffer }): Promise<readonly HeardChannel[]> => {
    const rowsOf = new Map<number, Row[]>();
    for (const row of await readRows(asker)) rowsOf.set(row.id, [...(rowsOf.get(row.id) ?? []), row]);
    return [...rowsOf.values()].map((rows) => {
      const { id, slug, workspace } = rows[0] as Row;
      return { id, slug, workspace, marks: marksOf(rows) };
    });
  };
}

function marksOf(rows: readonly Row[]): readonly ReadMark[] {
  const { id: channelId, readUpTo, level: first, hasApart } = rows[0] as Row;
  if (first === null && !hasApart) return [{ channelId, level: null, upTo: readUpTo }];
  const upTo = new Map(rows.map((row) => [row.level, row.upTo]));
  return LEVELS.map((level) => ({ channelId, level, upTo: upTo.get(level) ?? readUpTo }));
}
