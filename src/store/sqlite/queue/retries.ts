import type { Address } from '../../../push.ts';
import { unmutedFor } from '../../handlers/devices/mutes.ts';
import type { ClaimedTarget } from '../../handlers/packing.ts';
import type { Db } from '../transaction.ts';
import type { Claims } from './claims.ts';
import type { EventHead } from './event-heads.ts';
import { type TrustRow, trustOf } from './fan-outs.ts';
import type { LaneKey } from './ready.ts';
import { type Line, MUTED, unsentLine } from './recorder.ts';

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
  SELECT d.attempts, v.status, v.inactive_reason AS inactiveReason, v.token, v.token_kind AS tokenKind, v.keys,
    v.accepted_at IS NOT NULL AS wasAccepted, v.refused_at IS NOT NULL AS isQuarantined, v.user_id <> +:onCall AS isInformed,
    v.route = d.route AND (+:channelId IS NULL OR EXISTS (
      SELECT 1 FROM subscription s
      WHERE s.device_id = d.device_id AND s.channel_id = +:channelId AND s.number <= coalesce(+:last, s.number)
        AND s.generation = v.generation
    )) AS entitled,
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
interface TargetRow extends TrustRow, Address {
  readonly attempts: number;
  readonly status: 'active' | 'inactive' | null;
  readonly inactiveReason: string | null;
  /** null: device gone. */
  readonly entitled: 0 | 1 | null;
  readonly isMuted: 0 | 1;
}

/** Due deferred pushes, and whether their devices may still have them. */
export function retries(db: Db, claims: Claims) {
  const due = db.prepare<unknown[], { eventId: number; deviceId: number }>(DUE);
  const nextDue = db.prepare<unknown[], { eventId: number; deviceId: number; dueAt: number }>(NEXT_DUE);
  const forget = db.prepare(FORGET);
  const target = db.prepare<unknown[], TargetRow>(TARGET);

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
    resolve(
      head: EventHead,
      deviceIds: readonly number[],
      wallMs: number,
    ): { targets: ClaimedTarget[]; ended: Line[] } {
      const { id: eventId, channelId, lastSubscription: last } = head;
      const unmuted = unmutedFor(head, wallMs);
      const targets: ClaimedTarget[] = [];
      const ended: Line[] = [];
      for (const deviceId of deviceIds) {
        const row = target.get({ ...unmuted, eventId, channelId, last, deviceId });
        if (!row) continue;
        if (row.status === 'active' && row.entitled === 1 && row.isMuted === 0) {
          const { token, tokenKind, keys, attempts } = row;
          targets.push({ deviceId, token, tokenKind, keys, attempts, ...trustOf(row) });
        } else {
          ended.push(unsentLine(deviceId, endOf(row)));
        }
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

function endOf(row: TargetRow): Line['verdict'] {
  if (row.status === 'inactive' && row.entitled === 1) {
    return { state: 'unregistered', reason: row.inactiveReason ?? 'inactive', token: row.token, atMs: null };
  }
  if (row.status === 'active' && row.entitled === 1) return MUTED;
  return { state: 'withdrawn', reason: row.status === null ? 'device_removed' : 'unsubscribed' };
}
