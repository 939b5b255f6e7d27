import type { Address } from '../../push.ts';
import { SELECT_KEPT } from '../event-columns.ts';
import { IS_CANCELLED, IS_TAKEN_BACK } from '../handlers/alerts/alert-rows.ts';
import { NO_CHANNEL } from '../handlers/events/left-out.ts';
import type { ClaimedTarget, QueuedEvent } from './packing.ts';
import type { QueueVerdict } from './verdicts.ts';

/** A condition, as either engine answers it. */
type Flag = 0 | 1 | boolean;

export interface EventHead extends QueuedEvent {
  /** 0: cancelled, or taken back by its alert. */
  readonly expiresAtSteadyMs: number;
  /** Later subscriptions have higher numbers. Null: all count. */
  readonly lastSubscription: number | null;
  readonly isCancelled: Flag;
}

/** Selects heads, except of events that lost their channel or workspace. `events`: rows of `event`. */
export function selectHeads(events: string, more: readonly string[] = []): string {
  return `
    SELECT event.id, event.uuid, event.workspace_id AS "workspaceId", event.channel_id AS "channelId", event.had_links AS "hadLinks",
      event.received_at AS "receivedAtMs", CASE WHEN ${IS_TAKEN_BACK} THEN 0 ELSE event.expires_at END AS "expiresAtSteadyMs",
      event.last_subscription AS "lastSubscription", event.cancelled_at IS NOT NULL OR ${IS_CANCELLED} AS "isCancelled",
      event.alert, event.quiet, event.on_call AS "onCall", w.slug AS workspace, coalesce(c.slug, ${NO_CHANNEL}) AS channel,
      ${['c.name AS "channelName"', ...more, SELECT_KEPT].join(', ')}
    FROM ${events} JOIN workspace w ON w.id = event.workspace_id LEFT JOIN channel c ON c.id = event.channel_id
    WHERE (event.channel_id IS NULL OR c.id IS NOT NULL)`;
}

export function isExpired({ expiresAtSteadyMs }: EventHead, steadyMs: number): boolean {
  return expiresAtSteadyMs <= steadyMs;
}

/** How a push of an ended event ends: cancelled or expired. */
export function endOfLife({ isCancelled }: Pick<EventHead, 'isCancelled'>) {
  return isCancelled ? WITHDRAWN.cancelled : EXPIRED;
}

/** A device that an event may reach. */
export interface TargetRow extends Address {
  readonly deviceId: number;
  readonly attempts: number;
  readonly wasAccepted: Flag;
  readonly isQuarantined: Flag;
  /** Its channel or level is muted on the device; null: not subscribed. */
  readonly isMuted: Flag | null;
  /** The event rings for another person alone; null: for everyone. */
  readonly isInformed: Flag | null;
}

/** The target of a retry, which may have changed since its last attempt. */
export interface RetryRow extends TargetRow {
  /** null: device removed. */
  readonly status: 'active' | 'inactive' | null;
  readonly inactiveReason: string | null;
  /** Whether the device still has the route, owner and subscription of the event; null: device removed. */
  readonly isEntitled: Flag | null;
}

/** Returns how a push of a live event ends unsent; null: the device may still get it. */
export function endOf({ status, inactiveReason, isEntitled, isMuted, token }: RetryRow): QueueVerdict | null {
  if (status === null) return WITHDRAWN.removed;
  if (!isEntitled) return WITHDRAWN.unsubscribed;
  if (status === 'inactive') return { state: 'unregistered', reason: inactiveReason ?? 'inactive', token, atMs: null };
  return isMuted ? WITHDRAWN.muted : null;
}

const EXPIRED = { state: 'expired', reason: 'ttl' } as const;
export const WITHDRAWN = {
  cancelled: { state: 'withdrawn', reason: 'cancelled' },
  gone: { state: 'withdrawn', reason: 'gone' },
  muted: { state: 'withdrawn', reason: 'muted' },
  removed: { state: 'withdrawn', reason: 'device_removed' },
  unsubscribed: { state: 'withdrawn', reason: 'unsubscribed' },
} as const;

export function targetOf(row: TargetRow): ClaimedTarget {
  const { deviceId, token, tokenKind, keys, attempts, wasAccepted, isQuarantined, isInformed } = row;
  return {
    deviceId,
    token,
    tokenKind,
    keys,
    attempts,
    wasAccepted: Boolean(wasAccepted),
    isQuarantined: Boolean(isQuarantined),
    ...(isInformed && { isInformed: true }),
  };
}
