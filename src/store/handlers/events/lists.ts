import { MAX, parse } from 'uuid';
import { publicIdOf, uuidBytesOf, uuidOf } from '../../../contract/public-id.ts';
import { type Channel, type EventPage, isRefusal, type Reach, type Refusal, type SearchFilter } from '../../calls.ts';
import { badCursor, noSuchChannel } from '../../refusals.ts';
import { ifGiven, type Sql } from '../../sql.ts';
import type { SomeHandlers } from '../handler.ts';
import { isInReach } from '../keys/bindings.ts';
import { lookups, type WorkspaceRow } from '../lookups.ts';
import { eventPages } from './event-pages.ts';
import type { EventLists, EventRow } from './event-rows.ts';
import { EVENT_TEXTS, eventText, withCounts } from './events.ts';
import { pushResults, type ResultSettings } from './push-results.ts';
import { IS_THERE } from './states.ts';

export function eventLists(sql: Sql, lists: EventLists) {
  const channelIdsOf = sql.values<{ workspaceId: number }, number>(
    'SELECT id FROM channel WHERE workspace_id = :workspaceId',
  );
  const find = lookups(sql);
  const pageOf = eventPages(sql, lists);
  const scheduledPage = scheduledPages(sql);

  async function namedChannels(
    workspace: WorkspaceRow,
    slug: string | undefined,
  ): Promise<readonly number[] | Refusal> {
    return slug === undefined ? channelIdsOf({ workspaceId: workspace.id }) : find.channelIds(workspace, [slug]);
  }

  return {
    listEvents: find.withWorkspace(async (workspace, { channel, scheduled = false, ...filter }) => {
      const isWhole = channel === undefined && (scheduled || filter.level === undefined);
      const channelIds = isWhole ? [] : await namedChannels(workspace, channel);
      if (isRefusal(channelIds)) return channelIds;
      if (scheduled) return scheduledPage(workspace.id, { ...filter, ...(channel !== undefined && { channel }) });
      const source = isWhole ? { workspaceId: workspace.id } : { channelIds };
      const page = await pageOf(source, filter);
      if (isRefusal(page)) return page;
      return { events: page.rows.map(withCounts), ...page.place };
    }),
  } satisfies SomeHandlers;
}

/**
 * Uses the words of the index. The event accepted last comes first, by its public id, which an event keeps when it
 * becomes due between two pages.
 */
const SCHEDULED_EVENTS = `
  ${EVENT_TEXTS}
  WHERE event.workspace_id = CAST(:workspaceId AS BIGINT) AND event.kind = 'scheduled' AND channel.id IS NOT NULL
    AND event.uuid < :before
    AND ${ifGiven('channel', 'channel.slug = :channel')}
    AND ${ifGiven('level', 'event.level = :level')}
    AND ${ifGiven('eventType', 'event.event_type = :eventType')}
  ORDER BY event.uuid DESC LIMIT CAST(:count AS BIGINT)`;

type Asked = Pick<SearchFilter, 'channel' | 'level' | 'eventType' | 'before' | 'limit'>;

function scheduledPages(sql: Sql): (workspaceId: number, asked: Asked) => Promise<EventPage | Refusal> {
  const scheduled = sql.all<object, EventRow>(SCHEDULED_EVENTS);

  return async (workspaceId, { channel = null, level = null, eventType = null, before: cursor, limit }) => {
    const uuid = cursor === undefined ? MAX : uuidOf(cursor);
    if (uuid === null) return badCursor('before');
    const before = Buffer.from(parse(uuid));
    const rows = await scheduled({ workspaceId, channel, level, eventType, before, count: limit + 1 });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const isEnd = last === undefined || rows.length <= limit;
    return { events: page.map(withCounts), next: isEnd ? null : publicIdOf(last.uuid) };
  };
}

const CHANNELS = `
  SELECT channel.id FROM channel
  WHERE channel.workspace_id = :workspaceId
    AND EXISTS (SELECT 1 FROM subscription WHERE subscription.user_id = :userId AND subscription.channel_id = channel.id)`;

/** Lists events of a member's channels, and whether the member got them. */
export function memberEvents(sql: Sql, settings: ResultSettings, lists: EventLists) {
  const channelIdsOf = sql.values<{ workspaceId: number; userId: number }, number>(CHANNELS);
  const find = lookups(sql);
  const pageOf = eventPages(sql, lists);
  const results = pushResults(sql, settings);

  return {
    listMemberEvents: find.withWorkspace(async (workspace, { email, pauses = {}, ...asked }, now) => {
      const user = await find.member(workspace, email);
      if (isRefusal(user)) return user;
      const channelIds = await channelIdsOf({ workspaceId: workspace.id, userId: user.id });
      const page = await pageOf({ channelIds }, asked);
      if (isRefusal(page)) return page;
      const ids = page.rows.map(({ id }) => id);
      const found = await results.ofMember(ids, user, workspace.id, pauses, now);
      const events = page.rows.map((row, place) => {
        const { public_id, channel, channel_name, title, level, received_at } = eventText(row);
        const result = found[place]?.result ?? 'unknown';
        return { public_id, channel, channel_name, title, level, received_at, result };
      });
      return { events, next: page.place.next };
    }),
  } satisfies SomeHandlers;
}

export const CHANNELS_REACHED = `
  FROM channel WHERE workspace_id = :workspaceId
    AND ${isInReach('id')}`;

/** Lists for integrators: only what their key reaches. */
export function reading(sql: Sql, lists: EventLists) {
  const reachedIds = sql.values<Reach & { channel: string | null }, number>(
    `SELECT id ${CHANNELS_REACHED} AND ${ifGiven('channel', 'slug = :channel')}`,
  );
  const channels = sql.all<Reach, Omit<Channel, 'device_count' | 'insist'>>(
    `SELECT slug, name, status ${CHANNELS_REACHED} ORDER BY slug`,
  );
  const pageOf = eventPages(sql, lists);

  return {
    async listReachedEvents({ workspaceId, boundKeyId, channel = null, ...filter }) {
      const channelIds = await reachedIds({ workspaceId, boundKeyId, channel });
      if (channel !== null && channelIds.length === 0) return noSuchChannel(channel);
      const page = await pageOf({ channelIds }, filter);
      return isRefusal(page) ? page : { events: page.rows.map(withCounts), ...page.place };
    },

    listReachedChannels: async (reach) => channels(reach),
  } satisfies SomeHandlers;
}

const AFTER = 'event_id > CAST(:after AS BIGINT)';
/**
 * Selects events waiting to be sent: first attempts, retries, resends, due ones; not those only to be ended. The plus
 * sign keeps SQLite from reading all events by id for UNION's order.
 */
const WAITING = `
  SELECT event.id, event.uuid FROM event WHERE event.id IN (
    SELECT event_id FROM fan_out WHERE ${AFTER}
    UNION ALL SELECT event_id FROM delivery WHERE state = 'pending' AND ${AFTER}
    UNION ALL SELECT event_id FROM resend WHERE stage <> 'done' AND ${AFTER}
    UNION ALL SELECT id FROM event
      WHERE kind = 'scheduled' AND send_at <= CAST(:wallMs AS BIGINT) AND +id > CAST(:after AS BIGINT)
  )
  AND event.cancelled_at IS NULL AND ${IS_THERE} ORDER BY event.id LIMIT CAST(:limit AS BIGINT)`;

/** Reads an index of a workspace's scheduled events, at most `MOST_HELD_BACK`. */
const SCHEDULED = `
  SELECT event.uuid FROM event JOIN channel ON channel.id = event.channel_id
  WHERE event.workspace_id = :workspaceId AND event.kind = 'scheduled' AND channel.slug = :channel
    AND (event.collapse_key = :collapseKey OR event.uuid = :uuid)
    AND ${isInReach('event.channel_id')}
  ORDER BY event.id`;

export function waitingEvents(sql: Sql) {
  const next = sql.all<{ after: number; limit: number; wallMs: number }, { id: number; uuid: Uint8Array }>(WAITING);
  const scheduled = sql.all<
    Reach & { channel: string; collapseKey: string; uuid: Uint8Array | null },
    { uuid: Uint8Array }
  >(SCHEDULED);

  return {
    async findScheduled({ publicId, ...asked }) {
      const rows = await scheduled({ ...asked, uuid: uuidBytesOf(publicId) });
      return { publicIds: rows.map(({ uuid }) => publicIdOf(uuid)) };
    },

    async listWaiting({ after, limit }, { wallMs }) {
      const rows = await next({ after, limit, wallMs });
      return rows.map(({ id, uuid }) => ({ id, public_id: publicIdOf(uuid) }));
    },
  } satisfies SomeHandlers;
}
