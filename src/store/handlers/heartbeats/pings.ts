import type { Moment } from '../../../process/clock.ts';
import type { Ping, Posted } from '../../calls.ts';
import type { Sql } from '../../sql.ts';
import type { EngineDeps, SomeHandlers } from '../handler.ts';
import { caughtUp, dueAfter, MARK_EVERY_MS, passingTime, withDeadline } from './passing-time.ts';
import { reporting } from './reporting.ts';
import { HEARTBEAT, HEARTBEATS, type HeartbeatRow, LOST } from './rows.ts';

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

/** Heartbeats per call. An event with alert, queue entries and webhook messages is about 30 rows. */
const STEP_ROWS = 5;

/** The same heartbeats as in `HEARTBEAT`: another one's time would be awaited repeatedly. */
const nextOf = (time: 'down_at' | 'report_at') => `
  SELECT ${time} + ${LOST} FROM ${HEARTBEATS}
  WHERE ${time} IS NOT NULL ORDER BY ${time} LIMIT 1`;

/** Takes overdue heartbeats down, once with any number of servers: stores serialize changes. */
export function tending(sql: Sql, deps: Pick<EngineDeps, 'acceptEvent'>) {
  const isAny = sql.value<object, number>('SELECT 1 FROM heartbeat LIMIT 1');
  const overdue = sql.all<{ steadyMs: number }, HeartbeatRow>(
    `${HEARTBEAT} WHERE down_at <= CAST(:steadyMs AS BIGINT) - ${LOST} ORDER BY down_at LIMIT ${STEP_ROWS}`,
  );
  /** Failures come first, since there may not be room for all. */
  const toReport = sql.all<{ steadyMs: number }, HeartbeatRow>(
    `${HEARTBEAT} WHERE report_at <= CAST(:steadyMs AS BIGINT) - ${LOST} ORDER BY state <> 'down', report_at LIMIT ${STEP_ROWS}`,
  );
  const nextDownAt = sql.value<object, number>(nextOf('down_at'));
  const nextReportAt = sql.value<object, number>(nextOf('report_at'));
  const report = reporting(sql, deps);
  const time = passingTime(sql);

  async function goDown(row: HeartbeatRow, now: Moment): Promise<Posted | null> {
    const { startedAt, grace } = row;
    const isUnended = startedAt !== null && startedAt + grace * 1_000 <= now.steadyMs;
    const down = { ...row, state: 'down', failed: 0, dueAt: null, downAt: null } as const;
    return report.change(row, down, { kind: isUnended ? 'unended' : 'missed' }, now);
  }

  return {
    async tendHeartbeats(_, now) {
      if ((await isAny({})) === undefined) return { nextInMs: null, posted: [] };
      await time.upTo(now);
      if (!(await time.catchUp(now))) return { nextInMs: 0, posted: [] };
      const posted: Posted[] = [];
      const note = (event: Posted | null) => event !== null && posted.push(event);
      for (const row of await overdue(now)) note(await goDown(row, now));
      for (const row of await toReport(now)) note(await report.lasting(row, now));
      const [downAt, reportAt] = [await nextDownAt({}), await nextReportAt({})];
      const next = Math.min(downAt ?? Number.POSITIVE_INFINITY, reportAt ?? Number.POSITIVE_INFINITY);
      return { nextInMs: Math.max(0, Math.min(MARK_EVERY_MS, next - now.steadyMs)), posted };
    },
  } satisfies SomeHandlers;
}
