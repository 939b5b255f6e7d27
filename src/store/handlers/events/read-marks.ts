import { fieldProblem } from '../../../contract/details.ts';
import { uuidBytesOf } from '../../../contract/public-id.ts';
import { LEVELS, type Level } from '../../../push.ts';
import { type Actor, isRefusal } from '../../calls.ts';
import { invalidField, tooMuchUnread } from '../../refusals.ts';
import { type Awaitable, ID_LIST, idList, ifGiven, type Sql } from '../../sql.ts';
import type { SomeHandlers } from '../handler.ts';
import { lookups } from '../lookups.ts';
import { IS_VOUCHED, sessionOf } from '../people/vouchers.ts';
import { eventOrder } from './event-order.ts';
import type { EventLists } from './event-rows.ts';

/** A channel's event, and up to where its level is read. */
interface MarkedEvent extends MarkedLevel {
  readonly id: number;
}

/** Most rows of a person's events apart from marks, per workspace. */
const MOST_APART = 2_000;
/** Rows changed per part, roughly, beside those of the named events. */
const MOST_ROWS = 100;

/** A mark's channels and levels in a workspace. */
interface MarkedPart {
  readonly userId: number;
  readonly workspaceId: number;
  readonly upToId: number;
  readonly channel: string | null;
  readonly level: Level | null;
}

interface Limited {
  readonly limit: number;
}

const FORGET_APART = `
    DELETE FROM read_apart WHERE (user_id, channel_id, level, event_id) IN (
      SELECT user_id, channel_id, level, event_id FROM read_apart`;
const EVERY_LEVEL = LEVELS.map((level) => `SELECT '${level}' AS level`).join(' UNION ALL ');
const IS_HEARD = `
  ${ifGiven('channel', 'channel.slug = :channel')}
  AND EXISTS (SELECT 1 FROM subscription WHERE user_id = :userId AND channel_id = channel.id)`;

export function readMarks(sql: Sql, lists: EventLists) {
  const advance = sql.run<{ userId: number; workspaceId: number; upToId: number }>(`
    UPDATE member SET read_up_to = :upToId
    WHERE user_id = :userId AND workspace_id = :workspaceId AND read_up_to < :upToId
  `);
  const forgetMarks = sql.run<MarkedPart & Limited>(`
    DELETE FROM read_mark WHERE (user_id, channel_id, level) IN (
      SELECT user_id, channel_id, level FROM read_mark
      WHERE user_id = :userId AND workspace_id = :workspaceId AND up_to <= :upToId LIMIT CAST(:limit AS BIGINT)
    )
  `);
  const forgetApart = sql.run<MarkedPart & Limited>(`
    ${FORGET_APART}
      WHERE user_id = :userId AND workspace_id = :workspaceId AND event_id <= :upToId LIMIT CAST(:limit AS BIGINT)
    )
  `);
  const advanceParts = sql.run<MarkedPart & Limited>(`
    INSERT INTO read_mark (user_id, workspace_id, channel_id, level, up_to)
    SELECT member.user_id, member.workspace_id, channel.id, every_level.level, CAST(:upToId AS BIGINT)
    FROM member JOIN channel ON channel.workspace_id = member.workspace_id CROSS JOIN (${EVERY_LEVEL}) AS every_level
    WHERE member.user_id = :userId AND member.workspace_id = :workspaceId AND member.read_up_to < :upToId
      AND ${IS_HEARD} AND ${ifGiven('level', 'every_level.level = :level')}
      AND NOT EXISTS (
        SELECT 1 FROM read_mark AS higher
        WHERE higher.user_id = :userId AND higher.channel_id = channel.id AND higher.level = every_level.level
          AND higher.up_to >= CAST(:upToId AS BIGINT)
      )
    LIMIT CAST(:limit AS BIGINT)
    ON CONFLICT (user_id, channel_id, level) DO UPDATE SET up_to = excluded.up_to
    WHERE read_mark.up_to < excluded.up_to
  `);
  const forgetApartOfParts = sql.run<MarkedPart & Limited>(`
    ${FORGET_APART}
    WHERE user_id = :userId AND workspace_id = :workspaceId AND event_id <= :upToId
      AND ${ifGiven('level', 'level = :level')}
      AND channel_id IN (SELECT id FROM channel WHERE workspace_id = :workspaceId AND ${IS_HEARD})
      LIMIT CAST(:limit AS BIGINT)
    )
  `);
  const eventsOf = sql.all<object, MarkedEvent>(`
    SELECT event.id, event.workspace_id AS "workspaceId", event.channel_id AS "channelId", event.level,
      coalesce(read_mark.up_to, member.read_up_to) AS "upTo"
    FROM event
    JOIN channel ON channel.id = event.channel_id
    JOIN member ON member.workspace_id = event.workspace_id AND member.user_id = :userId
    LEFT JOIN read_mark ON read_mark.user_id = member.user_id AND read_mark.channel_id = event.channel_id
      AND read_mark.level = event.level AND read_mark.up_to > member.read_up_to
    WHERE event.uuid IN ${ID_LIST} AND event.kind IS NULL AND ${IS_VOUCHED}
  `);
  const setApart = sql.run<object>(`
    INSERT INTO read_apart (user_id, workspace_id, channel_id, level, event_id, is_read)
    SELECT :userId, workspace_id, channel_id, level, id, :isRead FROM event WHERE id IN ${ID_LIST}
    ON CONFLICT (user_id, channel_id, level, event_id) DO NOTHING
  `);
  const endApart = sql.run<object>(`DELETE FROM read_apart WHERE user_id = :userId AND event_id IN ${ID_LIST}`);
  const countApart = sql.value<{ userId: number; workspaceId: number }, number>(
    'SELECT count(*) FROM read_apart WHERE user_id = :userId AND workspace_id = :workspaceId',
  );
  /** The oldest become unread: unseen events may never count as read. */
  const forgetOldest = sql.run<{ userId: number; workspaceId: number }>(`
    ${FORGET_APART}
      WHERE user_id = :userId AND workspace_id = :workspaceId AND is_read = 1 AND event_id <= (
        SELECT event_id FROM read_apart WHERE user_id = :userId AND workspace_id = :workspaceId
        ORDER BY event_id DESC LIMIT 1 OFFSET ${MOST_APART}
      )
      ORDER BY event_id LIMIT ${MOST_ROWS}
    )
  `);
  const find = lookups(sql);
  const { atOrBefore } = eventOrder(sql);
  const grow = readMarkGrowth(sql, lists);

  /** Events above their marks, and others. */
  async function namedEvents(userId: number, publicIds: readonly string[], actor: Actor | undefined) {
    const uuids = publicIds.map(uuidBytesOf).filter((uuid) => uuid !== null);
    const found = await eventsOf({ userId, session: sessionOf(actor), ...idList(uuids) });
    return { above: found.filter(({ id, upTo }) => id > upTo), below: found.filter(({ id, upTo }) => id <= upTo) };
  }

  async function setAll(userId: number, events: readonly MarkedEvent[], isRead: 0 | 1): Promise<void> {
    if (events.length > 0) await setApart({ userId, isRead, ...idList(events.map(({ id }) => id)) });
  }

  async function endAll(userId: number, events: readonly MarkedEvent[]): Promise<void> {
    if (events.length > 0) await endApart({ userId, ...idList(events.map(({ id }) => id)) });
  }

  return {
    async markInboxRead({ userId, workspace: slug, upTo, channel = null, level = null }, _, actor) {
      const workspace = await find.workspaceOf(userId, slug, actor);
      if (isRefusal(workspace)) return workspace;
      const found = await atOrBefore(upTo);
      if (found === null) return invalidField(fieldProblem('up_to', 'event_id'));
      // Unlisted events are not read yet.
      const upToId = Math.min(found, await lists.newest());
      const part = { userId, workspaceId: workspace.id, upToId, channel, level };
      return inTurn(
        part,
        channel === null && level === null ? [forgetApart, advance, forgetMarks] : [forgetApartOfParts, advanceParts],
      );
    },

    async markEventsRead({ userId, events }, _, actor) {
      const { above, below } = await namedEvents(userId, events, actor);
      await endAll(userId, below);
      await setAll(userId, above, 1);
      let [growing, forgetting] = [MOST_ROWS, MOST_ROWS];
      for (const event of firstOfEach(above, ({ channelId, level }) => `${channelId} ${level}`)) {
        if (growing > 0) growing -= await grow(userId, event);
      }
      for (const { workspaceId } of firstOfEach(above, (event) => event.workspaceId)) {
        const kept = (await countApart({ userId, workspaceId })) ?? 0;
        if (kept > MOST_APART && forgetting > 0) forgetting -= await forgetOldest({ userId, workspaceId });
      }
      return null;
    },

    async markEventsUnread({ userId, events }, _, actor) {
      const { above, below } = await namedEvents(userId, events, actor);
      for (const { workspaceId } of firstOfEach(below, (event) => event.workspaceId)) {
        const kept = (await countApart({ userId, workspaceId })) ?? 0;
        if (kept + below.length > MOST_APART) return tooMuchUnread(MOST_APART);
      }
      await endAll(userId, above);
      await setAll(userId, below, 0);
      return null;
    },
  } satisfies SomeHandlers;
}

/**
 * Executes one statement after the other, up to `MOST_ROWS` rows. Marks rise last: what is read apart from a mark may
 * not lie below it.
 */
async function inTurn(part: MarkedPart, works: readonly ((params: MarkedPart & Limited) => Awaitable<number>)[]) {
  let left = MOST_ROWS;
  for (const work of works) if (left > 0) left -= await work({ ...part, limit: left });
  return { more: left <= 0 };
}

function firstOfEach<T>(items: readonly T[], keyOf: (item: T) => string | number): readonly T[] {
  return [...new Map([...items].reverse().map((item) => [keyOf(item), item])).values()];
}

/** A level of a channel, and the last event read in it, without those apart. */
interface MarkedLevel {
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
function readMarkGrowth(sql: Sql, lists: EventLists): (userId: number, marked: MarkedLevel) => Promise<number> {
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
