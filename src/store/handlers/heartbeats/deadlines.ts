import { dueInMs, type Schedule } from '../../../contract/heartbeats.ts';
import type { Moment } from '../../../process/clock.ts';
import type { HeartbeatRow } from './rows.ts';

/** Returns when the next ping is due after one at that time, by the queue's clock. */
export function dueAfter(schedule: Schedule, { wallMs, steadyMs }: Moment): number | null {
  const inMs = dueInMs(schedule, wallMs);
  return inMs === null ? null : steadyMs + inMs;
}

/** Returns the same heartbeat with the deadline that its state and its schedule mean. */
export function withDeadline(row: HeartbeatRow): HeartbeatRow {
  return { ...row, downAt: row.state === 'down' || row.state === 'paused' ? null : downAtOf(row) };
}

/** Returns the same heartbeat, with its next ping due by its new schedule. */
export function rescheduled(row: HeartbeatRow, before: Schedule, now: Moment): HeartbeatRow {
  const isSame = row.every === before.every && row.cron === before.cron && row.timezone === before.timezone;
  return withDeadline(row.dueAt === null || isSame ? row : { ...row, dueAt: movedDue(row, row.dueAt, before, now) });
}

/** Its last ping is as long ago as before. */
function movedDue(row: HeartbeatRow, dueAt: number, before: Schedule, now: Moment): number | null {
  if (row.every === null || before.every === null) return dueAfter(row, now);
  return dueAt + (row.every - before.every) * 1_000;
}

/** A ping that is due may be late by the grace, and a run that has started may take as long. */
function downAtOf({ dueAt, startedAt, grace }: HeartbeatRow): number | null {
  const ends = [dueAt, startedAt].flatMap((at) => (at === null ? [] : [at + grace * 1_000]));
  return ends.length === 0 ? null : Math.min(...ends);
}
