import { parse } from 'uuid';
import { uuidOf } from '../../../contract/public-id.ts';
import type { Level } from '../../../push.ts';
import type { Sql } from '../../sql.ts';
import { IS_THERE } from './events.ts';

export interface NewestEvents {
  /** The ids of the events before `beforeId` of several channels, newest first, of one level or of all. */
  from(channelIds: readonly number[], beforeId: number, level?: Level): AsyncIterable<number>;
  /** The same of a whole workspace, test pushes among them. */
  ofWorkspace(workspaceId: number, beforeId: number): AsyncIterable<number>;
  /**
   * All events older than the one of the cursor have a smaller id; null: the cursor is none. Without one it is all
   * events.
   */
  boundOf(cursor: string | undefined): Promise<number | null>;
  /** The id of this event, or of the one before it where it has been deleted; null: it is no event's public id. */
  atOrBefore(publicId: string): Promise<number | null>;
}

/** Lists over several channels, newest first. */
export function newestEvents(sql: Sql): NewestEvents {
  // A CAST hides a parameter from the planner, else SQLite compiles these anew at each run: three times as long, for
  // each channel.
  const nextOlder = sql.value<{ channelId: number; fromId: number }, number>(`
    SELECT id FROM event WHERE channel_id = CAST(:channelId AS BIGINT) AND id < CAST(:fromId AS BIGINT)
    ORDER BY id DESC LIMIT 1
  `);
  const nextOlderOfLevel = sql.value<{ channelId: number; level: Level; fromId: number }, number>(`
    SELECT id FROM event
    WHERE channel_id = CAST(:channelId AS BIGINT) AND level = CAST(:level AS TEXT) AND id < CAST(:fromId AS BIGINT)
    ORDER BY id DESC LIMIT 1
  `);
  const nextOlderOfWorkspace = sql.value<{ workspaceId: number; fromId: number }, number>(`
    SELECT id FROM event
    WHERE workspace_id = CAST(:workspaceId AS BIGINT) AND id < CAST(:fromId AS BIGINT) AND ${IS_THERE}
    ORDER BY id DESC LIMIT 1
  `);
  /** The event itself, or the one before it where it has been deleted meanwhile. */
  const eventAtOrBefore = sql.get<{ uuid: Uint8Array }, { id: number; uuid: Buffer }>(
    'SELECT id, uuid FROM event WHERE uuid <= :uuid ORDER BY uuid DESC LIMIT 1',
  );

  return {
    /**
     * The newest of each channel wait side by side, and whichever is taken is followed by the next of its channel. So
     * the work grows with the channels and with how many are asked for, not with the events.
     */
    async *from(channelIds, beforeId, level) {
      const channelOfHead = new Map<number, number>();
      const advance = async (channelId: number, fromId: number): Promise<void> => {
        const head = await (level === undefined
          ? nextOlder({ channelId, fromId })
          : nextOlderOfLevel({ channelId, level, fromId }));
        if (head !== undefined) channelOfHead.set(head, channelId);
      };
      for (const channelId of channelIds) await advance(channelId, beforeId);
      while (channelOfHead.size > 0) {
        const head = largest(channelOfHead.keys());
        const channelId = channelOfHead.get(head) ?? 0;
        channelOfHead.delete(head);
        yield head;
        await advance(channelId, head);
      }
    },

    async *ofWorkspace(workspaceId, beforeId) {
      let id = await nextOlderOfWorkspace({ workspaceId, fromId: beforeId });
      while (id !== undefined) {
        yield id;
        id = await nextOlderOfWorkspace({ workspaceId, fromId: id });
      }
    },

    async boundOf(cursor) {
      if (cursor === undefined) return Number.MAX_SAFE_INTEGER;
      const uuid = uuidOf(cursor);
      if (uuid === null) return null;
      const bytes = parse(uuid);
      const at = await eventAtOrBefore({ uuid: bytes });
      if (at === undefined) return 0;
      return at.uuid.equals(bytes) ? at.id : at.id + 1;
    },

    async atOrBefore(publicId) {
      const uuid = uuidOf(publicId);
      return uuid === null ? null : ((await eventAtOrBefore({ uuid: parse(uuid) }))?.id ?? 0);
    },
  };
}

function largest(numbers: Iterable<number>): number {
  let most = Number.NEGATIVE_INFINITY;
  for (const number of numbers) if (number > most) most = number;
  return most;
}
