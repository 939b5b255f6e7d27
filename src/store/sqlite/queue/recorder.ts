import { type Lane, unreachable } from '../../../push.ts';
import type { Verdict } from '../../calls.ts';
import type { Db } from '../transaction.ts';
import { type CountedFor, Counts, type FinalState, type OpenCounters } from './counters.ts';

const RECORD = `
  INSERT INTO delivery (event_id, device_id, workspace_id, route, lane, state, attempts, reason, at, due_at, kept_s)
  VALUES (:eventId, :deviceId, :workspaceId, :route, :lane, :state, :spent, :reason, :wallMs, :dueAtMs, :keptS)
  ON CONFLICT DO UPDATE SET state = excluded.state, lane = excluded.lane, attempts = attempts + excluded.attempts, reason = excluded.reason,
    at = excluded.at, due_at = excluded.due_at, kept_s = excluded.kept_s
  RETURNING attempts`;

const ATTEMPT = `
  INSERT INTO attempt (event_id, device_id, number, at, reason) VALUES (:eventId, :deviceId, :number, :wallMs, :reason)`;

/** The device must be unchanged: same token, not registered since the provider's time. */
const DEACTIVATE = `
  UPDATE device SET status = 'inactive', inactive_reason = :reason, inactive_at = :wallMs, refused_at = NULL, refused_reason = NULL
  WHERE id = :deviceId AND token = :token AND status = 'active' AND registered_at <= :atMs`;

const QUARANTINED = `
  UPDATE device SET refused_at = coalesce(refused_at, :wallMs), refused_reason = :reason
  WHERE id = :deviceId AND token = :token AND status = 'active'`;

const TRUST = `
  UPDATE device SET accepted_at = coalesce(accepted_at, :wallMs), refused_at = NULL, refused_reason = NULL
  WHERE id = :deviceId AND token = :token`;

/** Awaits reports only of devices that have reported. */
const AWAIT = `
  INSERT INTO receipt (event_id, device_id, awaited_until) SELECT :eventId, :deviceId, :awaitedUntilMs
  FROM reporter WHERE device_id = :deviceId AND shown_at IS NOT NULL
  ON CONFLICT DO NOTHING`;

export type QueueVerdict = Verdict | { readonly state: 'withdrawn'; readonly reason: string };

export interface Line {
  readonly deviceId: number;
  readonly verdict: QueueVerdict;
  /** Its next attempt, by the steady clock; null: it has ended. */
  readonly dueAtMs: number | null;
  /** Until when (steady clock) the device may report showing the push; absent: not awaited. */
  readonly awaitedUntilMs?: number;
  readonly fitted: boolean;
  readonly linksLost: boolean;
}

/** How a push of an ended event ends: cancelled or expired. */
export function endOfLife({ isCancelled }: { readonly isCancelled: 0 | 1 }) {
  return isCancelled === 1
    ? ({ state: 'withdrawn', reason: 'cancelled' } as const)
    : ({ state: 'expired', reason: 'ttl' } as const);
}

/** The end of a push whose channel or level is muted on the device. */
export const MUTED = { state: 'withdrawn', reason: 'muted' } as const;

/** Returns a delivery that ends unsent. */
export function unsentLine(deviceId: number, verdict: QueueVerdict): Line {
  return { deviceId, verdict, dueAtMs: null, fitted: false, linksLost: false };
}

export function recorder(db: Db) {
  const record = db.prepare<unknown[], { attempts: number }>(RECORD);
  const attempt = db.prepare(ATTEMPT);
  const deactivate = db.prepare(DEACTIVATE);
  const quarantine = db.prepare(QUARANTINED);
  const trust = db.prepare(TRUST);
  const awaitReport = db.prepare(AWAIT);

  function write({ eventId, workspaceId, route }: CountedFor, lane: Lane, line: Line, wallMs: number): void {
    const { deviceId, verdict, dueAtMs, awaitedUntilMs } = line;
    const spent = isSent(verdict) ? 1 : 0;
    const reason = reasonOf(verdict);
    const isWaiting = verdict.state === 'pending' || verdict.state === 'held';
    const row = record.get({
      eventId,
      workspaceId,
      route,
      lane: verdict.state === 'held' ? 'quarantine' : lane,
      deviceId,
      state: isWaiting ? 'pending' : verdict.state,
      spent,
      reason,
      wallMs,
      dueAtMs,
      keptS: verdict.state === 'accepted' ? (verdict.keptS ?? null) : null,
    });
    if (isWaiting && spent === 1) attempt.run({ eventId, deviceId, number: row?.attempts ?? 1, wallMs, reason });
    if (awaitedUntilMs !== undefined) awaitReport.run({ eventId, deviceId, awaitedUntilMs });
    learn(deviceId, verdict, wallMs);
  }

  /** Updates the device by the verdict: dead, quarantined or accepted. */
  function learn(deviceId: number, verdict: QueueVerdict, wallMs: number): void {
    if (verdict.state === 'accepted' && verdict.token !== undefined) {
      trust.run({ deviceId, token: verdict.token, wallMs });
    } else if (verdict.state === 'held' && verdict.spent) {
      quarantine.run({ deviceId, token: verdict.token, reason: verdict.reason, wallMs });
    } else if (verdict.state === 'unregistered') {
      const { token, reason, atMs } = verdict;
      deactivate.run({ deviceId, reason, token, wallMs, atMs: atMs ?? wallMs });
    }
  }

  /** Returns the event's UUID if nothing is pending, else null. Writes nothing for deleted events. */
  return (of: CountedFor, lane: Lane, lines: readonly Line[], counters: OpenCounters): Buffer | null => {
    const counts = new Counts();
    for (const line of lines) countLine(counts, line);
    const { isKnown, ended } = counters.count(of, counts);
    if (isKnown) for (const line of lines) write(of, lane, line, counters.wallMs);
    return ended;
  };
}
export type RecordVerdicts = ReturnType<typeof recorder>;

function countLine(counts: Counts, { verdict, fitted, linksLost }: Line): void {
  switch (verdict.state) {
    case 'accepted':
      counts.add('accepted');
      if (fitted) counts.add('fitted');
      if (linksLost) counts.add('links_lost');
      return;
    case 'pending':
    case 'held':
      if (verdict.spent) counts.add('deferred', verdict.reason);
      return;
    case 'failed':
    case 'unregistered':
    case 'expired':
    case 'withdrawn':
      counts.add(verdict.state satisfies FinalState, verdict.reason);
      return;
    default:
      unreachable(verdict);
  }
}

/** Expired and withdrawn pushes end without another attempt; unspent ones came back from a paused route. */
function isSent(verdict: QueueVerdict): boolean {
  switch (verdict.state) {
    case 'accepted':
    case 'failed':
    case 'unregistered':
      return true;
    case 'pending':
    case 'held':
      return verdict.spent;
    case 'expired':
    case 'withdrawn':
      return false;
    default:
      return unreachable(verdict);
  }
}

function reasonOf(verdict: QueueVerdict): string | null {
  return verdict.state === 'accepted' ? null : verdict.reason;
}
