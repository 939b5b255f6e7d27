import type { Moment } from '../../../process/clock.ts';
import { unmutedFor } from '../../handlers/devices/mutes.ts';
import type { Claims } from '../../queue/claims.ts';
import type { ClaimedTarget } from '../../queue/packing.ts';
import { type EventHead, endOf, endOfLife, isExpired, type RetryRow, targetOf } from '../../queue/targets.ts';
import { type Line, unsentLine } from '../../queue/verdicts.ts';
import type { Db } from '../transaction.ts';
import type { LaneKey } from './ready.ts';

const DUE = `
  SELECT event_id AS eventId, device_id AS deviceId FROM delivery
  WHERE state = 'pending' AND route = +:route AND lane = +:lane AND workspace_id = +:workspaceId AND due_at <= +:steadyMs
  ORDER BY due_at LIMIT +:limit`;

const NEXT_DUE = `
  SELECT event_id AS eventId, device_id AS deviceId, due_at AS dueAt FROM delivery
  WHERE state = 'pending' AND route = +:route AND lane = +:lane AND workspace_id = +:workspaceId
  ORDER BY due_at LIMIT +:limit`;

const FORGET = `DELETE FROM delivery WHERE event_id = :eventId AND device_id = :deviceId`;

/** Excludes devices that changed environment: the old one would call their token dead. */
const TARGET = `
  SELECT d.device_id AS deviceId, d.attempts, v.status, v.inactive_reason AS inactiveReason, v.token, v.token_kind AS tokenKind, v.keys,
    v.accepted_at IS NOT NULL AS wasAccepted, v.refused_at IS NOT NULL AS isQuarantined, v.user_id <> +:onCall AS isInformed,
    v.route = d.route AND (+:channelId IS NULL OR EXISTS (
      SELECT 1 FROM subscription s
      WHERE s.device_id = d.device_id AND s.channel_id = +:channelId AND s.number <= coalesce(+:last, s.number)
        AND s.generation = v.generation
    )) AS isEntitled,
    EXISTS (
      SELECT 1 FROM subscription s WHERE s.device_id = d.device_id AND s.channel_id = +:channelId
        AND (s.min_level > +:level OR s.muted_until > +:wallMs)
    ) AS isMuted
  FROM delivery d LEFT JOIN device v ON v.id = d.device_id
  WHERE d.event_id = +:eventId AND d.device_id = +:deviceId`;

export interface DueEvent {
  readonly eventId: number;
  readonly deviceIds: readonly number[];
}

interface Resolved {
  readonly targets: readonly ClaimedTarget[];
  readonly ended: readonly Line[];
}

/** Due deferred pushes, and whether their devices may still have them. */
export function retries(db: Db, claims: Claims) {
  const due = db.prepare<unknown[], { eventId: number; deviceId: number }>(DUE);
  const nextDue = db.prepare<unknown[], { eventId: number; deviceId: number; dueAt: number }>(NEXT_DUE);
  const forget = db.prepare(FORGET);
  const target = db.prepare<unknown[], RetryRow>(TARGET);

  return {
    /** Returns unclaimed devices with the longest due pushes, by event. */
    due({ route, lane }: LaneKey, workspaceId: number, steadyMs: number, limit: number): readonly DueEvent[] {
      const rows = due
        .all({ route, lane, workspaceId, steadyMs, limit: limit + claims.claimedRetries })
        .filter((row) => !claims.isClaimedRetry(row.eventId, row.deviceId))
        .slice(0, limit);
      const byEvent = Map.groupBy(rows, ({ eventId }) => eventId);
      return [...byEvent].map(([eventId, pushes]) => ({ eventId, deviceIds: pushes.map(({ deviceId }) => deviceId) }));
    },

    /** The next unclaimed one's due time. */
    nextDue({ route, lane }: LaneKey, workspaceId: number): number | undefined {
      return nextDue
        .all({ route, lane, workspaceId, limit: 1 + claims.claimedRetries })
        .find((row) => !claims.isClaimedRetry(row.eventId, row.deviceId))?.dueAt;
    },

    /** Separates devices to send to from those whose delivery ends here. */
    resolve(head: EventHead, deviceIds: readonly number[], { steadyMs, wallMs }: Moment): Resolved {
      const { id: eventId, channelId, lastSubscription: last } = head;
      const unmuted = unmutedFor(head, wallMs);
      const over = isExpired(head, steadyMs) ? endOfLife(head) : null;
      const targets: ClaimedTarget[] = [];
      const ended: Line[] = [];
      for (const deviceId of deviceIds) {
        const row = target.get({ ...unmuted, eventId, channelId, last, deviceId });
        const end = row && (over ?? endOf(row));
        if (end) ended.push(unsentLine(deviceId, end));
        else if (row) targets.push(targetOf(row));
      }
      return { targets, ended };
    },

    /** Forgets a deleted event's waiting pushes. */
    forget(eventId: number, deviceIds: readonly number[]): void {
      for (const deviceId of deviceIds) forget.run({ eventId, deviceId });
    },
  };
}
export type Retries = ReturnType<typeof retries>;
