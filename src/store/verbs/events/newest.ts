import { parse } from 'uuid';
import { uuidOf } from '../../../contract/public-id.ts';
import type { Level } from '../../../push.ts';
import type { Db } from '../../sqlite/transaction.ts';

export interface NewestEvents {
  /** The ids of the newest events before `beforeId` of several channels, of one level or of all. */
  of(channelIds: readonly number[], beforeId: number, count: number, level?: Level): number[];
  /**
   * All events older than the one of the cursor have a smaller id; null: the cursor is none. Without one it is all
   * events.
   */
  boundOf(cursor: string | undefined): number | null;
}

/** Lists over several channels, newest first. */
export function newestEvents(db: Db): NewestEvents {
  // `+` before a parameter, else SQLite compiles these anew at each run: three times as long, for each channel.
  const nextOlder = db
    .prepare<[number, number], number>(
      'SELECT id FROM event WHERE channel_id = +? AND id < +? ORDER BY id DESC LIMIT 1',
    )
    .pluck();
  const nextOlderOfLevel = db
    .prepare<[number, Level, number], number>(
      'SELECT id FROM event WHERE channel_id = +? AND level = +? AND id < +? ORDER BY id DESC LIMIT 1',
    )
    .pluck();
  /** The event itself, or the one before it where it has been deleted meanwhile. */
  const atOrBefore = db.prepare<[Uint8Array], { id: number; uuid: Buffer }>(
    'SELECT id, uuid FROM event WHERE uuid <= ? ORDER BY uuid DESC LIMIT 1',
  );

  return {
    /**
     * The newest of each channel wait side by side, and whichever is taken is followed by the next of its channel. So
     * the work grows with the channels and the page, not with the events.
     */
    of(channelIds, beforeId, count, level) {
      const channelOfHead = new Map<number, number>();
      const advance = (channelId: number, fromId: number) => {
        const head =
          level === undefined ? nextOlder.get(channelId, fromId) : nextOlderOfLevel.get(channelId, level, fromId);
        if (head !== undefined) channelOfHead.set(head, channelId);
      };
      for (const channelId of channelIds) advance(channelId, beforeId);
      const newest: number[] = [];
      while (newest.length < count && channelOfHead.size > 0) {
        const head = largest(channelOfHead.keys());
        const channelId = channelOfHead.get(head) ?? 0;
        channelOfHead.delete(head);
        newest.push(head);
        advance(channelId, head);
      }
      return newest;
    },

    boundOf(cursor) {
      if (cursor === undefined) return Number.MAX_SAFE_INTEGER;
      const uuid = uuidOf(cursor);
      if (uuid === null) return null;
      const bytes = parse(uuid);
      const at = atOrBefore.get(bytes);
      if (at === undefined) return 0;
      return at.uuid.equals(bytes) ? at.id : at.id + 1;
    },
  };
}

function largest(numbers: Iterable<number>): number {
  let most = Number.NEGATIVE_INFINITY;
  for (const number of numbers) if (number > most) most = number;
  return most;
}
