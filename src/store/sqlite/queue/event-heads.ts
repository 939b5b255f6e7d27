import type { Level, Urgency } from '../../../push.ts';
import type { Db } from '../transaction.ts';

const HEAD = `
  SELECT e.id, e.uuid, e.channel_id AS channelId, e.title, e.description, e.level, e.urgency, e.event_type AS eventType,
    e.collapse_key AS collapseKey, e.had_links AS hadLinks, e.received_at AS receivedAtMs, e.expires_at AS expiresAtSteadyMs,
    e.last_subscription AS lastSubscription, e.cancelled_at IS NOT NULL AS isCancelled,
    w.slug AS workspace, coalesce(c.slug, 'test') AS channel
  FROM event e JOIN workspace w ON w.id = e.workspace_id LEFT JOIN channel c ON c.id = e.channel_id
  WHERE e.id = +? AND (e.channel_id IS NULL OR c.id IS NOT NULL)`;

/** Something of the event waits to be sent, or is out. In these words, so that the index `event_unfinished` serves. */
export const UNFINISHED = 'targeted > accepted + failed + unregistered + expired + withdrawn';

/** What the queue needs to know of an event. `channelId` null: a test push to one device. */
export interface EventHead {
  readonly id: number;
  readonly uuid: Buffer;
  readonly channelId: number | null;
  readonly title: string;
  readonly description: string | null;
  readonly level: Level;
  readonly urgency: Urgency;
  readonly eventType: string | null;
  readonly collapseKey: string | null;
  readonly hadLinks: 0 | 1;
  readonly receivedAtMs: number;
  readonly expiresAtSteadyMs: number;
  /** Subscriptions with a higher number came later. Null: all count. */
  readonly lastSubscription: number | null;
  /** An operator took it back. It counts as expired, too. */
  readonly isCancelled: 0 | 1;
  readonly workspace: string;
  readonly channel: string;
}

/** Undefined where the event, its channel or its workspace was deleted meanwhile. */
export function eventHeads(db: Db): (eventId: number) => EventHead | undefined {
  const head = db.prepare<[number], EventHead>(HEAD);
  return (eventId) => head.get(eventId);
}
