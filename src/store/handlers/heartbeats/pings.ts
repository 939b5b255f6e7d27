import type { Moment } from '../../../process/clock.ts';
import type { Ping, Posted } from '../../calls.ts';
import type { Sql } from '../../sql.ts';
import type { EngineDeps, SomeHandlers } from '../handler.ts';
import { dueAfter, withDeadline } from './deadlines.ts';
import { downEvent, post, upEvent } from './events.ts';
import { passingTime } from './passing-time.ts';
import { HEARTBEAT, type HeartbeatRow, MOVE_ON } from './rows.ts';

/** Pings, as Healthchecks takes them. */
export function pings(sql: Sql, deps: Pick<EngineDeps, 'acceptEvent'>) {
  const isThere = sql.value<{ uuid: string }, number>('SELECT 1 FROM heartbeat WHERE uuid = :uuid');
  const byUuid = sql.get<{ uuid: string }, HeartbeatRow>(`${HEARTBEAT} WHERE uuid = :uuid`);
  const moveOn = sql.run<HeartbeatRow>(MOVE_ON);
  const passTime = passingTime(sql);

  async function notified(before: HeartbeatRow, after: HeartbeatRow, ping: Ping, now: Moment): Promise<Posted | null> {
    if (after.state === 'down' && before.state !== 'down') {
      return post(deps, after, downEvent(after, { kind: 'failed', exitStatus: ping.exitStatus }), now);
    }
    if (before.downSince !== null && after.downSince === null) {
      return post(deps, after, upEvent(after, now.steadyMs - before.downSince), now);
    }
    return null;
  }

  return {
    knowsHeartbeat: async ({ uuid }) => (await isThere({ uuid })) !== undefined,

    async pingHeartbeat(ping, now) {
      await passTime(now);
      const before = await byUuid(ping);
      if (before === undefined) return { kind: 'unknown' };
      const after = pinged(before, ping, now);
      await moveOn(after);
      return { kind: 'taken', posted: await notified(before, after, ping, now) };
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
        lastOutput: output,
        dueAt: dueAfter(row, now),
        downSince: null,
      });
    case 'fail':
      return withDeadline({
        ...endRun(row, kind, rid, now),
        state: 'down',
        lastOutput: output ?? row.lastOutput,
        dueAt: null,
        downSince: row.downSince ?? now.steadyMs,
      });
  }
}

/** A run ends by a ping with its own id; by one without an id, or a failure, of which it is not known how long it took. */
function endRun(row: HeartbeatRow, kind: 'success' | 'fail', rid: string | null, now: Moment): HeartbeatRow {
  const isOfRun = row.startedAt !== null && row.rid === rid;
  const lastDurationMs = isOfRun ? Math.max(0, now.steadyMs - (row.startedAt ?? 0)) : null;
  const isOver = isOfRun || kind === 'fail' || rid === null;
  return { ...row, lastPingAt: now.wallMs, lastDurationMs, ...(isOver && { startedAt: null, rid: null }) };
}
