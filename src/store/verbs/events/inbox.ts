import { parse } from 'uuid';
import { uuidOf } from '../../../contract/public-id.ts';
import { type EventText, isRefusal } from '../../calls.ts';
import { badCursor, noEvent } from '../../refusals.ts';
import type { Sql } from '../../sql.ts';
import { lookups } from '../lookups.ts';
import type { Verbs } from '../verb.ts';
import { EVENT_BY_ID, EVENT_TEXTS, type EventTextRow, eventText, IS_THERE } from './events.ts';
import { newestEvents } from './newest.ts';

/** The events of the channels that a person's devices are subscribed to. */
export function inbox(sql: Sql): Verbs<'listInbox' | 'readInboxEvent'> {
  const heardChannels = sql.values<{ userId: number; workspaceId: number | null }, number>(`
    SELECT channel.id
    FROM member
    JOIN channel ON channel.workspace_id = member.workspace_id
    WHERE member.user_id = :userId
      AND (CAST(:workspaceId AS BIGINT) IS NULL OR member.workspace_id = :workspaceId)
      AND EXISTS (SELECT 1 FROM subscription WHERE user_id = member.user_id AND channel_id = channel.id)
  `);
  const byId = sql.get<{ id: number }, EventTextRow>(EVENT_BY_ID);
  const ofMember = sql.get<{ userId: number; uuid: Uint8Array }, EventTextRow>(`
    ${EVENT_TEXTS} JOIN member ON member.workspace_id = event.workspace_id AND member.user_id = :userId
    WHERE event.uuid = :uuid AND ${IS_THERE}
  `);
  const find = lookups(sql);
  const newest = newestEvents(sql);

  return {
    async listInbox({ userId, workspace: slug, limit, before }) {
      const workspace = slug === undefined ? null : await find.workspaceOf(userId, slug);
      if (isRefusal(workspace)) return workspace;
      const beforeId = await newest.boundOf(before);
      if (beforeId === null) return badCursor('before');
      const channelIds = await heardChannels({ userId, workspaceId: workspace?.id ?? null });
      const ids = await newest.of(channelIds, beforeId, limit + 1);
      const events: EventText[] = [];
      for (const id of ids.slice(0, limit)) {
        const row = await byId({ id });
        if (row !== undefined) events.push(eventText(row));
      }
      return { events, next: ids.length > limit ? (events.at(-1)?.public_id ?? null) : null };
    },

    async readInboxEvent({ userId, publicId }) {
      const uuid = uuidOf(publicId);
      const row = uuid === null ? undefined : await ofMember({ userId, uuid: parse(uuid) });
      return row === undefined ? noEvent(publicId) : eventText(row);
    },
  };
}
