import type { Level } from '../../../push.ts';
import type { UnreadCount } from '../../calls/inbox.ts';
import type { Sql } from '../../sql.ts';
import { type EventLists, type HeardChannel, MOST_COUNTED, MOST_OF_CHANNEL, type ReadMark } from './event-rows.ts';

interface Apart {
  readonly read: number;
  readonly unread: number;
}
const NONE_APART: Apart = { read: 0, unread: 0 };

export function unreadCounts(sql: Sql): EventLists['unread'] {
  const count = (condition: string) => `
    SELECT count(*) FROM (
      SELECT id FROM event WHERE channel_id = CAST(:channelId AS BIGINT) ${condition} AND id > CAST(:upTo AS BIGINT)
        AND id NOT IN (
          SELECT id FROM event WHERE channel_id = CAST(:channelId AS BIGINT) AND id > CAST(:upTo AS BIGINT) AND kind IS NOT NULL
        )
      LIMIT CAST(:most AS BIGINT)
    ) AS unread`;
  const above = sql.value<ReadMark & { most: number }, number>(count(''));
  const aboveOfLevel = sql.value<ReadMark & { most: number }, number>(count('AND level = CAST(:level AS TEXT)'));
  const apartOf = sql.get<{ userId: number; channelId: number; level: Level }, Apart>(`
    SELECT coalesce(sum(is_read), 0) AS read, coalesce(sum(1 - is_read), 0) AS unread FROM read_apart
    WHERE user_id = :userId AND channel_id = :channelId AND level = :level
  `);

  /** Returns at least `most` if available. */
  async function countOf(userId: number, mark: ReadMark, most: number): Promise<number> {
    const { level, channelId } = mark;
    if (level === null) return (await above({ ...mark, most })) ?? 0;
    const apart = (await apartOf({ userId, channelId, level })) ?? NONE_APART;
    return ((await aboveOfLevel({ ...mark, most: most + apart.read })) ?? 0) - apart.read + apart.unread;
  }

  return async (userId, channels) => {
    const counted: { channel: HeardChannel; events: number }[] = [];
    const ofWorkspace = new Map<string, number>();
    for (const channel of channels) {
      const before = ofWorkspace.get(channel.workspace) ?? 0;
      const most = Math.max(MOST_OF_CHANNEL, MOST_COUNTED - before);
      let events = 0;
      for (const mark of channel.marks) events += await countOf(userId, mark, most);
      counted.push({ channel, events });
      ofWorkspace.set(channel.workspace, before + events);
    }
    return asUnread(counted);
  };
}

/** Returns shown counts: workspaces and channels with unread events, each capped. */
export function asUnread(
  counted: readonly { readonly channel: Pick<HeardChannel, 'slug' | 'workspace'>; readonly events: number }[],
): readonly UnreadCount[] {
  const unread = new Map<string, { workspace: string; events: number; channels: UnreadCount['channels'][number][] }>();
  for (const { channel, events } of counted) {
    const { workspace, slug } = channel;
    if (events <= 0) continue;
    const workspaceCounts = unread.get(workspace) ?? { workspace, events: 0, channels: [] };
    workspaceCounts.events = Math.min(MOST_COUNTED, workspaceCounts.events + events);
    workspaceCounts.channels.push({ channel: slug, events: Math.min(MOST_OF_CHANNEL, events) });
    unread.set(workspace, workspaceCounts);
  }
  return [...unread.values()];
}
