import { parse } from 'uuid';
import { uuidOf } from '../public-id.ts';
import { isRefusal } from './calls.ts';
import { EVENT_TEXTS, type EventTextRow, eventText, IS_THERE } from './events.ts';
import type { Db, Handlers } from './handlers.ts';
import { lookups } from './lookups.ts';
import { badCursor, noEvent } from './refusals.ts';

/** The events of the channels that a person's devices listen on. */
export function inbox(db: Db): Handlers<'listInbox' | 'readInboxEvent'> {
  const heardChannels = db
    .prepare<{ userId: number; workspaceId: number | null }, number>(`
      SELECT DISTINCT subscription.channel_id
      FROM device
      JOIN subscription ON subscription.device_id = device.id
      JOIN channel ON channel.id = subscription.channel_id
      JOIN member ON member.workspace_id = channel.workspace_id AND member.user_id = device.user_id
      WHERE device.user_id = :userId AND (:workspaceId IS NULL OR channel.workspace_id = :workspaceId)
    `)
    .pluck();
  const nextOlder = db
    .prepare<[number, number], number>('SELECT id FROM event WHERE channel_id = ? AND id < ? ORDER BY id DESC LIMIT 1')
    .pluck();
  /** The event itself, or the one before it where it has been deleted meanwhile. */
  const atOrBefore = db.prepare<[Uint8Array], { id: number; uuid: Buffer }>(
    'SELECT id, uuid FROM event WHERE uuid <= ? ORDER BY uuid DESC LIMIT 1',
  );
  const byId = db.prepare<[number], EventTextRow>(`${EVENT_TEXTS} WHERE event.id = ?`);
  const ofMember = db.prepare<{ userId: number; uuid: Uint8Array }, EventTextRow>(`
    ${EVENT_TEXTS} JOIN member ON member.workspace_id = event.workspace_id AND member.user_id = :userId
    WHERE event.uuid = :uuid AND ${IS_THERE}
  `);
  const find = lookups(db);

  /**
   * The newest events before `beforeId` of several channels: the newest of each wait side by side, and whichever is taken is
   * followed by the next of its channel. So the work grows with the channels and the page, not with the events.
   */
  function newestOf(channelIds: readonly number[], beforeId: number, count: number): number[] {
    const channelOfHead = new Map<number, number>();
    const advance = (channelId: number, fromId: number) => {
      const head = nextOlder.get(channelId, fromId);
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
  }

  /** All events older than the one of the cursor have a smaller id; null: the cursor is none. */
  function boundOf(cursor: string): number | null {
    const uuid = uuidOf(cursor);
    if (uuid === null) return null;
    const bytes = parse(uuid);
    const at = atOrBefore.get(bytes);
    if (at === undefined) return 0;
    return at.uuid.equals(bytes) ? at.id : at.id + 1;
  }

  return {
    listInbox({ userId, workspace: slug, limit, before }) {
      const workspace = slug === undefined ? null : find.workspaceOf(userId, slug);
      if (isRefusal(workspace)) return workspace;
      const beforeId = before === undefined ? Number.MAX_SAFE_INTEGER : boundOf(before);
      if (beforeId === null) return badCursor('before');
      const channelIds = heardChannels.all({ userId, workspaceId: workspace?.id ?? null });
      const ids = newestOf(channelIds, beforeId, limit + 1);
      const events = ids.slice(0, limit).flatMap((id) => byId.all(id).map(eventText));
      return { events, next: ids.length > limit ? (events.at(-1)?.public_id ?? null) : null };
    },

    readInboxEvent({ userId, publicId }) {
      const uuid = uuidOf(publicId);
      const row = uuid === null ? undefined : ofMember.get({ userId, uuid: parse(uuid) });
      return row === undefined ? noEvent(publicId) : eventText(row);
    },
  };
}

function largest(numbers: Iterable<number>): number {
  let most = Number.NEGATIVE_INFINITY;
  for (const number of numbers) if (number > most) most = number;
  return most;
}
