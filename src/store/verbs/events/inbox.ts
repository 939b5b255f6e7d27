import { parse } from 'uuid';
import { uuidOf } from '../../../contract/public-id.ts';
import { isRefusal } from '../../calls.ts';
import { badCursor, noEvent } from '../../refusals.ts';
import type { Db, Handlers } from '../../sqlite/transaction.ts';
import { lookups } from '../lookups.ts';
import { EVENT_TEXTS, type EventTextRow, eventText, IS_THERE } from './events.ts';
import { newestEvents } from './newest.ts';

/** The events of the channels that a person's devices listen on. */
export function inbox(db: Db): Handlers<'listInbox' | 'readInboxEvent'> {
  const heardChannels = db
    .prepare<{ userId: number; workspaceId: number | null }, number>(`
      SELECT channel.id
      FROM member
      JOIN channel ON channel.workspace_id = member.workspace_id
      WHERE member.user_id = :userId AND (:workspaceId IS NULL OR member.workspace_id = :workspaceId)
        AND EXISTS (SELECT 1 FROM subscription WHERE user_id = member.user_id AND channel_id = channel.id)
    `)
    .pluck();
  const byId = db.prepare<[number], EventTextRow>(`${EVENT_TEXTS} WHERE event.id = ?`);
  const ofMember = db.prepare<{ userId: number; uuid: Uint8Array }, EventTextRow>(`
    ${EVENT_TEXTS} JOIN member ON member.workspace_id = event.workspace_id AND member.user_id = :userId
    WHERE event.uuid = :uuid AND ${IS_THERE}
  `);
  const find = lookups(db);
  const newest = newestEvents(db);

  return {
    listInbox({ userId, workspace: slug, limit, before }) {
      const workspace = slug === undefined ? null : find.workspaceOf(userId, slug);
      if (isRefusal(workspace)) return workspace;
      const beforeId = newest.boundOf(before);
      if (beforeId === null) return badCursor('before');
      const channelIds = heardChannels.all({ userId, workspaceId: workspace?.id ?? null });
      const ids = newest.of(channelIds, beforeId, limit + 1);
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
