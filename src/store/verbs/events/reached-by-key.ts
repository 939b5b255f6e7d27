import type { Channel, Reach } from '../../calls.ts';
import { badCursor, noSuchChannel } from '../../refusals.ts';
import type { Sql } from '../../sql.ts';
import type { Verbs } from '../verb.ts';
import { EVENT_BY_ID, type EventCountsRow, type EventTextRow, withCounts } from './events.ts';
import { newestEvents } from './newest.ts';

const REACHED = `
  FROM channel WHERE workspace_id = :workspaceId
    AND (CAST(:boundKeyId AS TEXT) IS NULL OR id IN (SELECT channel_id FROM key_channel WHERE key_id = :boundKeyId))`;

/** The lists that integrators read: only what their key reaches. */
export function reading(sql: Sql): Verbs<'listReachedEvents' | 'listReachedChannels'> {
  const channelIds = sql.values<Reach & { channel: string | null }, number>(
    `SELECT id ${REACHED} AND (CAST(:channel AS TEXT) IS NULL OR slug = :channel)`,
  );
  const channels = sql.all<Reach, Omit<Channel, 'device_count'>>(`SELECT slug, name, status ${REACHED} ORDER BY slug`);
  const byId = sql.get<{ id: number }, EventTextRow & EventCountsRow>(EVENT_BY_ID);
  const newest = newestEvents(sql);

  return {
    async listReachedEvents({ workspaceId, boundKeyId, channel = null, level, sinceMs = 0, before, limit }) {
      const beforeId = await newest.boundOf(before);
      if (beforeId === null) return badCursor('before');
      const ids = await channelIds({ workspaceId, boundKeyId, channel });
      if (channel !== null && ids.length === 0) return noSuchChannel(channel);
      const wanted: (EventTextRow & EventCountsRow)[] = [];
      for (const id of await newest.of(ids, beforeId, limit + 1, level)) {
        const row = await byId({ id });
        // Newer ones have larger ids, so the first that is too old is the end of the list.
        if (row !== undefined && row.received_at < sinceMs) break;
        if (row !== undefined) wanted.push(row);
      }
      const events = wanted.slice(0, limit).map(withCounts);
      return { events, next: wanted.length > limit ? (events.at(-1)?.public_id ?? null) : null };
    },

    listReachedChannels: async (reach) => channels(reach),
  };
}
