import { type Channel, isRefusal, type Reach } from '../../calls.ts';
import { noSuchChannel } from '../../refusals.ts';
import { ifGiven, type Sql } from '../../sql.ts';
import type { SomeHandlers } from '../handler.ts';
import { isInReach } from '../keys/bindings.ts';
import { eventPages } from './event-pages.ts';
import type { EventLists } from './event-rows.ts';
import { withCounts } from './events.ts';

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
