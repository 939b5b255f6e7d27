import { isRefusal } from '../../calls.ts';
import type { Sql } from '../../sql.ts';
import type { SomeHandlers } from '../handler.ts';
import { lookups } from '../lookups.ts';
import { eventPages } from './event-pages.ts';
import type { EventLists } from './event-rows.ts';
import { eventText } from './events.ts';
import { pushResults, type ResultSettings } from './push-results.ts';

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
