import { inWords } from '../../../contract/heartbeats.ts';
import type { Moment } from '../../../process/clock.ts';
import type { Posted } from '../../calls.ts';
import type { Sql } from '../../sql.ts';
import type { EngineDeps } from '../handler.ts';
import {
  type Cause,
  downEvent,
  flapsEvent,
  MOST_EVENTS,
  manyEvent,
  post,
  stillDownEvent,
  type Text,
  upEvent,
} from './events.ts';
import { type HeartbeatRow, MOVE_ON } from './rows.ts';

const HOUR_MS = 3_600_000;
/** Events further ahead predate a clock setback. */
const SLACK_MS = 60_000;

interface Subject {
  readonly workspaceId: number;
  readonly subject: string;
}

const NEWEST = `
  SELECT at FROM heartbeat_event
  WHERE workspace_id = CAST(:workspaceId AS BIGINT) AND subject = CAST(:subject AS TEXT)
    AND at > CAST(:steadyMs AS BIGINT) - ${HOUR_MS} AND at <= CAST(:steadyMs AS BIGINT) + ${SLACK_MS}
  ORDER BY at DESC LIMIT ${MOST_EVENTS + 1}`;
const NOTE = 'INSERT INTO heartbeat_event (workspace_id, subject, at) VALUES (:workspaceId, :subject, :steadyMs)';
/** Removes more than a report adds. */
const FORGET = `
  DELETE FROM heartbeat_event WHERE id IN (
    SELECT id FROM heartbeat_event WHERE workspace_id = CAST(:workspaceId AS BIGINT)
      AND (at <= CAST(:steadyMs AS BIGINT) - ${HOUR_MS} OR at > CAST(:steadyMs AS BIGINT) + ${SLACK_MS}) LIMIT 8
  )`;

interface Reporting {
  /** Stores a change, and reports it to the channel. */
  change(before: HeartbeatRow, after: HeartbeatRow, cause: Cause, now: Moment): Promise<Posted | null>;
  /** Reports a flapping heartbeat's lasting state (`report_at`). */
  lasting(row: HeartbeatRow, now: Moment): Promise<Posted | null>;
}

type Change = Partial<Pick<HeartbeatRow, 'downSince' | 'flapsSince' | 'reportAt'>>;

/**
 * Posts all events of heartbeats, so that this is the only place with their bound: MOST_EVENTS an hour per heartbeat,
 * and for all heartbeats that a key pings by name. Then one event says so. From then on a changing heartbeat flaps:
 * only a state that lasts an hour is reported, up to the first hour of being up.
 */
export function reporting(sql: Sql, deps: Pick<EngineDeps, 'acceptEvent'>): Reporting {
  const newest = sql.values<Subject & Pick<Moment, 'steadyMs'>, number>(NEWEST);
  const note = sql.run<Subject & Pick<Moment, 'steadyMs'>>(NOTE);
  const forget = sql.run<Pick<Subject, 'workspaceId'> & Pick<Moment, 'steadyMs'>>(FORGET);
  const moveOn = sql.run<HeartbeatRow>(MOVE_ON);

  /** An inactive channel gets no event, which takes no room. */
  async function report(row: HeartbeatRow, text: Text, now: Moment): Promise<Posted | null> {
    const posted = await post(deps, row, text, now);
    if (posted === null) return null;
    const { workspaceId } = row;
    const { steadyMs } = now;
    await forget({ workspaceId, steadyMs });
    for (const subject of subjectsOf(row)) await note({ workspaceId, subject, steadyMs });
    return posted;
  }

  /** `own`, `most`: events of the heartbeat and its fullest subject in the hour. `at`: when all have room. */
  async function roomOf(row: HeartbeatRow, { steadyMs }: Moment) {
    const { workspaceId } = row;
    const counts: number[] = [];
    let at = steadyMs;
    for (const subject of subjectsOf(row)) {
      const times = await newest({ workspaceId, subject, steadyMs });
      counts.push(times.length);
      at = Math.max(at, (times[MOST_EVENTS - 1] ?? Number.NEGATIVE_INFINITY) + HOUR_MS);
    }
    return { own: counts[0] ?? 0, most: Math.max(...counts), at };
  }

  async function single(row: HeartbeatRow, cause: Cause, now: Moment): Promise<[Posted | null, Change]> {
    const { steadyMs } = now;
    const { state, downSince } = row;
    const isDown = state === 'down';
    const room = await roomOf(row, now);
    if (room.most < MOST_EVENTS) {
      const text = isDown
        ? downEvent(row, cause)
        : upEvent(row, `It is back after ${inWords(steadyMs - (downSince ?? steadyMs))}.`);
      return [await report(row, text, now), { downSince: isDown ? (downSince ?? steadyMs) : null }];
    }
    const held = { flapsSince: steadyMs, reportAt: steadyMs + HOUR_MS };
    const isOwn = room.own >= MOST_EVENTS;
    if (room.most > MOST_EVENTS || !(isOwn || isDown)) return [null, isDown ? { ...held, reportAt: room.at } : held];
    const text = isOwn ? flapsEvent(row, cause) : manyEvent(row, cause);
    return [await report(row, text, now), { ...held, downSince: downSince ?? steadyMs }];
  }

  async function store(row: HeartbeatRow, [posted, change]: [Posted | null, Change]): Promise<Posted | null> {
    await moveOn({ ...row, ...change });
    return posted;
  }

  return {
    async change(before, after, cause, now) {
      const { state, downSince, flapsSince } = after;
      const isReported = state === 'down' || (state === 'up' && downSince !== null);
      if (state === before.state || (!isReported && flapsSince === null)) return store(after, [null, {}]);
      if (flapsSince === null) return store(after, await single(after, cause, now));
      if (!isReported) return store(after, [null, state === 'up' ? CALM : {}]);
      const reportAt = downSince === null ? (await roomOf(after, now)).at : now.steadyMs + HOUR_MS;
      return store(after, [null, { reportAt }]);
    },

    async lasting(row, now) {
      const { state, downSince } = row;
      if (state !== 'down' && state !== 'up') return store(row, [null, { reportAt: null }]);
      const room = await roomOf(row, now);
      if (room.most >= MOST_EVENTS) return store(row, [null, { reportAt: room.at }]);
      if (state === 'up') {
        const text = upEvent(row, 'It has been up for an hour.');
        return store(row, [await report(row, text, now), CALM]);
      }
      const since = { downSince: downSince ?? now.steadyMs, reportAt: null };
      return store(row, [await report(row, stillDownEvent(row), now), since]);
    },
  };
}

const CALM: Change = { downSince: null, flapsSince: null, reportAt: null };

/** Returns the subjects of the bound: the heartbeat, also re-added, and all pinged by one key. */
function subjectsOf({ slug, pingedBy }: HeartbeatRow): readonly string[] {
  return [`heartbeat/${slug}`, ...(pingedBy === null ? [] : [`key/${pingedBy}`])];
}
