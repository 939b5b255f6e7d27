import { isRefusal } from '../../calls.ts';
import type { UnreadCount } from '../../people-calls.ts';
import { invalidField } from '../../refusals.ts';
import type { Sql } from '../../sql.ts';
import { lookups } from '../lookups.ts';
import type { Verbs } from '../verb.ts';
import { eventOrder } from './event-order.ts';
import { type EventLists, MOST_COUNTED } from './event-rows.ts';

/** Channel by channel. */
export function unreadCounts(sql: Sql): EventLists['unread'] {
  const countAfter = sql.value<{ channelId: number; afterId: number; most: number }, number>(`
    SELECT count(*) FROM (
      SELECT id FROM event WHERE channel_id = CAST(:channelId AS BIGINT) AND id > CAST(:afterId AS BIGINT)
        AND id NOT IN (
          SELECT id FROM event WHERE channel_id = CAST(:channelId AS BIGINT) AND id > CAST(:afterId AS BIGINT) AND kind IS NOT NULL
        )
      LIMIT CAST(:most AS BIGINT)
    ) AS unread
  `);

  return async (channels) => {
    const counts = new Map<UnreadCount['workspace'], number>();
    for (const { id: channelId, workspace, readUpTo: afterId } of channels) {
      const counted = counts.get(workspace) ?? 0;
      if (counted === MOST_COUNTED) continue;
      const more = (await countAfter({ channelId, afterId, most: MOST_COUNTED - counted })) ?? 0;
      if (more > 0) counts.set(workspace, counted + more);
    }
    return [...counts].map(([workspace, events]) => ({ workspace, events }));
  };
}

export function readMarks(sql: Sql, lists: EventLists): Verbs<'markInboxRead'> {
  const advance = sql.run<{ userId: number; workspaceId: number; upToId: number }>(`
    UPDATE member SET read_up_to = :upToId
    WHERE user_id = :userId AND workspace_id = :workspaceId AND read_up_to < :upToId
  `);
  const find = lookups(sql);
  const { atOrBefore } = eventOrder(sql);

  return {
    async markInboxRead({ userId, workspace: slug, upTo }, _, actor) {
      const workspace = await find.workspaceOf(userId, slug, actor);
      if (isRefusal(workspace)) return workspace;
      const upToId = await atOrBefore(upTo);
      if (upToId === null) return invalidField({ field: 'up_to', message: 'The up_to field is no id of an event.' });
      // What is not in the list yet is not read.
      await advance({ userId, workspaceId: workspace.id, upToId: Math.min(upToId, await lists.newest()) });
      return null;
    },
  };
}
