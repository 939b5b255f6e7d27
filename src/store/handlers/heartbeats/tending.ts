import type { Moment } from '../../../process/clock.ts';
import type { Posted } from '../../calls.ts';
import type { Sql } from '../../sql.ts';
import type { EngineDeps, SomeHandlers } from '../handler.ts';
import { MARK_EVERY_MS, passingTime } from './passing-time.ts';
import { reporting } from './reporting.ts';
import { HEARTBEAT, HEARTBEATS, type HeartbeatRow, LOST } from './rows.ts';

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
