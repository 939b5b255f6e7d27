import { SELECT_KEPT } from '../../event-columns.ts';
import { IS_CANCELLED, IS_TAKEN_BACK } from '../../handlers/alerts/alert-rows.ts';
import { NO_CHANNEL } from '../../handlers/events/left-out.ts';
import type { QueuedEvent } from '../../handlers/packing.ts';
import type { Db } from '../transaction.ts';

const HEAD = `
  SELECT event.id, event.uuid, event.channel_id AS channelId, event.had_links AS hadLinks, event.received_at AS receivedAtMs,
    CASE WHEN ${IS_TAKEN_BACK} THEN 0 ELSE event.expires_at END AS expiresAtSteadyMs, event.last_subscription AS lastSubscription,
    event.cancelled_at IS NOT NULL OR ${IS_CANCELLED} AS isCancelled, event.alert, event.quiet, event.on_call AS onCall, w.slug AS workspace,
    coalesce(c.slug, ${NO_CHANNEL}) AS channel, c.name AS "channelName", ${SELECT_KEPT}
  FROM event JOIN workspace w ON w.id = event.workspace_id LEFT JOIN channel c ON c.id = event.channel_id
  WHERE event.id = +? AND (event.channel_id IS NULL OR c.id IS NOT NULL)`;

export interface EventHead extends QueuedEvent {
  readonly expiresAtSteadyMs: number;
  /** Later subscriptions have higher numbers. Null: all count. */
  readonly lastSubscription: number | null;
  /** Cancelled, and thus expired. */
  readonly isCancelled: 0 | 1;
}

/** Undefined if event, channel or workspace was deleted. */
export function eventHeads(db: Db): (eventId: number) => EventHead | undefined {
  const head = db.prepare<[number], EventHead>(HEAD);
  return (eventId) => head.get(eventId);
}
