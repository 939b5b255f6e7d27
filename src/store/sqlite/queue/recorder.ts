import type { Uuid } from '../../../contract/public-id.ts';
import { RECEIPT_WITHIN_MS } from '../../../contract/receipts.ts';
import type { Moment } from '../../../process/clock.ts';
import { unreachable } from '../../../push.ts';
import { DEAD_LANE } from '../../queue/dead-letter.ts';
import type { QueueEngine, Recorded } from '../../queue/engine.ts';
import type { EventKey } from '../../queue/fan-out-pages.ts';
import { type EventHead, endOfLife, isExpired, WITHDRAWN } from '../../queue/targets.ts';
import { deliveryChange, isAwaited, type Line, learnedOf } from '../../queue/verdicts.ts';
import type { Db } from '../transaction.ts';
import { Counts, counters, type FinalState, type OpenCounters } from './counters.ts';

/** Positional, and without RETURNING: half of the time. */
const RECORD = `
  INSERT INTO delivery (event_id, device_id, workspace_id, route, lane, state, attempts, reason, at, due_at, kept_s)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET state = excluded.state, lane = excluded.lane, attempts = attempts + excluded.attempts, reason = excluded.reason,
    at = excluded.at, due_at = excluded.due_at, kept_s = excluded.kept_s`;

const ATTEMPTS = 'SELECT attempts FROM delivery WHERE event_id = ? AND device_id = ?';

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

const ADVANCE = `
  UPDATE fan_out SET cursor = max(cursor, :settledTo), recorded = recorded + :recorded
  WHERE route = :route AND lane = :lane AND workspace_id = :workspaceId AND event_id = :eventId`;

/** Counts what was in flight when its event became a dead letter. Its cursor stays: some page is not recorded. */
const COUNT_OF_DEAD = `
  UPDATE fan_out SET recorded = recorded + :recorded
  WHERE route = :route AND lane = '${DEAD_LANE}' AND workspace_id = :workspaceId AND event_id = :eventId`;

const END = `
  DELETE FROM fan_out WHERE route = ? AND lane = ? AND workspace_id = ? AND event_id = ?
  RETURNING channel_id AS channelId, targeted - recorded AS left`;

export function recorder(db: Db, headOf: (eventId: number) => EventHead | undefined): QueueEngine['record'] {
  const openCounters = counters(db);
  const record = db.prepare<(string | number | null)[]>(RECORD);
  const attemptsOf = db.prepare<[number, number], number>(ATTEMPTS).pluck();
  const attempt = db.prepare(ATTEMPT);
  const learn = { unregistered: db.prepare(DEACTIVATE), held: db.prepare(QUARANTINED), accepted: db.prepare(TRUST) };
  const awaitReport = db.prepare(AWAIT);
  const advance = db.prepare(ADVANCE);
  const countOfDead = db.prepare(COUNT_OF_DEAD);
  const end = db.prepare<(string | number)[], { channelId: number; left: number }>(END);
  const changes = db.prepare<[], number>('SELECT total_changes()').pluck();

  function write({ eventId, workspaceId, route, lane }: EventKey, line: Line, now: Moment): void {
    const { deviceId, verdict } = line;
    const { wallMs, steadyMs } = now;
    const change = deliveryChange(verdict, lane);
    const { state, spent, reason, retryInMs, keptS } = change;
    const dueAtMs = retryInMs === null ? null : steadyMs + retryInMs;
    record.run(eventId, deviceId, workspaceId, route, change.lane, state, spent, reason, wallMs, dueAtMs, keptS);
    if (dueAtMs !== null && spent === 1) {
      attempt.run({ eventId, deviceId, number: attemptsOf.get(eventId, deviceId) ?? 1, wallMs, reason });
    }
    if (isAwaited(verdict)) awaitReport.run({ eventId, deviceId, awaitedUntilMs: steadyMs + RECEIPT_WITHIN_MS });
    const learned = learnedOf(verdict);
    if (learned) learn[learned.state].run({ ...learned, deviceId, wallMs, atMs: learned.atMs ?? wallMs });
  }

  /** Returns the event's UUID if nothing is pending. Writes nothing for deleted events. */
  function recordLines({ of, lines }: Recorded, counts: OpenCounters): Uuid | null {
    if (lines.length === 0) return null;
    const counted = new Counts();
    for (const line of lines) countLine(counted, line);
    const { isKnown, ended } = counts.count(of, counted);
    if (isKnown) for (const line of lines) write(of, line, counts.now);
    return ended;
  }

  /** Closes a fan-out. Returns the event's UUID if nothing is pending. */
  function endFanOut({ of, lines }: Recorded, counts: OpenCounters): Uuid | null {
    const ended = end.get(of.route, of.lane, of.workspaceId, of.eventId);
    if (!ended) countOfDead.run({ ...fanOutKey(of), recorded: lines.length });
    const left = (ended?.left ?? 0) - lines.length;
    const event = left > 0 ? headOf(of.eventId) : undefined;
    if (!ended || !event) return null;
    const { state, reason } = isExpired(event, counts.now.steadyMs) ? endOfLife(event) : WITHDRAWN.gone;
    return counts.count({ ...of, channelId: ended.channelId }, new Counts().add(state, reason, left)).ended;
  }

  function advanceFanOut({ of, lines }: Recorded, settledTo: number): void {
    const progress = { ...fanOutKey(of), recorded: lines.length };
    if (advance.run({ ...progress, settledTo }).changes === 0) countOfDead.run(progress);
  }

  return (records, now) => {
    const before = changes.get() ?? 0;
    const counts = openCounters(now);
    const finished = records.flatMap((recorded) => {
      const { fanOut } = recorded;
      const ended = [recordLines(recorded, counts)];
      if (fanOut?.isEnded) ended.push(endFanOut(recorded, counts));
      else if (fanOut) advanceFanOut(recorded, fanOut.settledTo);
      return ended.filter((uuid) => uuid !== null);
    });
    counts.flush();
    return { finished, rows: (changes.get() ?? 0) - before };
  };
}

function fanOutKey({ route, lane, workspaceId, eventId }: EventKey): EventKey {
  return { route, lane, workspaceId, eventId };
}

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
