import { uuidBytesOf } from '../../../contract/public-id.ts';
import type { Level } from '../../../push.ts';
import type { Awaitable, Sql } from '../../sql.ts';
import type { EventSource, ListOrder, ReadMark } from './event-rows.ts';
import { IS_THERE } from './states.ts';

type UnreadSource = Extract<EventSource, { readonly unreadOf: number }>;

interface EventOrder {
  /** Yields channels' event ids behind `fromId`, of one level or all. */
  ofChannels(channelIds: readonly number[], order: ListOrder, fromId: number, level?: Level): AsyncIterable<number>;
  /** Yields the same for events that a person has not read. */
  ofUnread(source: UnreadSource, order: ListOrder, fromId: number): AsyncIterable<number>;
  /** Yields the same for a whole workspace, with test pushes. */
  ofWorkspace(workspaceId: number, order: ListOrder, fromId: number): AsyncIterable<number>;
  /**
   * Returns an id: all events older than the cursor's, received until then, have smaller ids. Null: unknown cursor.
   * Without arguments: all events.
   */
  olderThan(cursor: string | undefined, untilMs: number | undefined): Promise<number | null>;
  /**
   * Returns an id: all events after the cursor's, received since then, have larger ids. Null: unknown cursor. If the
   * cursor's event was deleted, some from shortly before do too.
   */
  newerThan(cursor: string, sinceMs: number | undefined): Promise<number | null>;
  /** Returns this event's id, or the previous one's if deleted; null: no event's public id. */
  atOrBefore(publicId: string): Promise<number | null>;
}

/** Within this time, the event received first may have the larger id. */
export const SAME_TIME_MS = 2_000;
/** A UUID has the time at which a server began to take its event, received at most this much later. */
const LONGEST_MS = 60_000;

/** SQL: whether the first event from an id on came since then, or is missing. */
function isLate(id: string): string {
  return `coalesce((SELECT received_at FROM event WHERE id >= ${id} ORDER BY id LIMIT 1) >= CAST(:atMs AS BIGINT), TRUE)`;
}
const MIDDLE = '(low + high) / 2';
/** Ids grow with time: the first since a time is bisected, above `low`, up to `high`. */
const FIRST_SINCE = `
  WITH RECURSIVE halved (low, high, is_late) AS (
    SELECT CAST(0 AS BIGINT), above, ${isLate('above / 2')}
    FROM (SELECT coalesce(max(id), 0) + 1 AS above FROM event) AS ids
    UNION ALL
    SELECT CASE WHEN is_late THEN low ELSE ${MIDDLE} END, CASE WHEN is_late THEN ${MIDDLE} ELSE high END,
      ${isLate(`CASE WHEN is_late THEN (low + ${MIDDLE}) / 2 ELSE (${MIDDLE} + high) / 2 END`)}
    FROM halved WHERE high - low > 1
  )
  SELECT min(high) FROM halved`;

/** Most scheduled events passed over. */
const MOST_SENT_LATER = 200;

/** Above all ids. */
const ALL = Number.MAX_SAFE_INTEGER;

export function eventOrder(sql: Sql): EventOrder {
  // CAST hides parameters from the planner. Otherwise SQLite recompiles per run and channel: three times as long.
  const nextOf = (order: ListOrder) => {
    const behind = order === 'newest' ? 'id < CAST(:fromId AS BIGINT)' : 'id > CAST(:fromId AS BIGINT)';
    const first = `ORDER BY id ${order === 'newest' ? 'DESC' : ''} LIMIT 1`;
    return {
      ofChannel: sql.value<{ channelId: number; fromId: number }, number>(
        `SELECT id FROM event WHERE channel_id = CAST(:channelId AS BIGINT) AND kind IS NULL AND ${behind} ${first}`,
      ),
      ofLevel: sql.value<{ channelId: number; level: Level; fromId: number }, number>(`
        SELECT id FROM event
        WHERE channel_id = CAST(:channelId AS BIGINT) AND level = CAST(:level AS TEXT) AND kind IS NULL AND ${behind}
        ${first}
      `),
      unreadBelow: sql.value<{ userId: number; channelId: number; level: Level; fromId: number }, number>(`
        SELECT event_id AS id FROM read_apart
        WHERE user_id = CAST(:userId AS BIGINT) AND channel_id = CAST(:channelId AS BIGINT)
          AND level = CAST(:level AS TEXT) AND is_read = 0 AND event_${behind} ${first}
      `),
      ofWorkspace: sql.value<{ workspaceId: number; fromId: number }, number>(`
        SELECT id FROM event WHERE workspace_id = CAST(:workspaceId AS BIGINT) AND kind IS NULL AND ${behind} AND ${IS_THERE} ${first}
      `),
    };
  };
  const next = { newest: nextOf('newest'), oldest: nextOf('oldest') };
  const isApart = sql.value<{ userId: number; eventId: number }, 1>(
    'SELECT 1 FROM read_apart WHERE event_id = CAST(:eventId AS BIGINT) AND user_id = CAST(:userId AS BIGINT)',
  );
  const idOf = sql.value<{ uuid: Uint8Array }, number>('SELECT id FROM event WHERE uuid = :uuid');
  const justBefore = sql.all<{ uuid: Uint8Array }, { id: number; postedAtMs: number | null }>(
    `SELECT id, posted_at AS "postedAtMs" FROM event WHERE uuid < :uuid ORDER BY uuid DESC LIMIT ${MOST_SENT_LATER}`,
  );
  const firstSince = sql.value<{ atMs: number }, number>(FIRST_SINCE);

  /** Events with larger ids were received about then or later, those with smaller ids before. */
  async function lastBefore(atMs: number): Promise<number> {
    return ((await firstSince({ atMs })) ?? 1) - 1;
  }

  /**
   * Returns the event before a deleted one, without resent events, whose places are later. Behind many of those the
   * time decides.
   */
  async function before(uuid: Buffer): Promise<number> {
    const events = await justBefore({ uuid });
    const inPlace = events.find(({ postedAtMs }) => postedAtMs === null);
    return inPlace?.id ?? (events.length < MOST_SENT_LATER ? 0 : lastBefore(timeOf(uuid)));
  }

  return {
    ofChannels(channelIds, order, fromId, level) {
      const { ofChannel, ofLevel } = next[order];
      return merged(
        channelIds.map(
          (channelId) => (from) =>
            level === undefined ? ofChannel({ channelId, fromId: from }) : ofLevel({ channelId, level, fromId: from }),
        ),
        order,
        fromId,
      );
    },

    ofUnread({ unreadOf: userId, marks }, order, fromId) {
      const { ofChannel, ofLevel, unreadBelow } = next[order];
      const above =
        ({ channelId, level, upTo }: ReadMark): Next =>
        async (from) => {
          let id = order === 'newest' ? from : Math.max(from, upTo);
          for (;;) {
            const found = await (level === null
              ? ofChannel({ channelId, fromId: id })
              : ofLevel({ channelId, level, fromId: id }));
            if (found === undefined || found <= upTo) return undefined;
            if (level === null || (await isApart({ userId, eventId: found })) === undefined) return found;
            id = found;
          }
        };
      const below = marks.flatMap(({ channelId, level }): readonly Next[] =>
        level === null ? [] : [(from) => unreadBelow({ userId, channelId, level, fromId: from })],
      );
      return merged([...marks.map(above), ...below], order, fromId);
    },

    async *ofWorkspace(workspaceId, order, fromId) {
      const { ofWorkspace } = next[order];
      let id = await ofWorkspace({ workspaceId, fromId });
      while (id !== undefined) {
        yield id;
        id = await ofWorkspace({ workspaceId, fromId: id });
      }
    },

    async olderThan(cursor, untilMs) {
      const bound = untilMs === undefined ? ALL : (await lastBefore(untilMs + SAME_TIME_MS + 1)) + 1;
      if (cursor === undefined) return bound;
      const bytes = uuidBytesOf(cursor);
      if (bytes === null) return null;
      return Math.min(bound, (await idOf({ uuid: bytes })) ?? (await before(bytes)) + 1);
    },

    async newerThan(cursor, sinceMs) {
      const bytes = uuidBytesOf(cursor);
      if (bytes === null) return null;
      const bound = sinceMs === undefined ? 0 : await lastBefore(sinceMs - SAME_TIME_MS);
      return Math.max(bound, (await idOf({ uuid: bytes })) ?? (await lastBefore(timeOf(bytes) - LONGEST_MS)));
    },

    async atOrBefore(publicId) {
      const bytes = uuidBytesOf(publicId);
      return bytes === null ? null : ((await idOf({ uuid: bytes })) ?? before(bytes));
    },
  };
}

/** The next id behind one. */
type Next = (fromId: number) => Awaitable<number | undefined>;

/**
 * Merges all sources' ids: each taken id is followed by its source's next. Work grows with sources and wanted ids, not
 * events.
 */
async function* merged(sources: readonly Next[], order: ListOrder, fromId: number): AsyncGenerator<number> {
  const sourceOfHead = new Map<number, Next>();
  const advance = async (source: Next, from: number): Promise<void> => {
    const head = await source(from);
    if (head !== undefined) sourceOfHead.set(head, source);
  };
  for (const source of sources) await advance(source, fromId);
  while (sourceOfHead.size > 0) {
    const head = firstOf(sourceOfHead.keys(), order);
    const source = sourceOfHead.get(head);
    sourceOfHead.delete(head);
    yield head;
    if (source !== undefined) await advance(source, head);
  }
}

/** Version 7 UUIDs begin with their time, six bytes. */
function timeOf(uuid: Buffer): number {
  return uuid.readUIntBE(0, 6);
}

function firstOf(ids: Iterable<number>, order: ListOrder): number {
  let first: number | undefined;
  for (const id of ids) if (first === undefined || (order === 'newest' ? id > first : id < first)) first = id;
  return first ?? 0;
}
