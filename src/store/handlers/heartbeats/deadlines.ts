import { dueInMs, type Schedule } from '../../../contract/heartbeats.ts';
import type { Moment } from '../../../process/clock.ts';
import type { HeartbeatRow } from './rows.ts';

/** Returns when the ping after that time is due (queue's clock). */
export function dueAfter(schedule: Schedule, { wallMs, steadyMs }: Moment): number | null {
  const inMs = dueInMs(schedule, wallMs);
  return inMs === null ? null : steadyMs + inMs;
}

/** Returns the heartbeat with the deadline of its state and schedule. */
export function withDeadline(row: HeartbeatRow): HeartbeatRow {
  return { ...row, downAt: row.state === 'down' || row.state === 'paused' ? null : downAtOf(row) };
}

/** Returns the heartbeat with its ping due by the new schedule. */
export function rescheduled(row: HeartbeatRow, before: Schedule, now: Moment): HeartbeatRow {
  const isSame = row.every === before.every && row.cron === before.cron && row.timezone === before.timezone;
  return withDeadline(row.dueAt === null || isSame ? row : { ...row, dueAt: movedDue(row, row.dueAt, before, now) });
}

/** Its last ping is as long ago as before. */
function movedDue(row: HeartbeatRow, dueAt: number, before: Schedule, now: Moment): number | null {
  if (row.every === null || before.every === null) return dueAfter(row, now);
  return dueAt + (row.every - before.every) * 1_000;
}

/** The grace is how late a ping may be, and how long a started run may take. */
function downAtOf({ dueAt, startedAt, grace }: HeartbeatRow): number | null {
  const ends = [dueAt, startedAt].flatMap((at) => (at === null ? [] : [at + grace * 1_000]));
  return ends.length === 0 ? null : Math.min(...ends);
}
