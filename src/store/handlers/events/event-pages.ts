import { publicIdOf } from '../../../contract/public-id.ts';
import type { Level } from '../../../push.ts';
import { toTimestampOrNull } from '../../../values/timestamp.ts';
import type { UnreadCount } from '../../calls/events.ts';
import { isSearch } from '../../calls/serving.ts';
import type { PagePlace, Refusal, SearchFilter } from '../../calls.ts';
import { badCursor } from '../../refusals.ts';
import type { Sql } from '../../sql.ts';
import { eventOrder, SAME_TIME_MS } from './event-order.ts';
import {
  type EventLists,
  type EventRow,
  type EventSource,
  type HeardChannel,
  type ListOrder,
  type LookedAt,
  MOST_COUNTED,
  MOST_OF_CHANNEL,
  type ReadMark,
} from './event-rows.ts';
import { EVENT_BY_ID } from './events.ts';

/** Events examined per page: a search continues on the next page, so none exceeds some 0.1 s. */
const MOST_LOOKED_AT = 5_000;

/** A search's page may be short or empty; `next` leads on. */
type Asked = Omit<SearchFilter, 'channel'>;

type EventPages = (
  source: EventSource,
  asked: Asked,
) => Promise<{ readonly rows: readonly EventRow[]; readonly place: PagePlace } | Refusal>;

/**
 * Reads a page of events: newest first, or behind a cursor oldest first. Only pages of channels can be of one level;
 * unread events have the levels of their marks.
 */
export function eventPages(sql: Sql, lists: EventLists): EventPages {
  const { olderThan, newerThan } = eventOrder(sql);

  return async (source, asked) => {
    const { level, eventType, sinceMs = 0, untilMs = Number.POSITIVE_INFINITY, before, after, limit, q } = asked;
    const order = after === undefined ? 'newest' : 'oldest';
    const fromId = await (after === undefined ? olderThan(before, asked.untilMs) : newerThan(after, asked.sinceMs));
    if (fromId === null) return badCursor(after === undefined ? 'before' : 'after');
    const words = wordsOf(q);
    const hasAll = holdsWords(words);
    const rows: EventRow[] = [];
    let last: LookedAt | undefined;
    const wanted = { order, fromId, level, eventType, words, count: limit + 1, most: MOST_LOOKED_AT } as const;
    for await (const lookedAt of lists.rows(source, wanted)) {
      const at = lookedAt.row.received_at;
      // Ids grow with time: soon behind the first event outside, the list ends.
      const isPast = order === 'newest' ? at < sinceMs - SAME_TIME_MS : at > untilMs + SAME_TIME_MS;
      if (isPast) return { rows, place: placeOf(asked, 'end', last) };
      if (at >= sinceMs && at <= untilMs) {
        if (rows.length === limit) return { rows, place: placeOf(asked, 'amid', last) };
        if ((eventType ?? lookedAt.row.eventType) === lookedAt.row.eventType && hasAll(lookedAt.row))
          rows.push(lookedAt.row);
      }
      last = lookedAt;
    }
    return { rows, place: placeOf(asked, last?.looked === MOST_LOOKED_AT ? 'amid' : 'end', last) };
  };
}

/** `last`: the last examined event. */
function placeOf(asked: Asked, where: 'amid' | 'end', last: LookedAt | undefined): PagePlace {
  const lastId = last === undefined ? null : publicIdOf(last.row.uuid);
  const lookedToMs = where === 'end' ? null : (last?.row.received_at ?? null);
  return {
    next: where === 'end' ? null : lastId,
    ...(asked.after !== undefined && { up_to: lastId ?? asked.after }),
    ...(asked.after === undefined && isSearch(asked) && { searched_to: toTimestampOrNull(lookedToMs) }),
  };
}

/** Lists events for an engine that reads each without a round trip. */
export function listsOneByOne(sql: Sql): EventLists {
  const byId = sql.get<{ id: number }, EventRow>(EVENT_BY_ID);
  const events = eventOrder(sql);

  function idsOf(source: EventSource, order: ListOrder, fromId: number, level: Level | undefined) {
    if ('workspaceId' in source) return events.ofWorkspace(source.workspaceId, order, fromId);
    if ('channelIds' in source) return events.ofChannels(source.channelIds, order, fromId, level);
    return events.ofUnread(source, order, fromId);
  }

  return {
    async *rows(source, { order, fromId, level, most }) {
      const ids = idsOf(source, order, fromId, level);
      let looked = 0;
      for await (const id of ids) {
        const row = await byId({ id });
        if (row === undefined) continue;
        looked += 1;
        yield { row, looked };
        if (looked === most) return;
      }
    },
    unread: unreadCounts(sql),
    newest: () => Number.MAX_SAFE_INTEGER,
  };
}

/** Returns a query's words in their compared form; none without a query. */
export function wordsOf(query = ''): readonly string[] {
  const words = new Set(folded(query).split(/\s+/));
  return [...words].filter((word) => word !== '');
}

/** Returns whether title and description together hold all words, in any case and form, even as parts. */
export function holdsWords(
  words: readonly string[],
): (event: { title: string; description: string | null }) => boolean {
  if (words.length === 0) return () => true;
  return ({ title, description }) => {
    const text = folded(`${title}\n${description ?? ''}`);
    return words.every((word) => text.includes(word));
  };
}

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

interface Apart {
  readonly read: number;
  readonly unread: number;
}
const NONE_APART: Apart = { read: 0, unread: 0 };

function unreadCounts(sql: Sql): EventLists['unread'] {
  const count = (condition: string) => `
    SELECT count(*) FROM (
      SELECT id FROM event WHERE channel_id = CAST(:channelId AS BIGINT) ${condition} AND id > CAST(:upTo AS BIGINT)
        AND id NOT IN (
          SELECT id FROM event WHERE channel_id = CAST(:channelId AS BIGINT) AND id > CAST(:upTo AS BIGINT) AND kind IS NOT NULL
        )
      LIMIT CAST(:most AS BIGINT)
    ) AS unread`;
  const above = sql.value<ReadMark & { most: number }, number>(count(''));
  const aboveOfLevel = sql.value<ReadMark & { most: number }, number>(count('AND level = CAST(:level AS TEXT)'));
  const apartOf = sql.get<{ userId: number; channelId: number; level: Level }, Apart>(`
    SELECT coalesce(sum(is_read), 0) AS read, coalesce(sum(1 - is_read), 0) AS unread FROM read_apart
    WHERE user_id = :userId AND channel_id = :channelId AND level = :level
  `);

  /** Returns at least `most` if available. */
  async function countOf(userId: number, mark: ReadMark, most: number): Promise<number> {
    const { level, channelId } = mark;
    if (level === null) return (await above({ ...mark, most })) ?? 0;
    const apart = (await apartOf({ userId, channelId, level })) ?? NONE_APART;
    return ((await aboveOfLevel({ ...mark, most: most + apart.read })) ?? 0) - apart.read + apart.unread;
  }

  return async (userId, channels) => {
    const counted: { channel: HeardChannel; events: number }[] = [];
    const ofWorkspace = new Map<string, number>();
    for (const channel of channels) {
      const before = ofWorkspace.get(channel.workspace) ?? 0;
      const most = Math.max(MOST_OF_CHANNEL, MOST_COUNTED - before);
      let events = 0;
      for (const mark of channel.marks) events += await countOf(userId, mark, most);
      counted.push({ channel, events });
      ofWorkspace.set(channel.workspace, before + events);
    }
    return asUnread(counted);
  };
}

/** Returns shown counts: workspaces and channels with unread events, each capped. */
function asUnread(
  counted: readonly { readonly channel: Pick<HeardChannel, 'slug' | 'workspace'>; readonly events: number }[],
): readonly UnreadCount[] {
  const unread = new Map<string, { workspace: string; events: number; channels: UnreadCount['channels'][number][] }>();
  for (const { channel, events } of counted) {
    const { workspace, slug } = channel;
    if (events <= 0) continue;
    const workspaceCounts = unread.get(workspace) ?? { workspace, events: 0, channels: [] };
    workspaceCounts.events = Math.min(MOST_COUNTED, workspaceCounts.events + events);
    workspaceCounts.channels.push({ channel: slug, events: Math.min(MOST_OF_CHANNEL, events) });
    unread.set(workspace, workspaceCounts);
  }
  return [...unread.values()];
}
