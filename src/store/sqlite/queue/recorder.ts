import { RECEIPT_WITHIN_MS } from '../../../contract/receipts.ts';
import type { Moment } from '../../../process/clock.ts';
import { type Lane, unreachable } from '../../../push.ts';
import { deliveryChange, isAwaited, type Line, learnedOf } from '../../queue/verdicts.ts';
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

export function recorder(db: Db) {
  const record = db.prepare<unknown[], { attempts: number }>(RECORD);
  const attempt = db.prepare(ATTEMPT);
  const learn = { unregistered: db.prepare(DEACTIVATE), held: db.prepare(QUARANTINED), accepted: db.prepare(TRUST) };
  const awaitReport = db.prepare(AWAIT);

  function write({ eventId, workspaceId, route }: CountedFor, lane: Lane, line: Line, now: Moment): void {
    const { deviceId, verdict } = line;
    const { wallMs, steadyMs } = now;
    const { retryInMs, ...change } = deliveryChange(verdict, lane);
    const { spent, reason } = change;
    const dueAtMs = retryInMs === null ? null : steadyMs + retryInMs;
    const row = record.get({ eventId, workspaceId, route, deviceId, wallMs, dueAtMs, ...change });
    if (dueAtMs !== null && spent === 1) attempt.run({ eventId, deviceId, number: row?.attempts ?? 1, wallMs, reason });
    if (isAwaited(verdict)) awaitReport.run({ eventId, deviceId, awaitedUntilMs: steadyMs + RECEIPT_WITHIN_MS });
    const learned = learnedOf(verdict);
    if (learned) learn[learned.state].run({ ...learned, deviceId, wallMs, atMs: learned.atMs ?? wallMs });
  }

  /** Returns the event's UUID if nothing is pending, else null. Writes nothing for deleted events. */
  return (of: CountedFor, lane: Lane, lines: readonly Line[], counters: OpenCounters): Buffer | null => {
    const counts = new Counts();
    for (const line of lines) countLine(counts, line);
    const { isKnown, ended } = counters.count(of, counts);
    if (isKnown) for (const line of lines) write(of, lane, line, counters.now);
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
