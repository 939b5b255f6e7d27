import { LEVELS } from '../../push.ts';
import { CALLS, type UnreadCount } from '../calls.ts';
import {
  type EventLists,
  type EventRow,
  type EventSource,
  type ListOrder,
  MOST_COUNTED,
  MOST_OF_CHANNEL,
} from '../handlers/events/event-rows.ts';
import { EVENT_TEXTS } from '../handlers/events/events.ts';
import { IS_THERE } from '../handlers/events/states.ts';
import type { CallRequest } from '../reply.ts';
import { ifGiven, type Sql } from '../sql.ts';

/** SQL: the transaction's newest listed event; none is added up to it later. */
const NEWEST = "current_setting('pushctl.newest')::bigint";
/** A list's longest wait for events being accepted, to include all answered before its request. */
const LONGEST_WAIT_MS = 100;
const SET_NEWEST = `SELECT set_config('pushctl.newest', newest_to_follow(${LONGEST_WAIT_MS})::text, false)`;

/** Page size of a search whose first page had too few matches. */
const MOST_AT_ONCE = 500;
/** Index entries read per statement, for all channels. */
const PLACES_READ = 50_000;

/** `behind`: ids after `:fromId`. `farthest`: the last of several; `nearest`: the first. */
interface Order {
  readonly behind: string;
  readonly by: 'id' | 'id DESC';
  readonly farthest: 'min' | 'max';
  readonly nearest: 'min' | 'max';
  readonly upTo: '>=' | '<=';
}
const ORDERS: Readonly<Record<ListOrder, Order>> = {
  newest: {
    behind: `id < least(CAST(:fromId AS BIGINT), ${NEWEST} + 1)`,
    by: 'id DESC',
    farthest: 'min',
    nearest: 'max',
    upTo: '>=',
  },
  oldest: {
    behind: `id > CAST(:fromId AS BIGINT) AND id <= ${NEWEST}`,
    by: 'id',
    farthest: 'max',
    nearest: 'min',
    upTo: '<=',
  },
};

function ofChannels({ behind, by }: Order): string {
  return `
  SELECT of_channel, id FROM unnest(CAST(:channelIds AS BIGINT[])) AS heard(of_channel) CROSS JOIN LATERAL (
    SELECT id FROM event
    WHERE channel_id = of_channel AND kind IS NULL AND ${behind} AND ${ifGiven('level', 'level = :level')}
    ORDER BY ${by} LIMIT CAST(:mostOfChannel AS BIGINT)
  ) AS newest`;
}

function ofWorkspace({ behind, by }: Order): string {
  return `
  SELECT 0 AS of_channel, id FROM event
  WHERE workspace_id = CAST(:workspaceId AS BIGINT) AND kind IS NULL AND ${behind} AND ${IS_THERE}
  ORDER BY ${by} LIMIT CAST(:mostOfChannel AS BIGINT)`;
}

/** Selects a person's unread events: above a mark, or marked unread below. */
function ofUnread({ behind, by }: Order): string {
  return `
  SELECT nth AS of_channel, id
  FROM unnest(CAST(:channelIds AS BIGINT[]), CAST(:levels AS TEXT[]), CAST(:upTo AS BIGINT[])) WITH ORDINALITY
    AS mark(marked_channel, marked_level, read_up_to, nth)
  CROSS JOIN LATERAL (
    SELECT id FROM event
    WHERE channel_id = marked_channel AND level = marked_level AND kind IS NULL AND id > read_up_to AND ${behind} AND NOT EXISTS (
      SELECT 1 FROM read_apart WHERE user_id = CAST(:userId AS BIGINT) AND event_id = event.id
    )
    ORDER BY ${by} LIMIT CAST(:mostOfChannel AS BIGINT)
  ) AS unread
  UNION ALL (
    SELECT 0, event_id FROM (
      SELECT event_id, event_id AS id, channel_id, level FROM read_apart
      WHERE user_id = CAST(:userId AS BIGINT) AND is_read = 0
    ) AS apart
    WHERE ${behind} AND (channel_id, level) IN (
      SELECT * FROM unnest(CAST(:channelIds AS BIGINT[]), CAST(:levels AS TEXT[]))
    )
    ORDER BY ${by} LIMIT CAST(:mostOfChannel AS BIGINT)
  )`;
}

/** Text for `patterns`. Databases differ on case: only ASCII letters are lowercased, and İ, which becomes ASCII. */
const TEXT = "(title || E'\\n' || coalesce(description, ''))";
const COMPARED = `lower(
    CASE WHEN octet_length${TEXT} = char_length${TEXT} THEN ${TEXT} ELSE replace(normalize(${TEXT}, NFKC), 'İ', 'i') END
    COLLATE "C"
  )`;

/**
 * Selects up to `most` of the first events in `from`, and the last one that was examined. If a channel fills
 * `mostOfChannel`, the order is known only up to its last candidate. OFFSET 0 makes the database join by id, whatever
 * its statistics say.
 */
function page(from: string, { by, farthest, nearest, upTo }: Order): string {
  return `
  WITH candidate AS MATERIALIZED (${from}),
  known AS (
    SELECT ${nearest}(last) AS up_to FROM (
      SELECT ${farthest}(id) AS last FROM candidate GROUP BY of_channel HAVING count(*) = CAST(:mostOfChannel AS BIGINT)
    ) AS more
  ),
  seen AS MATERIALIZED (
    SELECT id, row_number() OVER (ORDER BY ${by}) AS looked FROM candidate
    WHERE (SELECT up_to FROM known) IS NULL OR id ${upTo} (SELECT up_to FROM known)
    ORDER BY ${by} LIMIT CAST(:most AS BIGINT)
  ),
  the_end AS (
    SELECT count(*) AS at, count(*) < CAST(:most AS BIGINT) AND (SELECT up_to FROM known) IS NULL AS is_all FROM seen
  )
  SELECT text.*, looked, looked = at AND is_all AS "isEnd"
  FROM seen CROSS JOIN the_end CROSS JOIN LATERAL (${EVENT_TEXTS} WHERE event.id = seen.id OFFSET 0) AS text
  WHERE looked = at OR (
    ${ifGiven('eventType', '"eventType" = :eventType')}
    AND (cardinality(CAST(:patterns AS TEXT[])) = 0 OR ${COMPARED} LIKE ALL (CAST(:patterns AS TEXT[])))
  )
  ORDER BY looked LIMIT CAST(:count AS BIGINT)`;
}

/** Selects events above a mark of `heard`. */
function above(most: string): string {
  return `
    SELECT 1 FROM event
    WHERE heard.of_level IS NULL AND channel_id = heard.channel AND id > heard.read_up_to AND kind IS NULL LIMIT ${most} + heard.seen
    )
    UNION ALL (
    SELECT 1 FROM event
    WHERE channel_id = heard.channel AND level = heard.of_level AND id > heard.read_up_to AND kind IS NULL LIMIT ${most} + heard.seen`;
}

/** Counts unread events. `seen`: read above a mark; `unseen`: unread below. */
const UNREAD = `
  WITH apart AS (
    SELECT channel_id, level, sum(is_read) AS seen, sum(1 - is_read) AS unseen FROM read_apart
    WHERE user_id = CAST(:userId AS BIGINT) GROUP BY channel_id, level
  ),
  heard AS MATERIALIZED (
    SELECT mark.*, coalesce(seen, 0) AS seen, coalesce(unseen, 0) AS unseen
    FROM unnest(
      CAST(:ids AS BIGINT[]), CAST(:levels AS TEXT[]), CAST(:upTo AS BIGINT[]), CAST(:slugs AS TEXT[]),
      CAST(:workspaces AS TEXT[])
    ) AS mark(channel, of_level, read_up_to, slug, workspace)
    LEFT JOIN apart ON channel_id = channel AND level = of_level
  ),
  of_channel AS MATERIALIZED (
    SELECT workspace, slug, events - seen + unseen AS events
    FROM (
      SELECT workspace, slug, sum(seen) AS seen, sum(unseen) AS unseen, array_agg(channel) AS channels,
        array_agg(of_level) AS levels, array_agg(read_up_to) AS marks, array_agg(seen) AS of_marks
      FROM heard GROUP BY workspace, slug
    ) AS summed CROSS JOIN LATERAL (
      SELECT count(*) AS events FROM (
        SELECT 1 FROM unnest(channels, levels, marks, of_marks) AS heard(channel, of_level, read_up_to, seen)
        CROSS JOIN LATERAL ((${above(String(MOST_OF_CHANNEL))})) AS above_mark
        LIMIT ${MOST_OF_CHANNEL} + summed.seen
      ) AS unread
    ) AS counted
  ),
  of_workspace AS (
    SELECT workspace, CASE WHEN max(events) < ${MOST_OF_CHANNEL} THEN sum(events) ELSE (
      SELECT count(*) - (SELECT sum(seen - unseen) FROM heard WHERE heard.workspace = of_channel.workspace) FROM (
        SELECT 1 FROM heard CROSS JOIN LATERAL ((${above(String(MOST_COUNTED))})) AS above_mark
        WHERE heard.workspace = of_channel.workspace
        LIMIT ${MOST_COUNTED} + (SELECT sum(seen) FROM heard WHERE heard.workspace = of_channel.workspace)
      ) AS unread
    ) END AS events
    FROM of_channel GROUP BY workspace
  )
  SELECT workspace, slug, of_channel.events, of_workspace.events AS "ofWorkspace"
  FROM of_channel JOIN of_workspace USING (workspace) WHERE of_channel.events > 0 ORDER BY workspace, slug`;

/** Returns the statements before a transaction with these calls sees data; '': none. */
export function beforeLists(calls: readonly CallRequest[]): string {
  return calls.some(({ name }) => CALLS[name].events === 'lists') ? SET_NEWEST : '';
}

/** Returns statements that a transaction adding events to lists executes before reading the time; '': none. */
export function beforeEvents(calls: readonly CallRequest[]): string {
  return calls.some(({ name }) => CALLS[name].events === 'adds') ? 'SELECT begin_accept()' : '';
}

interface Counted {
  readonly workspace: string;
  readonly slug: string;
  readonly events: number;
  readonly ofWorkspace: number;
}

function asUnread(counted: readonly Counted[]): readonly UnreadCount[] {
  return [...new Map(counted.map((row) => [row.workspace, row.ofWorkspace]))].map(([workspace, events]) => ({
    workspace,
    events: Math.min(MOST_COUNTED, events),
    channels: counted
      .filter((row) => row.workspace === workspace)
      .map(({ slug, events: ofChannel }) => ({ channel: slug, events: Math.min(MOST_OF_CHANNEL, ofChannel) })),
  }));
}

type Found = EventRow & { readonly looked: number; readonly isEnd: boolean };

/**
 * Reads lists in a transaction begun with `beforeLists`. A page takes one statement, as does a search if most
 * candidates match, or without dominant channels.
 */
export function listsInOrder(sql: Sql): EventLists {
  const pagesIn = (order: Order) => ({
    ofChannels: sql.all<object, Found>(page(ofChannels(order), order)),
    ofWorkspace: sql.all<object, Found>(page(ofWorkspace(order), order)),
    ofUnread: sql.all<object, Found>(page(ofUnread(order), order)),
  });
  const pages = { newest: pagesIn(ORDERS.newest), oldest: pagesIn(ORDERS.oldest) };
  const unread = sql.all<object, Counted>(UNREAD);
  const newest = sql.value<object, number>(`SELECT ${NEWEST}`);
  return {
    async *rows(source, { order, fromId: from, level = null, eventType = null, words, count: wanted, most: ofAll }) {
      const patterns = words.map(patternOf);
      const isUnfiltered = patterns.length === 0 && eventType === null;
      const { ask, channels, ...among } = chooseStatement(source, pages[order]);
      let [fromId, count, before] = [from, wanted, 0];
      while (before < ofAll) {
        const most = isUnfiltered ? Math.min(count, ofAll - before) : ofAll - before;
        const mostOfChannel = Math.min(most, Math.max(MOST_AT_ONCE, Math.floor(PLACES_READ / channels)));
        const found = await ask({ ...among, fromId, level, eventType, patterns, count, most, mostOfChannel });
        for (const { looked, isEnd: _, ...row } of found) yield { row, looked: before + looked };
        const last = found.at(-1);
        if (last === undefined || last.isEnd) return;
        [fromId, count, before] = [last.id, MOST_AT_ONCE, before + last.looked];
      }
    },
    unread: async (userId, channels) => {
      const marks = channels.flatMap((channel) => channel.marks.map((mark) => ({ ...channel, ...mark })));
      return asUnread(
        await unread({
          userId,
          ids: marks.map(({ channelId }) => channelId),
          levels: marks.map(({ level }) => level),
          upTo: marks.map(({ upTo }) => upTo),
          slugs: marks.map(({ slug }) => slug),
          workspaces: marks.map(({ workspace }) => workspace),
        }),
      );
    },
    newest: async () => (await newest({})) ?? 0,
  };
}

interface Asks<Ask> {
  readonly ofChannels: Ask;
  readonly ofWorkspace: Ask;
  readonly ofUnread: Ask;
}

/** Returns a source's statement, parameters, and number of channels. */
function chooseStatement<Ask>(source: EventSource, asks: Asks<Ask>) {
  if ('workspaceId' in source) return { ask: asks.ofWorkspace, channels: 1, ...source };
  if ('channelIds' in source) {
    return { ask: asks.ofChannels, channels: Math.max(1, source.channelIds.length), ...source };
  }
  const marks = source.marks.flatMap((mark) =>
    mark.level === null ? LEVELS.map((level) => ({ ...mark, level })) : mark,
  );
  return {
    ask: asks.ofUnread,
    channels: Math.max(1, marks.length),
    userId: source.unreadOf,
    channelIds: marks.map(({ channelId }) => channelId),
    levels: marks.map(({ level }) => level),
    upTo: marks.map(({ upTo }) => upTo),
  };
}

/**
 * Returns a pattern that matches `COMPARED` if it contains the word. Letters with case, and their marks, match
 * anything: `holdsWords` compares them.
 */
function patternOf(word: string): string {
  const known = word.replaceAll(/[%_\\]/g, '\\$&').replaceAll(/[^\p{ASCII}\p{Lo}\p{Nd}]+/gu, '%');
  return `%${known}%`;
}
