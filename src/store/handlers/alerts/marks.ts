/**
 * Decides on alerts: acknowledgement and end. A mark (`alert_mark`) decides at once on any number of a channel's
 * alerts; rows follow in small steps, even after a crash. Same rules: `follow_marks` (postgres/functions/alerts.sql),
 * for the alert an event joins.
 */
import type { Moment } from '../../../process/clock.ts';
import { MOST_COUNTED } from '../../calls/alerts.ts';
import { type Awaitable, ID_LIST, idList, indexRange, type Sql } from '../../sql.ts';
import { UNFINISHED } from '../events/states.ts';
import { shiftThere } from '../on-call/restarting.ts';
import { DECIDES, IDLE_MS, IS_LIVE, KEEP_REMINDERS, MOST_CHANNELS } from './alert-rows.ts';
import { KEEP_BUNDLES } from './bundles.ts';

/** Rows following in the deciding call; housekeeping does the rest. */
const ROWS_AT_ONCE = 250;
/** Alerts that follow together. */
const MOST_TOGETHER = 50;
/** Rows of a cancelled event over PostgreSQL: its fan-outs, and a revocation. */
const ROWS_OF_EVENT = 4;
/** Cancelled events of an alert whose row follows by itself. The rest ends when claimed. */
export const MOST_AT_ONE = 50;

/** A channel's alerts, by first and last id. */
interface AlertRange {
  readonly channelId: number;
  readonly fromAlert: number;
  readonly toAlert: number;
}

interface Decision extends AlertRange {
  readonly state: 'acknowledged' | 'resolved' | 'expired';
  readonly kind: string;
  readonly name: string | null;
  /** The caller as in `alert.acted_by`; null: nobody may undo the decision. */
  readonly actor: string | null;
  readonly snoozedUntilMs?: number | null;
}

export interface Mark {
  readonly number: number;
  readonly workspaceId: number;
  readonly channelId: number;
  readonly fromAlert: number;
  readonly toAlert: number;
  readonly lastEvent: number;
  /** `open`: undoes act `undoes`. */
  readonly state: Decision['state'] | 'open';
  readonly kind: string;
  readonly name: string | null;
  readonly actor: string | null;
  readonly undoes: number;
  readonly wallMs: number;
  readonly setAtMs: number;
  readonly snoozedUntilMs: number | null;
  readonly cursor: number;
}

const MARK = `
  SELECT mark.number, mark.workspace_id AS "workspaceId", mark.channel_id AS "channelId", mark.from_alert AS "fromAlert",
    mark.to_alert AS "toAlert", mark.last_event AS "lastEvent", mark.state, mark.kind, mark.name, mark.actor, mark.undoes, mark.at AS "wallMs", mark.set_at AS "setAtMs",
    mark.snoozed_until AS "snoozedUntilMs", mark.cursor
  FROM alert_mark AS mark`;

const IN_RANGE = indexRange('alert', ['channel_id', 'event_id'], ':channelId', ':fromAlert', ':toAlert');

/** Adds a mark, unless a waiting one decides as much. */
const ADD = `
  INSERT INTO alert_mark (workspace_id, channel_id, channel, from_alert, to_alert, last_event, state, kind, name, at, set_at,
    snoozed_until, cursor, actor)
  SELECT workspace_id, channel_id, coalesce((SELECT slug FROM channel WHERE channel.id = channel_id), ''), :fromAlert, :toAlert,
    (SELECT max(id) FROM event), :state, :kind, :name, :wallMs, :steadyMs, :snoozedUntilMs, 1 + CAST(:toAlert AS BIGINT), :actor
  FROM alert
  WHERE ${IS_LIVE} AND ${IN_RANGE} AND NOT EXISTS (
    SELECT 1 FROM alert_mark AS mark
    WHERE mark.channel_id = :channelId AND mark.from_alert <= :fromAlert AND mark.to_alert >= :toAlert
      AND (mark.state IN ('resolved', 'expired') OR mark.state = 'acknowledged' AND :state = 'acknowledged' AND NOT EXISTS (
        SELECT 1 FROM alert_mark AS undo WHERE undo.channel_id = :channelId AND undo.state = 'open' AND undo.number > mark.number
      ))
  )
  ORDER BY channel_id DESC, event_id DESC LIMIT 1`;

/** A decision's newest open or live alerts. An order would read all. */
const concernedAmong = (among: string, others: string) => `
  SELECT event_id FROM alert WHERE event_id IN (
    SELECT event_id FROM alert
    WHERE ${among} AND ${IN_RANGE} ORDER BY channel_id DESC, event_id DESC LIMIT ${MOST_COUNTED}
  ) AND NOT EXISTS (SELECT 1 FROM alert_mark AS mark WHERE ${DECIDES}${others})`;
const OPEN_ONES = concernedAmong("alert.state = 'open'", '');
const LIVE_ONES = concernedAmong(IS_LIVE, " AND mark.state IN ('resolved', 'expired')");

/** Undoes an act for alerts unchanged since; needless before rows follow. */
const ADD_UNDO = `
  INSERT INTO alert_mark (workspace_id, channel_id, channel, from_alert, to_alert, last_event, state, kind, name, actor, at, set_at, cursor, undoes)
  SELECT workspace_id, channel_id, coalesce((SELECT slug FROM channel WHERE channel.id = channel_id), ''), 0, ${Number.MAX_SAFE_INTEGER}, 0,
    'open', 'undo', :name, :actor, :wallMs, :steadyMs, 0, CAST(:act AS BIGINT)
  FROM alert WHERE act = CAST(:act AS BIGINT) AND act > 0 LIMIT 1`;

const NEXT = `${MARK} ORDER BY mark.number LIMIT 1`;

const NEXT_OF_CHANNEL = `${MARK} WHERE mark.channel_id = :channelId ORDER BY mark.number LIMIT 1`;

/** The next alerts. `isMeant`: the mark concerns the alert, which may have followed. */
const FOLLOWING = `
  SELECT event_id AS id, CASE WHEN state = 'open' AND mark < :number OR :state <> 'acknowledged' OR mark = :number THEN 1 ELSE 0 END
    AS "isMeant"
  FROM alert
  WHERE ${IS_LIVE} AND ${indexRange('alert', ['channel_id', 'event_id'], ':channelId', ':fromAlert', ':lastLeft')}
  ORDER BY channel_id DESC, event_id DESC LIMIT CAST(:limit AS BIGINT)`;
const LEFT_TO_UNDO = `
  SELECT event_id FROM alert WHERE act = CAST(:undoes AS BIGINT) AND act > 0 AND state = 'acknowledged'
  ORDER BY act, event_id LIMIT CAST(:limit AS BIGINT)`;

/**
 * Cancels events: pushes in flight come back. The rest ends at its claim or the next sweep. `id + 0` avoids a scan by
 * id.
 */
export const WITHDRAW = `
  UPDATE event SET cancelled_at = :wallMs, expires_at = 0
  WHERE id IN (
    SELECT id FROM event
    WHERE alert_id IN ${ID_LIST} AND id + 0 <= :lastEvent AND cancelled_at IS NULL AND ${UNFINISHED}
    LIMIT CAST(:limit AS BIGINT)
  )`;

/** Expires queued pushes of an alert ended by its sender. They do not count as cancelled. */
export const END_UNSENT = `
  UPDATE event SET expires_at = 0
  WHERE id IN (
    SELECT id FROM event
    WHERE alert_id = :id AND id + 0 <= :lastEvent AND expires_at > 0 AND ${UNFINISHED}
    LIMIT CAST(:limit AS BIGINT)
  )`;

/** A mark on one ended alert with more waiting pushes than one transaction can expire. */
const SUCCESS = 'success';
export const LEAVE_UNSENT = `
  INSERT INTO alert_mark (workspace_id, channel_id, channel, from_alert, to_alert, last_event, state, kind, at, set_at, cursor)
  SELECT workspace_id, channel_id, '', event_id, event_id, :lastEvent, state, '${SUCCESS}', :wallMs, :steadyMs, event_id
  FROM alert WHERE event_id = :id RETURNING number`;

export const NEXT_OF_ALERT = `
  ${MARK} JOIN alert ON ${DECIDES} WHERE alert.event_id = :id ORDER BY mark.number LIMIT 1`;

/** Keeps the state before an act, to restore it. Right-hand columns have the old values. */
export const BEFORE = `before_state = CASE WHEN snoozed_until IS NULL THEN state ELSE 'snoozed' END,
    before_at = CASE state WHEN 'open' THEN escalate_at ELSE due_at END, before_snoozed_by = snoozed_by,
    before_snoozer = snoozer`;
const ACTED = `assigned_until = NULL, act = :act, acted_by = :actor, acted_at = :setAtMs, ${BEFORE}`;
/** Forgets the last act: something else changed the alert. */
export const NO_ACT =
  'act = 0, acted_by = NULL, acted_at = NULL, before_state = NULL, before_at = NULL, before_snoozed_by = NULL, before_snoozer = NULL';

const ACKNOWLEDGED = `
  UPDATE alert SET state = 'acknowledged', holder = :actor, acknowledged_by = :name, acknowledged_at = :wallMs,
    snoozed_until = :snoozedUntilMs, snoozed_by = :name, snoozer = :actor, escalate_at = NULL, due_at = :dueAtMs, set_at = :setAtMs, mark = :number,
    ${ACTED}, ${KEEP_REMINDERS}`;
const ACKNOWLEDGE = `${ACKNOWLEDGED} WHERE event_id IN ${ID_LIST} AND mark < :number AND state = 'open'`;

/** The next round counts them. */
const ENDED = `
  UPDATE alert SET state = :state, due_at = :setAtMs, escalate_at = NULL, snoozed_until = NULL, ended_kind = :kind, ended_by = :name,
    ender = :actor, ended_at = :wallMs, mark = :number, ${ACTED}, ${KEEP_REMINDERS}`;
const END = `${ENDED} WHERE event_id IN ${ID_LIST} AND mark < :number AND ${IS_LIVE}`;

/** Reopens an alert as it was, with deadlines later by the acknowledged time. Its person gets no reminder. */
const UNDO = `
  UPDATE alert SET state = 'open', holder = NULL, acknowledged_by = NULL, acknowledged_at = NULL, snoozed_until = NULL,
    stops_at = stops_at + :setAtMs - acted_at, escalate_at = before_at + :setAtMs - acted_at,
    due_at = CASE WHEN before_at < stops_at THEN before_at ELSE stops_at END + :setAtMs - acted_at, set_at = :setAtMs, mark = :number,
    widen_at = widen_at + :setAtMs - acted_at,
    reminders_from = coalesce((SELECT channel.reminders FROM channel WHERE channel.id = alert.channel_id), 0),
    reopened_by = :name, reopener = :actor, reopened_at = :wallMs, ${NO_ACT}
  WHERE event_id IN ${ID_LIST} AND act = :undoes AND state = 'acknowledged'`;

/** The same in the channels reached, before `UNDO`. */
const UNDO_THERE = `${shiftThere('acted_at', ':setAtMs')} AND EXISTS (
    SELECT 1 FROM alert WHERE alert.event_id = escalation.event_id AND act = :undoes AND state = 'acknowledged'
  )`;

/** Returns the statements by which alerts follow a mark, by its state, in their order. */
export function markChanges<Run>(run: (text: string) => Run): Readonly<Record<Mark['state'], readonly Run[]>> {
  const end = [run(END)];
  return { open: [run(UNDO_THERE), run(UNDO)], acknowledged: [run(ACKNOWLEDGE)], resolved: end, expired: end };
}

interface AlertMarks {
  /**
   * Decides on a range's open or live alerts. Returns those concerned among the newest `MOST_COUNTED`, newest first,
   * and how many rows followed.
   */
  decide(decision: Decision, now: Moment): Promise<{ readonly concerned: readonly number[]; readonly rows: number }>;
  /** Undoes the acknowledgement of alerts unchanged since. Rows that have not followed are as before. */
  undo(
    undone: { readonly channelId: number; readonly act: number; readonly name: string; readonly actor: string },
    now: Moment,
  ): Promise<void>;
  /** Makes about `limit` rows follow the marks; returns how many. Fewer: none is left. */
  follow(limit: number): Promise<number>;
  /** Makes one alert's row follow at once, before another change. */
  followAt(id: number): Promise<void>;
}

export function alertMarks(sql: Sql): AlertMarks {
  const add = sql.run<object>(ADD);
  const openOnes = sql.values<AlertRange, number>(OPEN_ONES);
  const liveOnes = sql.values<AlertRange, number>(LIVE_ONES);
  const next = sql.get<object, Mark>(NEXT);
  const nextOfChannel = sql.get<{ channelId: number }, Mark>(NEXT_OF_CHANNEL);
  const nextOfAlert = sql.get<{ id: number }, Mark>(NEXT_OF_ALERT);
  const following = sql.all<Mark & { lastLeft: number; limit: number }, { id: number; isMeant: 0 | 1 }>(FOLLOWING);
  const webhooksOf = sql.value<Mark, number>(
    "SELECT count(*) FROM webhook WHERE workspace_id = :workspaceId AND status = 'active'",
  );
  const withdraw = sql.run<object>(WITHDRAW);
  const keepBundles = sql.run<object>(KEEP_BUNDLES);
  const endUnsent = sql.run<object>(END_UNSENT);
  const changes = markChanges((text) => sql.run<object>(text));
  const leftToUndo = sql.values<{ undoes: number; limit: number }, number>(LEFT_TO_UNDO);
  const addUndo = sql.run<object>(ADD_UNDO);
  const moveOn = sql.run<{ number: number; cursor: number }>(
    'UPDATE alert_mark SET cursor = :cursor WHERE number = :number',
  );
  const leave = sql.run<{ channelId: number }>(
    'UPDATE alert_mark SET is_left = 1 WHERE channel_id = :channelId AND is_left = 0',
  );
  const remove = sql.run<{ number: number }>('DELETE FROM alert_mark WHERE number = :number');

  /** Returns at most how many rows it changed, if each alert is `rowsOfAlert` rows. */
  async function change(mark: Mark, ids: readonly number[], rowsOfAlert = 1): Promise<number> {
    if (ids.length === 0) return 0;
    let rows = 0;
    for (const run of changes[mark.state]) rows += await run(valuesOf(mark, ids));
    return rowsOfAlert * rows;
  }

  async function withdrawOf(mark: Mark, ids: readonly number[], limit: number): Promise<number> {
    if (isOnOne(mark)) await keepBundles({ ...mark, id: mark.fromAlert });
    return withdraw({ ...valuesOf(mark, ids), limit });
  }

  /** Makes a mark's next alerts follow. `isDone`: none is left. */
  async function followPart(mark: Mark, limit: number): Promise<{ changed: number; isDone: boolean }> {
    const rowsOfAlert = 1 + ((await webhooksOf(mark)) ?? 0);
    const rowsThere = mark.state === 'open' ? MOST_CHANNELS : 0;
    const most = Math.max(1, Math.min(MOST_TOGETHER, Math.floor(limit / (rowsOfAlert + rowsThere))));
    const room = Math.max(1, Math.floor(limit / ROWS_OF_EVENT));
    if (mark.kind === SUCCESS) {
      const ended = await endUnsent({ ...mark, id: mark.fromAlert, limit: room });
      return { changed: ROWS_OF_EVENT * ended, isDone: ended < room };
    }
    if (mark.state === 'open') {
      const ids = await leftToUndo({ undoes: mark.undoes, limit: most });
      return { changed: await change(mark, ids, rowsOfAlert), isDone: ids.length < most };
    }
    const rows = await following({ ...mark, lastLeft: mark.cursor - 1, limit: most });
    const ids = rows.filter(({ isMeant }) => isMeant === 1).map(({ id }) => id);
    const withdrawn = ids.length === 0 ? 0 : await withdrawOf(mark, ids, room);
    if (withdrawn === room) return { changed: limit, isDone: false };
    const changed = rows.length + ROWS_OF_EVENT * withdrawn + (await change(mark, ids, rowsOfAlert));
    if (rows.length < most) return { changed, isDone: true };
    await moveOn({ number: mark.number, cursor: rows.at(-1)?.id ?? mark.fromAlert });
    return { changed, isDone: false };
  }

  async function followEach(nextMark: () => Awaitable<Mark | undefined>, limit: number): Promise<number> {
    let done = 0;
    while (done < limit) {
      const mark = await nextMark();
      if (mark === undefined) return done;
      const { changed, isDone } = await followPart(mark, limit - done);
      done += changed;
      if (isDone) await remove(mark);
    }
    return limit;
  }

  return {
    async decide(decision, now) {
      const { channelId, fromAlert, toAlert } = decision;
      const ids = await (decision.state === 'acknowledged' ? openOnes : liveOnes)(decision);
      const concerned = ids.toSorted((a, b) => b - a);
      if (ids.length === 0 && fromAlert === toAlert) return { concerned, rows: 0 };
      await add({ snoozedUntilMs: null, ...decision, ...now });
      const rows = await followEach(() => nextOfChannel({ channelId }), ROWS_AT_ONCE);
      await leave({ channelId });
      return { concerned, rows };
    },

    async undo(undone, now) {
      await remove({ number: undone.act });
      await addUndo({ ...undone, ...now });
      await followEach(() => nextOfChannel(undone), ROWS_AT_ONCE);
    },

    follow: (limit) => followEach(() => next({}), limit),

    async followAt(id) {
      for (let mark = await nextOfAlert({ id }); mark !== undefined; mark = await nextOfAlert({ id })) {
        if (mark.state !== 'open') await withdrawOf(mark, [id], MOST_AT_ONE);
        await change(mark, [id]);
      }
    },
  };
}

/** Returns whether the mark is on one alert, whose bundle may continue. */
export function isOnOne({ fromAlert, toAlert }: Mark): boolean {
  return fromAlert === toAlert;
}

export function valuesOf(mark: Mark, ids: readonly number[]) {
  const { number, snoozedUntilMs, setAtMs } = mark;
  const act = isOnOne(mark) ? 0 : number;
  return { ...mark, ...idList(ids), act, dueAtMs: snoozedUntilMs ?? setAtMs + IDLE_MS };
}
