import { CALLS } from '../calls.ts';
import type { CallRequest } from '../carriers/reply.ts';
import type { UnreadCount } from '../people-calls.ts';
import type { Sql } from '../sql.ts';
import { type EventLists, type EventRow, type ListOrder, MOST_COUNTED } from '../verbs/events/event-rows.ts';
import { EVENT_TEXTS } from '../verbs/events/events.ts';
import { IS_THERE } from '../verbs/events/is-there.ts';

/** For the statements of a transaction: the newest event up to which none is added. */
const NEWEST = "current_setting('pushctl.newest')::bigint";
/** A list waits for what was just being accepted, so that it has all that was answered before it was asked for. */
const LONGEST_WAIT_MS = 100;
const SET_NEWEST = `SELECT set_config('pushctl.newest', newest_to_follow(${LONGEST_WAIT_MS})::text, false)`;

/** Of a search whose first answer held too little. */
const MOST_AT_ONCE = 500;
/** Places in the index that one statement reads, of all channels together. */
const PLACES_READ = 50_000;

/** `behind`: which ids come after `:fromId`. `farthest`: the last id of several; `nearest`: the first. */
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
  SELECT of_channel, id FROM unnest(CAST(:channelIds AS BIGINT[])) AS one(of_channel) CROSS JOIN LATERAL (
    SELECT id FROM event
    WHERE channel_id = of_channel AND kind IS NULL AND ${behind} AND (CAST(:level AS TEXT) IS NULL OR level = CAST(:level AS TEXT))
    ORDER BY ${by} LIMIT CAST(:each AS BIGINT)
  ) AS its`;
}

function ofWorkspace({ behind, by }: Order): string {
  return `
  SELECT 0 AS of_channel, id FROM event
  WHERE workspace_id = CAST(:workspaceId AS BIGINT) AND kind IS NULL AND ${behind} AND ${IS_THERE}
  ORDER BY ${by} LIMIT CAST(:each AS BIGINT)`;
}

/**
 * What `patterns` are compared with. Databases differ in the letters that they know as small and capital ones, so only
 * those of ASCII count here, and the one other that becomes such a letter.
 */
const TEXT = "(title || E'\\n' || coalesce(description, ''))";
const COMPARED = `lower(
    CASE WHEN octet_length${TEXT} = char_length${TEXT} THEN ${TEXT} ELSE replace(normalize(${TEXT}, NFKC), 'İ', 'i') END
    COLLATE "C"
  )`;

/**
 * Of the first events in `from`, those that may be what is looked for, and the last one that was looked at. Where a
 * channel may have more than `each`, it is known only up to there which events are the first. OFFSET keeps the database
 * from joining in another way than by the ids, whatever it believes of its tables.
 */
function page(from: string, { by, farthest, nearest, upTo }: Order): string {
  return `
  WITH its AS MATERIALIZED (${from}),
  known AS (
    SELECT ${nearest}(last) AS up_to FROM (
      SELECT ${farthest}(id) AS last FROM its GROUP BY of_channel HAVING count(*) = CAST(:each AS BIGINT)
    ) AS more
  ),
  seen AS MATERIALIZED (
    SELECT id, row_number() OVER (ORDER BY ${by}) AS looked FROM its
    WHERE (SELECT up_to FROM known) IS NULL OR id ${upTo} (SELECT up_to FROM known)
    ORDER BY ${by} LIMIT CAST(:most AS BIGINT)
  ),
  the_end AS (
    SELECT count(*) AS at, count(*) < CAST(:most AS BIGINT) AND (SELECT up_to FROM known) IS NULL AS is_all FROM seen
  )
  SELECT text.*, looked, looked = at AND is_all AS "isEnd"
  FROM seen CROSS JOIN the_end CROSS JOIN LATERAL (${EVENT_TEXTS} WHERE event.id = seen.id OFFSET 0) AS text
  WHERE looked = at OR (
    (CAST(:eventType AS TEXT) IS NULL OR "eventType" = CAST(:eventType AS TEXT))
    AND (cardinality(CAST(:patterns AS TEXT[])) = 0 OR ${COMPARED} LIKE ALL (CAST(:patterns AS TEXT[])))
  )
  ORDER BY looked LIMIT CAST(:count AS BIGINT)`;
}

const UNREAD = `
  WITH heard AS (
    SELECT * FROM unnest(CAST(:ids AS BIGINT[]), CAST(:readUpTo AS BIGINT[]), CAST(:workspaces AS TEXT[]))
      AS one(channel, read_up_to, workspace)
  )
  SELECT workspace, events FROM (SELECT DISTINCT workspace FROM heard) AS each CROSS JOIN LATERAL (
    SELECT count(*) AS events FROM (
      SELECT FROM heard CROSS JOIN LATERAL (
        SELECT FROM event WHERE channel_id = heard.channel AND id > heard.read_up_to AND kind IS NULL LIMIT ${MOST_COUNTED}
      ) AS its
      WHERE heard.workspace = each.workspace LIMIT ${MOST_COUNTED}
    ) AS unread
  ) AS counted
  WHERE events > 0`;

/** What a transaction with these calls begins with, before it sees anything; '': nothing. */
export function beforeLists(calls: readonly CallRequest[]): string {
  return calls.some(({ name }) => CALLS[name].events === 'lists') ? SET_NEWEST : '';
}

/** What a transaction says that adds events to the lists, before it sees the time; '': it adds none. */
export function beforeEvents(calls: readonly CallRequest[]): string {
  return calls.some(({ name }) => CALLS[name].events === 'adds') ? 'SELECT begin_accept()' : '';
}

type Found = EventRow & { readonly looked: number; readonly isEnd: boolean };

/**
 * A page is one statement, that of a search as well where most of what it finds holds the words, and where there are few
 * channels or none that has most of the events. Over a connection whose transaction began with `beforeLists`.
 */
export function listsInOrder(sql: Sql): EventLists {
  const pagesIn = (order: Order) => ({
    ofChannels: sql.all<object, Found>(page(ofChannels(order), order)),
    ofWorkspace: sql.all<object, Found>(page(ofWorkspace(order), order)),
  });
  const pages = { newest: pagesIn(ORDERS.newest), oldest: pagesIn(ORDERS.oldest) };
  const unread = sql.all<object, UnreadCount>(UNREAD);
  const newest = sql.value<object, number>(`SELECT ${NEWEST}`);
  return {
    async *rows(source, { order, fromId: from, level = null, eventType = null, words, count: wanted, most: ofAll }) {
      const patterns = words.map(patternOf);
      const takesAll = patterns.length === 0 && eventType === null;
      const channels = 'workspaceId' in source ? 1 : Math.max(1, source.channelIds.length);
      const ask = 'workspaceId' in source ? pages[order].ofWorkspace : pages[order].ofChannels;
      let [fromId, count, before] = [from, wanted, 0];
      while (before < ofAll) {
        const most = takesAll ? Math.min(count, ofAll - before) : ofAll - before;
        const each = Math.min(most, Math.max(MOST_AT_ONCE, Math.floor(PLACES_READ / channels)));
        const found = await ask({ ...source, fromId, level, eventType, patterns, count, most, each });
        for (const { looked, isEnd: _, ...row } of found) yield { row, looked: before + looked };
        const last = found.at(-1);
        if (last === undefined || last.isEnd) return;
        [fromId, count, before] = [last.id, MOST_AT_ONCE, before + last.looked];
      }
    },
    unread: (channels) =>
      unread({
        ids: channels.map(({ id }) => id),
        readUpTo: channels.map(({ readUpTo }) => readUpTo),
        workspaces: channels.map(({ workspace }) => workspace),
      }),
    newest: async () => (await newest({})) ?? 0,
  };
}

/**
 * What `COMPARED` is like wherever it holds this word. Letters that have a case somewhere, and marks that belong to them,
 * stand for anything: `holdsWords` looks at them.
 */
function patternOf(word: string): string {
  const known = word.replaceAll(/[%_\\]/g, '\\$&').replaceAll(/[^\p{ASCII}\p{Lo}\p{Nd}]+/gu, '%');
  return `%${known}%`;
}
