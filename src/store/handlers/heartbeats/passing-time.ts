import { dueInMs, type Schedule } from '../../../contract/heartbeats.ts';
import type { Moment } from '../../../process/clock.ts';
import type { Sql } from '../../sql.ts';
import { HEARTBEAT, type HeartbeatRow, MOVE_ON } from './rows.ts';

/** How often a server marks that it can take pings. */
export const MARK_EVERY_MS = 10_000;
/** Younger marks are no news. */
const FRESH_MS = MARK_EVERY_MS / 2;
/** Without a mark this long, no server could take pings. */
const OUTAGE_MS = MARK_EVERY_MS * 1.5;
/** Well-kept clocks drift less. */
const JUMP_MS = 1_000;
/** Heartbeats adjusted per call. */
const STEP_ROWS = 50;

const MARK = `
  INSERT INTO heartbeat_mark (id, at, wall_at) VALUES (1, :steadyMs, :wallMs)
  ON CONFLICT (id) DO UPDATE SET at = excluded.at, wall_at = excluded.wall_at,
    lost = heartbeat_mark.lost + CAST(:lostMs AS BIGINT), jumped = heartbeat_mark.jumped + CAST(:jumpMs AS BIGINT)`;

/** Finds heartbeats whose ping is due by the wall clock before it was set. */
const behind = (comparison: '<' | '>') => `
  ${HEARTBEAT} WHERE cron IS NOT NULL AND due_at IS NOT NULL
    AND jumped ${comparison} (SELECT mark.jumped FROM heartbeat_mark AS mark WHERE mark.id = 1) LIMIT ${STEP_ROWS}`;

interface PassingTime {
  /**
   * Advances heartbeats' time to `now`. Call before reading or setting deadlines, in the same transaction. Time in
   * which no server could take pings does not count: afterwards, deadlines lie as far ahead as before. An outage never
   * counts as a missed ping, and never hides one. The same holds if the queue's clock was set.
   */
  upTo(now: Moment): Promise<void>;
  /** Makes some heartbeats follow the wall clock. Returns whether all have. */
  catchUp(now: Moment): Promise<boolean>;
}

/** Outages and clock jumps are in one row. Readers add outages; rows follow jumps in steps. */
export function passingTime(sql: Sql): PassingTime {
  const lastMark = sql.get<object, Moment>(
    'SELECT at AS "steadyMs", wall_at AS "wallMs" FROM heartbeat_mark WHERE id = 1',
  );
  const mark = sql.run<Moment & { lostMs: number; jumpMs: number }>(MARK);
  const ahead = sql.all<object, HeartbeatRow>(behind('>'));
  const late = sql.all<object, HeartbeatRow>(behind('<'));
  const moveOn = sql.run<HeartbeatRow>(MOVE_ON);

  return {
    async upTo(now) {
      const before = await lastMark({});
      if (before === undefined) return void (await mark({ ...now, lostMs: 0, jumpMs: 0 }));
      const gapMs = now.steadyMs - before.steadyMs;
      const jumpMs = now.wallMs - before.wallMs - gapMs;
      const isOutage = gapMs < 0 || gapMs > OUTAGE_MS;
      const isJump = !isOutage && Math.abs(jumpMs) > JUMP_MS;
      if (!isOutage && !isJump && gapMs < FRESH_MS) return;
      await mark({ ...now, lostMs: isOutage ? gapMs : 0, jumpMs: isJump ? jumpMs : 0 });
    },

    async catchUp(now) {
      const rows = [...(await late({})), ...(await ahead({}))];
      for (const row of rows) await moveOn(caughtUp(row, now));
      return rows.length < STEP_ROWS;
    },
  };
}

/** Returns the heartbeat by the current wall clock. Clock changes below the grace keep the day and time. */
export function caughtUp(row: HeartbeatRow, now: Moment): HeartbeatRow {
  const { jumpMs, dueAt, grace } = row;
  if (jumpMs === 0 || dueAt === null) return row;
  if (dueAt <= now.steadyMs) return { ...row, jumpMs: 0 };
  const isSmall = Math.abs(jumpMs) <= grace * 1_000;
  return withDeadline({ ...row, jumpMs: 0, dueAt: isSmall ? dueAt - jumpMs : dueAfter(row, now) });
}

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
