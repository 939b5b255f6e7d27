import { isRefusal, type Refusal } from '../../calls.ts';
import type { Sql } from '../../sql.ts';
import type { Handlers } from '../handler.ts';
import { lookups, type WorkspaceRow } from '../lookups.ts';
import { eventPages } from './event-pages.ts';
import type { EventLists } from './event-rows.ts';
import { withCounts } from './events.ts';
import { scheduledPages } from './scheduled-pages.ts';

/** The list for operators and managers: all events of a workspace, with their texts. */
export function eventLists(sql: Sql, lists: EventLists): Handlers<'listEvents'> {
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
    async listEvents({ workspace: slug, channel, scheduled = false, ...filter }) {
      const workspace = await find.workspace(slug);
      if (isRefusal(workspace)) return workspace;
      const isWhole = channel === undefined && (scheduled || filter.level === undefined);
      const channelIds = isWhole ? [] : await namedChannels(workspace, channel);
      if (isRefusal(channelIds)) return channelIds;
      if (scheduled) return scheduledPage(workspace.id, { ...filter, ...(channel !== undefined && { channel }) });
      const source = isWhole ? { workspaceId: workspace.id } : { channelIds };
      const page = await pageOf(source, filter);
      if (isRefusal(page)) return page;
      return { events: page.rows.map(withCounts), ...page.place };
    },
  };
}
