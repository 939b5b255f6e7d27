import { inWords } from '../../../contract/heartbeats.ts';
import type { Moment } from '../../../process/clock.ts';
import type { Posted } from '../../calls.ts';
import type { Sql } from '../../sql.ts';
import type { EngineDeps } from '../handler.ts';
import { type Cause, downEvent, flapsEvent, MOST_EVENTS, post, stillDownEvent, type Text, upEvent } from './events.ts';
import { type HeartbeatRow, MOVE_ON } from './rows.ts';

const HOUR_MS = 3_600_000;
/** The clock was set back if an event is further ahead. */
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
/** As no more are added within an hour, this keeps up. */
const FORGET = `
  DELETE FROM heartbeat_event WHERE id IN (
    SELECT id FROM heartbeat_event WHERE workspace_id = CAST(:workspaceId AS BIGINT)
      AND (at <= CAST(:steadyMs AS BIGINT) - ${HOUR_MS} OR at > CAST(:steadyMs AS BIGINT) + ${SLACK_MS}) LIMIT 100
  )`;

export interface Reporting {
  /** Stores what a ping or the passing of time changed, and reports it to the channel. */
  change(before: HeartbeatRow, after: HeartbeatRow, cause: Cause, now: Moment): Promise<Posted | null>;
  /** Reports a heartbeat that flaps, whose state has lasted (`report_at`). */
  lasting(row: HeartbeatRow, now: Moment): Promise<Posted | null>;
}

type Change = Partial<Pick<HeartbeatRow, 'downSince' | 'flapsSince' | 'reportAt'>>;

/**
 * Posts all events of heartbeats, so that this is the only place with their bound: MOST_EVENTS an hour, then one event
 * that says so. From then on a heartbeat flaps: only what lasts an hour is reported, up to the first hour of being up.
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
    await forget({ workspaceId, steadyMs: now.steadyMs });
    await note({ workspaceId, subject: subjectOf(row), steadyMs: now.steadyMs });
    return posted;
  }

  /** When the subject may post next, and how many events it had within the hour. */
  async function roomOf(row: HeartbeatRow, { steadyMs }: Moment) {
    const { workspaceId } = row;
    const times = await newest({ workspaceId, subject: subjectOf(row), steadyMs });
    const at = times[MOST_EVENTS - 1];
    return { count: times.length, at: at === undefined ? steadyMs : at + HOUR_MS };
  }

  /** Reports that it went down, or came back. */
  async function single(row: HeartbeatRow, cause: Cause, now: Moment): Promise<[Posted | null, Change]> {
    const { steadyMs } = now;
    const { state, downSince } = row;
    const isDown = state === 'down';
    const room = await roomOf(row, now);
    if (room.count < MOST_EVENTS) {
      const text = isDown
        ? downEvent(row, cause)
        : upEvent(row, `It is back after ${inWords(steadyMs - (downSince ?? steadyMs))}.`);
      return [await report(row, text, now), { downSince: isDown ? (downSince ?? steadyMs) : null }];
    }
    const flaps = { flapsSince: steadyMs, reportAt: steadyMs + HOUR_MS };
    if (room.count > MOST_EVENTS) return [null, isDown ? { ...flaps, reportAt: room.at } : flaps];
    return [await report(row, flapsEvent(row, cause), now), { ...flaps, downSince: downSince ?? steadyMs }];
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
      if (room.count >= MOST_EVENTS) return store(row, [null, { reportAt: room.at }]);
      if (state === 'up') {
        const text = upEvent(row, 'It flapped, and has been up for an hour.');
        return store(row, [await report(row, text, now), CALM]);
      }
      const since = { downSince: downSince ?? now.steadyMs, reportAt: null };
      return store(row, [await report(row, stillDownEvent(row), now), since]);
    },
  };
}

const CALM: Change = { downSince: null, flapsSince: null, reportAt: null };

/** What has the bound: a heartbeat, also if it is deleted and added again. */
function subjectOf({ slug }: HeartbeatRow): string {
  return `heartbeat/${slug}`;
}
