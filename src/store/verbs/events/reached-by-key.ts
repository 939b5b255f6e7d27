import type { Channel, Reach } from '../../calls.ts';
import { badCursor, noSuchChannel } from '../../refusals.ts';
import type { Db, Handlers } from '../../sqlite/transaction.ts';
import { EVENT_TEXTS, type EventCountsRow, type EventTextRow, withCounts } from './events.ts';
import { newestEvents } from './newest.ts';

const REACHED = `
  FROM channel WHERE workspace_id = :workspaceId
    AND (:boundKeyId IS NULL OR id IN (SELECT channel_id FROM key_channel WHERE key_id = :boundKeyId))`;

/** The lists that integrators read: only what their key reaches. */
export function reading(db: Db): Handlers<'listReachedEvents' | 'listReachedChannels'> {
  const channelIds = db
    .prepare<Reach & { channel: string | null }, number>(
      `SELECT id ${REACHED} AND (:channel IS NULL OR slug = :channel)`,
    )
    .pluck();
  const channels = db.prepare<Reach, Omit<Channel, 'device_count'>>(
    `SELECT slug, name, status ${REACHED} ORDER BY slug`,
  );
  const byId = db.prepare<[number], EventTextRow & EventCountsRow>(`${EVENT_TEXTS} WHERE event.id = ?`);
  const newest = newestEvents(db);

  return {
    listReachedEvents({ workspaceId, boundKeyId, channel = null, level, sinceMs = 0, before, limit }) {
      const beforeId = newest.boundOf(before);
      if (beforeId === null) return badCursor('before');
      const ids = channelIds.all({ workspaceId, boundKeyId, channel });
      if (channel !== null && ids.length === 0) return noSuchChannel(channel);
      const rows = newest.of(ids, beforeId, limit + 1, level).flatMap((id) => byId.all(id));
      // Newer ones have larger ids, so the first that is too old is the end of the list.
      const end = rows.findIndex(({ received_at: atMs }) => atMs < sinceMs);
      const wanted = end === -1 ? rows : rows.slice(0, end);
      const events = wanted.slice(0, limit).map(withCounts);
      return { events, next: wanted.length > limit ? (events.at(-1)?.public_id ?? null) : null };
    },

    listReachedChannels: (reach) => channels.all(reach),
  };
}
