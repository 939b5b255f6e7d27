import { CALLS } from '../calls.ts';
import type { CallRequest } from '../carriers/reply.ts';
import type { Sql } from '../sql.ts';
import type { EventLists, EventRow } from '../verbs/events/event-rows.ts';
import { EVENT_TEXTS, IS_THERE } from '../verbs/events/events.ts';

/** Tells the statements of a transaction the newest event up to which nobody adds any. */
const NEWEST = "current_setting('pushctl.newest')::bigint";
/** A list waits for what was just being accepted, so that it has all that was answered before it was asked for. */
const LONGEST_WAIT_MS = 100;
const SET_NEWEST = `SELECT set_config('pushctl.newest', newest_to_follow(${LONGEST_WAIT_MS})::text, false)`;

/** Of a search, which asks for more until it has found enough. */
const MOST_AT_ONCE = 500;

const BEFORE = `id < least(CAST(:beforeId AS BIGINT), ${NEWEST} + 1)`;
const NEWEST_FIRST = 'ORDER BY id DESC LIMIT CAST(:count AS BIGINT)';

const OF_CHANNELS = `
  ${EVENT_TEXTS} WHERE event.id = ANY (ARRAY(
    SELECT id FROM unnest(CAST(:channelIds AS BIGINT[])) AS one(of_channel) CROSS JOIN LATERAL (
      SELECT id FROM event
      WHERE channel_id = of_channel AND ${BEFORE} AND (CAST(:level AS TEXT) IS NULL OR level = CAST(:level AS TEXT)) ${NEWEST_FIRST}
    ) AS its ${NEWEST_FIRST}
  )) ORDER BY event.id DESC`;

const OF_WORKSPACE = `
  ${EVENT_TEXTS} WHERE event.id = ANY (ARRAY(
    SELECT id FROM event WHERE workspace_id = CAST(:workspaceId AS BIGINT) AND ${BEFORE} AND ${IS_THERE} ${NEWEST_FIRST}
  )) ORDER BY event.id DESC`;

/** What a transaction with these calls begins with, before it sees anything; '': nothing. */
export function beforeLists(calls: readonly CallRequest[]): string {
  return calls.some(({ name }) => CALLS[name].events === 'lists') ? SET_NEWEST : '';
}

/** What a transaction says that adds events to the lists, before it sees the time; '': it adds none. */
export function beforeEvents(calls: readonly CallRequest[]): string {
  return calls.some(({ name }) => CALLS[name].events === 'adds') ? 'SELECT begin_accept()' : '';
}

/** A page is one statement. Over a connection whose transaction began with `beforeLists`. */
export function listsInOrder(sql: Sql): EventLists {
  const ofChannels = sql.all<object, EventRow>(OF_CHANNELS);
  const ofWorkspace = sql.all<object, EventRow>(OF_WORKSPACE);
  const newest = sql.value<object, number>(`SELECT ${NEWEST}`);
  return {
    async *rows(source, { level = null, ...asked }) {
      let { beforeId, count } = asked;
      for (;;) {
        const rows = await ('workspaceId' in source
          ? ofWorkspace({ ...source, beforeId, count })
          : ofChannels({ ...source, beforeId, count, level }));
        yield* rows;
        const last = rows.at(-1);
        if (last === undefined || rows.length < count) return;
        beforeId = last.id;
        count = MOST_AT_ONCE;
      }
    },
    newest: async () => (await newest({})) ?? 0,
  };
}
