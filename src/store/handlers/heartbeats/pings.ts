import type { Moment } from '../../../process/clock.ts';
import type { Ping } from '../../calls.ts';
import type { Sql } from '../../sql.ts';
import type { EngineDeps, SomeHandlers } from '../handler.ts';
import { dueAfter, withDeadline } from './deadlines.ts';
import { caughtUp, passingTime } from './passing-time.ts';
import { reporting } from './reporting.ts';
import { HEARTBEAT, HEARTBEATS, type HeartbeatRow } from './rows.ts';

/** Accepts pings like Healthchecks. */
export function pings(sql: Sql, deps: Pick<EngineDeps, 'acceptEvent'>) {
  const isThere = sql.value<{ uuid: string }, number>(`SELECT 1 FROM ${HEARTBEATS} WHERE uuid = :uuid`);
  const byUuid = sql.get<{ uuid: string }, HeartbeatRow>(`${HEARTBEAT} WHERE uuid = :uuid`);
  const report = reporting(sql, deps);
  const time = passingTime(sql);

  return {
    knowsHeartbeat: async ({ uuid }) => (await isThere({ uuid })) !== undefined,

    async pingHeartbeat(ping, now) {
      await time.upTo(now);
      const found = await byUuid(ping);
      if (found === undefined) return { kind: 'unknown' };
      const before = { ...caughtUp(found, now), pingedBy: ping.pingedBy ?? found.pingedBy };
      const cause = { kind: 'failed', exitStatus: ping.exitStatus } as const;
      return { kind: 'taken', posted: await report.change(before, pinged(before, ping, now), cause, now) };
    },
  } satisfies SomeHandlers;
}

function pinged(row: HeartbeatRow, { kind, rid, output }: Ping, now: Moment): HeartbeatRow {
  switch (kind) {
    case 'log':
      return { ...row, lastOutput: output ?? row.lastOutput };
    case 'start':
      return withDeadline({
        ...row,
        state: row.state === 'paused' ? 'new' : row.state,
        lastStartAt: now.wallMs,
        startedAt: now.steadyMs,
        rid,
        lastOutput: output ?? row.lastOutput,
      });
    case 'success':
      return withDeadline({
        ...endRun(row, kind, rid, now),
        state: 'up',
        failed: 0,
        lastOutput: output,
        dueAt: dueAfter(row, now),
      });
    case 'fail':
      return failed({ ...endRun(row, kind, rid, now), lastOutput: output ?? row.lastOutput }, now);
  }
}

/** Counts a failure. The last of `failures` in a row takes a heartbeat down. */
function failed(row: HeartbeatRow, now: Moment): HeartbeatRow {
  const inARow = row.failed + 1;
  if (row.state === 'down' || inARow >= row.failures)
    return withDeadline({ ...row, state: 'down', failed: 0, dueAt: null });
  return withDeadline({ ...row, state: 'up', failed: inARow, dueAt: dueAfter(row, now) });
}

/** Ends a run by a ping with its id. A ping without id, or a failure, ends it without known duration. */
function endRun(row: HeartbeatRow, kind: 'success' | 'fail', rid: string | null, now: Moment): HeartbeatRow {
  const isOfRun = row.startedAt !== null && row.rid === rid;
  const lastDurationMs = isOfRun ? Math.max(0, now.steadyMs - (row.startedAt ?? 0)) : null;
  const isOver = isOfRun || kind === 'fail' || rid === null;
  return { ...row, lastPingAt: now.wallMs, lastDurationMs, ...(isOver && { startedAt: null, rid: null }) };
}
