import { MAX, parse, stringify } from 'uuid';
import { publicIdOf, uuidOf } from '../../../contract/public-id.ts';
import { type EventPage, isRefusal, type Refusal, type SearchFilter } from '../../calls.ts';
import { badCursor } from '../../refusals.ts';
import { ifGiven, type Sql } from '../../sql.ts';
import type { SomeHandlers } from '../handler.ts';
import { lookups, type WorkspaceRow } from '../lookups.ts';
import { eventPages } from './event-pages.ts';
import type { EventLists, EventRow } from './event-rows.ts';
import { EVENT_TEXTS, withCounts } from './events.ts';

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
const SCHEDULED = `
  ${EVENT_TEXTS}
  WHERE event.workspace_id = CAST(:workspaceId AS BIGINT) AND event.kind = 'scheduled' AND channel.id IS NOT NULL
    AND event.uuid < :before
    AND ${ifGiven('channel', 'channel.slug = :channel')}
    AND ${ifGiven('level', 'event.level = :level')}
    AND ${ifGiven('eventType', 'event.event_type = :eventType')}
  ORDER BY event.uuid DESC LIMIT CAST(:count AS BIGINT)`;

type Asked = Pick<SearchFilter, 'channel' | 'level' | 'eventType' | 'before' | 'limit'>;

function scheduledPages(sql: Sql): (workspaceId: number, asked: Asked) => Promise<EventPage | Refusal> {
  const scheduled = sql.all<object, EventRow>(SCHEDULED);

  return async (workspaceId, { channel = null, level = null, eventType = null, before: cursor, limit }) => {
    const uuid = cursor === undefined ? MAX : uuidOf(cursor);
    if (uuid === null) return badCursor('before');
    const before = Buffer.from(parse(uuid));
    const rows = await scheduled({ workspaceId, channel, level, eventType, before, count: limit + 1 });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const isEnd = last === undefined || rows.length <= limit;
    return { events: page.map(withCounts), next: isEnd ? null : publicIdOf(stringify(last.uuid)) };
  };
}
