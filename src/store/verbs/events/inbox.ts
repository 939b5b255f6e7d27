import { parse } from 'uuid';
import { uuidOf } from '../../../contract/public-id.ts';
import { isRefusal } from '../../calls.ts';
import { noEvent } from '../../refusals.ts';
import type { Sql } from '../../sql.ts';
import { alertFinder } from '../alerts/finding.ts';
import { lookups } from '../lookups.ts';
import { IS_VOUCHED, sessionOf } from '../people/vouchers.ts';
import type { Verbs } from '../verb.ts';
import { eventPages } from './event-pages.ts';
import type { EventLists, EventTextRow, HeardChannel } from './event-rows.ts';
import { EVENT_TEXTS, eventText } from './events.ts';
import { IS_THERE } from './is-there.ts';

/** The events of the channels that a person's devices are subscribed to. */
export function inbox(sql: Sql, lists: EventLists): Verbs<'listInbox' | 'readInboxEvent'> {
  const heardChannels = sql.all<{ userId: number; session: Buffer }, HeardChannel & { slug: string }>(`
    SELECT channel.id, channel.slug, workspace.slug AS workspace, member.read_up_to AS "readUpTo"
    FROM member
    JOIN workspace ON workspace.id = member.workspace_id
    JOIN channel ON channel.workspace_id = member.workspace_id
    WHERE member.user_id = CAST(:userId AS BIGINT) AND ${IS_VOUCHED}
      AND EXISTS (SELECT 1 FROM subscription WHERE user_id = member.user_id AND channel_id = channel.id)
  `);
  const ofMember = sql.get<{ userId: number; uuid: Uint8Array; session: Buffer }, EventTextRow>(`
    ${EVENT_TEXTS} JOIN member ON member.workspace_id = event.workspace_id AND member.user_id = :userId
    WHERE event.uuid = :uuid AND ${IS_THERE} AND ${IS_VOUCHED}
  `);
  const find = lookups(sql);
  const pageOf = eventPages(sql, lists);
  const alerts = alertFinder(sql);

  return {
    async listInbox({ userId, workspace: slug, channel, ...filter }, _, actor) {
      const workspace = slug === undefined ? null : await find.workspaceOf(userId, slug, actor);
      if (isRefusal(workspace)) return workspace;
      const heard = await heardChannels({ userId, session: sessionOf(actor) });
      const wanted = heard.filter(
        (one) => (slug === undefined || one.workspace === slug) && (channel === undefined || one.slug === channel),
      );
      const channelIds = wanted.map(({ id }) => id);
      const page = await pageOf({ channelIds }, filter);
      if (isRefusal(page)) return page;
      const readUpTo = new Map(heard.map((one) => [one.workspace, one.readUpTo]));
      const events = page.rows.map((row) => {
        return { ...eventText(row), unread: row.id > (readUpTo.get(row.workspace) ?? 0) };
      });
      return { events, unread: await lists.unread(heard), ...page.place };
    },

    async readInboxEvent({ userId, publicId }, now, actor) {
      const uuid = uuidOf(publicId);
      const row = uuid === null ? undefined : await ofMember({ userId, uuid: parse(uuid), session: sessionOf(actor) });
      return row === undefined ? noEvent(publicId) : { event: eventText(row), alert: await alerts.ofEvent(row, now) };
    },
  };
}
