import type { Level } from '../../../push.ts';
import type { Sql } from '../../sql.ts';
import type { EventLists } from './event-rows.ts';

/** A level of a channel, and the last event read in it, without those apart. */
export interface MarkedLevel {
  readonly workspaceId: number;
  readonly channelId: number;
  readonly level: Level;
  readonly upTo: number;
}
type Parted = MarkedLevel & { readonly userId: number };

/** Events above a mark that may be read before a higher mark is considered, which may take fewer rows. */
const FEW = 64;
/** Events per mark. The next mark passes the rest. */
const MOST_TOGETHER = 100;

/**
 * Raises a mark to where all below it is read. If one event stays unread and many behind it are read, the mark rises
 * above that event, which is then unread apart. So a person has few rows, whatever the order of reading. Returns about
 * how many rows it changed.
 */
export function readMarkGrowth(sql: Sql, lists: EventLists): (userId: number, marked: MarkedLevel) => Promise<number> {
  const ofLevel = `user_id = CAST(:userId AS BIGINT) AND channel_id = CAST(:channelId AS BIGINT)
    AND level = CAST(:level AS TEXT)`;
  const unreadAbove = `
    FROM event WHERE channel_id = CAST(:channelId AS BIGINT) AND level = CAST(:level AS TEXT) AND kind IS NULL
      AND id > CAST(:upTo AS BIGINT) AND NOT EXISTS (
        SELECT 1 FROM read_apart WHERE user_id = CAST(:userId AS BIGINT) AND event_id = event.id
      )`;
  const firstUnread = sql.value<Parted, number>(`SELECT id ${unreadAbove} ORDER BY id LIMIT 1`);
  const lastRead = sql.value<Parted & { before: number }, number>(`
    SELECT event_id FROM read_apart WHERE ${ofLevel} AND is_read = 1 AND event_id < CAST(:before AS BIGINT)
    ORDER BY event_id DESC LIMIT 1
  `);
  const raise = sql.run<Parted & { to: number }>(`
    INSERT INTO read_mark (user_id, workspace_id, channel_id, level, up_to)
    VALUES (:userId, :workspaceId, :channelId, :level, :to)
    ON CONFLICT (user_id, channel_id, level) DO UPDATE SET up_to = excluded.up_to
  `);
  const forgetRead = sql.run<Parted & { to: number }>(
    `DELETE FROM read_apart WHERE ${ofLevel} AND is_read = 1 AND event_id <= :to`,
  );
  const countRead = sql.value<Parted, number>(`SELECT count(*) FROM read_apart WHERE ${ofLevel} AND is_read = 1`);
  const nthRead = sql.value<Parted & { nth: number }, number>(`
    SELECT event_id FROM read_apart WHERE ${ofLevel} AND is_read = 1 ORDER BY event_id LIMIT 1
    OFFSET CAST(:nth AS BIGINT)
  `);
  const countUnread = sql.value<Parted & { to: number; most: number }, number>(`
    SELECT count(*) FROM (SELECT id ${unreadAbove} AND id <= CAST(:to AS BIGINT) LIMIT CAST(:most AS BIGINT)) AS unread
  `);
  const setUnread = sql.run<Parted & { to: number }>(`
    INSERT INTO read_apart (user_id, workspace_id, channel_id, level, event_id, is_read)
    SELECT :userId, workspace_id, channel_id, level, id, 0 ${unreadAbove} AND id <= CAST(:to AS BIGINT)
  `);

  async function raiseTo(to: number, parted: Parted): Promise<number> {
    await raise({ ...parted, to });
    return 1 + (await forgetRead({ ...parted, to }));
  }

  return async (userId, marked) => {
    const parted = { ...marked, userId };
    const newest = await lists.newest();
    const before = Math.min((await firstUnread(parted)) ?? Number.MAX_SAFE_INTEGER, newest + 1);
    const to = (await lastRead({ ...parted, before })) ?? 0;
    if (to > marked.upTo) {
      const far = (await nthRead({ ...parted, nth: MOST_TOGETHER - 1 })) ?? to;
      return raiseTo(Math.min(to, far), parted);
    }
    const read = (await countRead(parted)) ?? 0;
    if (read < FEW) return 0;
    const nth = Math.min(MOST_TOGETHER, Math.floor(read / 2));
    const middle = (await nthRead({ ...parted, nth })) ?? 0;
    if (middle > newest) return 0;
    const unread = (await countUnread({ ...parted, to: middle, most: nth })) ?? 0;
    if (unread > nth / 2) return 0;
    await setUnread({ ...parted, to: middle });
    return unread + (await raiseTo(middle, parted));
  };
}
