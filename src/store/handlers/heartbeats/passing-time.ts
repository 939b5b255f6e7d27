import type { Moment } from '../../../process/clock.ts';
import type { Sql } from '../../sql.ts';
import { dueAfter, withDeadline } from './deadlines.ts';
import { HEARTBEAT, type HeartbeatRow, MOVE_ON } from './rows.ts';

/** How often a server marks that it can take pings. */
export const MARK_EVERY_MS = 10_000;
/** A mark that is younger is no news. */
const FRESH_MS = MARK_EVERY_MS / 2;
/** Without a mark for so long, no server could take pings. */
const OUTAGE_MS = MARK_EVERY_MS * 1.5;
/** A clock that is kept right drifts by less. */
const JUMP_MS = 1_000;

const MOVE_DEADLINES = `
  UPDATE heartbeat SET due_at = due_at + CAST(:gapMs AS BIGINT), down_at = down_at + CAST(:gapMs AS BIGINT),
    started_at = started_at + CAST(:gapMs AS BIGINT), report_at = report_at + CAST(:gapMs AS BIGINT)
  WHERE down_at IS NOT NULL OR report_at IS NOT NULL`;

const MARK = `
  INSERT INTO heartbeat_mark (id, at, wall_at) VALUES (1, :steadyMs, :wallMs)
  ON CONFLICT (id) DO UPDATE SET at = excluded.at, wall_at = excluded.wall_at`;

/** Those that are due by the wall clock, and not yet. */
const BY_WALL_CLOCK = `${HEARTBEAT} WHERE cron IS NOT NULL AND due_at > CAST(:steadyMs AS BIGINT)`;

/**
 * Has time pass for heartbeats up to now: to be called before one of their deadlines is looked at or made, in the same
 * transaction. Time in which no server could take pings does not count, so after it all deadlines lie as far ahead as
 * before: no outage is taken for a job that stays away, and none makes such a job forgotten. The same holds where the
 * queue's clock was set, as it is between two runs, and where it is a database's.
 */
export function passingTime(sql: Sql): (now: Moment) => Promise<void> {
  const lastMark = sql.get<object, Moment>(
    'SELECT at AS "steadyMs", wall_at AS "wallMs" FROM heartbeat_mark WHERE id = 1',
  );
  const moveDeadlines = sql.run<{ gapMs: number }>(MOVE_DEADLINES);
  const mark = sql.run<Moment>(MARK);
  const byWallClock = sql.all<Moment, HeartbeatRow>(BY_WALL_CLOCK);
  const moveOn = sql.run<HeartbeatRow>(MOVE_ON);

  return async (now) => {
    const before = await lastMark({});
    if (before !== undefined) {
      const gapMs = now.steadyMs - before.steadyMs;
      const jumpMs = now.wallMs - before.wallMs - gapMs;
      if (gapMs < 0 || gapMs > OUTAGE_MS) await moveDeadlines({ gapMs });
      else if (Math.abs(jumpMs) > JUMP_MS) {
        for (const row of await byWallClock(now)) await moveOn(withDeadline(afterJump(row, jumpMs, now)));
      } else if (gapMs < FRESH_MS) return;
    }
    await mark(now);
  };
}

/** By a jump within the grace, the same day and time is still meant; by a longer one, the next that is ahead. */
function afterJump(row: HeartbeatRow, jumpMs: number, now: Moment): HeartbeatRow {
  const isSmall = Math.abs(jumpMs) <= row.grace * 1_000;
  return { ...row, dueAt: isSmall ? (row.dueAt ?? 0) - jumpMs : dueAfter(row, now) };
}
