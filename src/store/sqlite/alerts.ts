import type { AlertOfEvent } from '../../contract/loudness.ts';
import type { Moment } from '../../process/clock.ts';
import { LEVELS, type Level, type Route, type Urgency } from '../../push.ts';
import { IDLE_MS, IS_OPEN, KEEP_REMINDERS, REMINDERS } from '../handlers/alerts/alert-rows.ts';
import { KEEP_BUNDLES } from '../handlers/alerts/bundles.ts';
import {
  END_UNSENT,
  isOnOne,
  LEAVE_UNSENT,
  type Mark,
  MOST_AT_ONE,
  markChanges,
  NEXT_OF_ALERT,
  valuesOf,
  WITHDRAW,
} from '../handlers/alerts/marks.ts';
import type { StoredAlertPush } from '../handlers/alerts/push.ts';
import { shownName } from '../handlers/alerts/shown-name.ts';
import { mayEnd } from '../handlers/keys/endings.ts';
import { WATCH } from '../handlers/on-call/early-widening.ts';
import { REACHABLE_ROUTES, type Reached } from '../handlers/on-call/reachable.ts';
import type { StoreSettings } from '../settings.ts';
import { sqlOver } from './sql.ts';
import type { Db } from './transaction.ts';

interface PostedEvent {
  readonly id: number;
  readonly workspaceId: number;
  readonly channelId: number;
  readonly level: Level;
  readonly urgency: Urgency;
  readonly collapseKey: string | null;
  readonly expiresInS: number | null;
  readonly repeatS: number;
  readonly untilS: number;
  /** Until the first ring. */
  readonly ringAfterS: number;
  readonly escalateAfterS: number | null;
  readonly escalateTo: number | null;
  /** Until it rings for more than the person on call; null: at once. */
  readonly widenAfterS: number | null;
  readonly postedBy: string | null;
  /** The channel's, so far. */
  readonly reminders: number;
}
interface ChangedAlert {
  readonly id: number;
  readonly state: 'open' | 'acknowledged' | 'resolved';
  readonly reminders: number;
  readonly acknowledgedBy: string | null;
  readonly widenAtMs?: number | null;
  /** Set if the event resolves the alert. */
  readonly heardAs?: Level;
}

const POSTED = `
  SELECT event.id, event.workspace_id AS workspaceId, event.channel_id AS channelId, level, urgency,
    collapse_key AS collapseKey, expires_in AS expiresInS, insist_repeat AS repeatS, insist_until AS untilS,
    coalesce(ring_after, 0) AS ringAfterS,
    escalate_after AS escalateAfterS, escalate_to AS escalateTo, widen_after AS widenAfterS, posted_by AS postedBy, channel.reminders
  FROM event JOIN channel ON channel.id = event.channel_id WHERE event.id = +:id AND insist_repeat IS NOT NULL`;

const LIVING = `channel_id = :channelId AND collapse_key = :collapseKey AND collapse_key IS NOT NULL
  AND state IN ('open', 'acknowledged')`;

/** The next round counts it, and notifies other channels reached. */
const RESOLVE = `
  UPDATE alert SET state = 'resolved', snoozed_until = NULL, ended_kind = 'sender', ended_at = :wallMs, due_at = :steadyMs,
    assigned_until = NULL, act = 0, acted_by = NULL, ${KEEP_REMINDERS}
  WHERE ${LIVING} AND ${mayEnd(':postedBy', 'posted_by')} RETURNING event_id AS id, state, reminders,
    acknowledged_by AS acknowledgedBy,
    (SELECT level FROM event WHERE event.id = newest_event_id) AS heardAs`;

const LIVING_ONE = `SELECT event_id FROM alert WHERE ${LIVING}`;

/** Nothing has noticed its end yet. */
const END_OVERDUE = `
  UPDATE alert SET state = CASE state WHEN 'open' THEN 'expired' ELSE 'resolved' END, due_at = :steadyMs,
    ended_kind = 'time', ended_at = :wallMs, assigned_until = NULL, act = 0, acted_by = NULL, ${KEEP_REMINDERS}
  WHERE ${LIVING} AND CASE WHEN state = 'open' THEN stops_at <= :steadyMs
    ELSE snoozed_until IS NULL AND due_at <= :steadyMs END`;

const IS_IDLE = "alert.state = 'acknowledged' AND alert.snoozed_until IS NULL";

const STILL_ALONE = 'CASE WHEN alert.posted_by = excluded.posted_by THEN alert.posted_by END';

const OPEN_OR_JOIN = `
  INSERT INTO alert (event_id, workspace_id, channel_id, collapse_key, state, newest_event_id, opened_at, stops_at,
    escalate_at, due_at, set_at, posted_by, reminders_from, widen_at)
  VALUES (:id, :workspaceId, :channelId, :collapseKey, 'open', :id, :wallMs, :stopsAtMs, :escalateAtMs, :dueAtMs, :steadyMs,
    :postedBy, :reminders, :widenAtMs)
  ON CONFLICT (channel_id, collapse_key) WHERE collapse_key IS NOT NULL AND state IN ('open', 'acknowledged')
  DO UPDATE SET newest_event_id = excluded.newest_event_id, posted_by = ${STILL_ALONE},
    due_at = CASE WHEN ${IS_IDLE} THEN :idleAtMs ELSE alert.due_at END, set_at = CASE WHEN ${IS_IDLE} THEN :steadyMs ELSE alert.set_at END
  RETURNING event_id AS id, state, reminders, acknowledged_by AS acknowledgedBy, widen_at AS widenAtMs`;

const IS_ANOTHER_OPEN = `EXISTS (SELECT 1 FROM alert WHERE channel_id = :channelId AND ${IS_OPEN} AND event_id <> :id)`;

/**
 * Keeps the reminders of a channel with another open alert unchanged, but the next one is no later than this alert rings
 * first, or for everyone.
 */
const INSIST = `
  INSERT INTO insisting (channel_id, next_at, repeat_ms) VALUES (:channelId, :firstAtMs, :longestMs)
  ON CONFLICT (channel_id) DO UPDATE SET next_at = excluded.next_at, repeat_ms = excluded.repeat_ms
  WHERE NOT ${IS_ANOTHER_OPEN} OR :ringAfterS + coalesce(:widenAfterS, 0) > 0 AND insisting.next_at > excluded.next_at`;

const NOTE = 'UPDATE event SET alert_id = :alertId, alert = :alert, on_call = :onCall WHERE id = :id';

/** The alert found by an event. `leavesAlert`: its key may not resolve it. */
interface FoundAlert {
  readonly alert: AlertOfEvent | null;
  /** The acknowledged alert's person. */
  readonly holder?: string | null;
  readonly leavesAlert?: boolean;
}
export const NO_ALERT: FoundAlert = { alert: null };

/**
 * Updates an insistent channel's alerts for a new event: opens one, joins a live one, or as `success` resolves it.
 * `onCall`: the person on call. Same rules: `update_alert` (PostgreSQL).
 */
export function alertUpdater(
  db: Db,
  settings: StoreSettings,
): (eventId: number, now: Moment, onCall: number | null) => FoundAlert {
  const sql = sqlOver(db);
  const { onCallOf, isNarrow } = onCallFinder(db, settings);
  const posted = sql.get<object, PostedEvent>(POSTED);
  const resolve = sql.get<object, ChangedAlert>(RESOLVE);
  const endUnsent = sql.run<object>(END_UNSENT);
  const leaveUnsent = sql.value<object, number>(LEAVE_UNSENT);
  const follow = sql.run<{ id: number; number: number }>('UPDATE alert SET mark = :number WHERE event_id = :id');
  const endOverdue = sql.run<object>(END_OVERDUE);
  const openOrJoin = sql.get<object, ChangedAlert>(OPEN_OR_JOIN);
  const insist = sql.run<object>(INSIST);
  const watch = sql.run<object>(WATCH);
  const uuidOf = sql.value<{ id: number }, Buffer>('SELECT uuid FROM event WHERE id = :id');
  const note = sql.run<object>(NOTE);
  const livingOne = sql.value<PostedEvent, number>(LIVING_ONE);
  const remindersOf = sql.value<{ id: number }, number>(`SELECT ${REMINDERS} FROM alert WHERE event_id = :id`);
  const isAnyMarked = sql.value<PostedEvent, 1>('SELECT 1 FROM alert_mark WHERE channel_id = :channelId LIMIT 1');
  const nextMark = sql.get<{ id: number }, Mark>(NEXT_OF_ALERT);
  const withdraw = sql.run<object>(WITHDRAW);
  const keepBundles = sql.run<object>(KEEP_BUNDLES);
  const changes = markChanges((text) => sql.run<object>(text));

  /** Does the same as the handlers' `followAt`, for the alert that it would join. */
  function followMarks(event: PostedEvent): void {
    const id = isAnyMarked(event) === undefined ? undefined : livingOne(event);
    if (id === undefined) return;
    for (let mark = nextMark({ id }); mark !== undefined; mark = nextMark({ id })) {
      if (mark.state !== 'open') {
        if (isOnOne(mark)) keepBundles({ ...mark, id });
        withdraw({ ...valuesOf(mark, [id]), limit: MOST_AT_ONE });
      }
      for (const run of changes[mark.state]) run(valuesOf(mark, [id]));
    }
  }

  function openOrJoinAlert(event: PostedEvent, now: Moment, onCall: FoundOnCall | null): ChangedAlert | undefined {
    const { steadyMs } = now;
    const widenAtMs = onCall?.widenAtMs ?? null;
    const { untilS, ringAfterS, repeatS, expiresInS, escalateTo, escalateAfterS } = event;
    const afterRing = (seconds: number) => steadyMs + 1000 * (ringAfterS + seconds);
    const stopsAtMs = Math.min(afterRing(untilS), expiresInS === null ? Infinity : steadyMs + 1000 * expiresInS);
    const escalateAtMs = escalateTo === null || escalateAfterS === null ? null : afterRing(escalateAfterS);
    const dueAtMs = Math.min(stopsAtMs, escalateAtMs ?? stopsAtMs);
    endOverdue({ ...event, ...now });
    const idleAtMs = steadyMs + IDLE_MS;
    const alert = openOrJoin({ ...event, ...now, stopsAtMs, escalateAtMs, dueAtMs, idleAtMs, widenAtMs });
    const repeatAtMs = steadyMs + 1000 * (ringAfterS || repeatS);
    const firstAtMs = onCall?.rings ? Math.min(repeatAtMs, onCall.widenAtMs) : repeatAtMs;
    const longestMs = 1000 * Math.max(ringAfterS, repeatS);
    if (alert?.id !== event.id) return alert;
    insist({ ...event, ...now, firstAtMs, longestMs });
    if (onCall?.rings) watch({ ...event, ...now, target: event.channelId });
    return alert;
  }

  function resolveAlert(event: PostedEvent, now: Moment): ChangedAlert | undefined {
    const alert = resolve({ ...event, ...now });
    if (alert === undefined) return alert;
    const { id } = alert;
    const unsent = { id, lastEvent: event.id - 1 };
    keepBundles({ ...unsent, channelId: event.channelId, ...now });
    if (endUnsent({ ...unsent, limit: MOST_AT_ONE }) === MOST_AT_ONE) {
      const number = leaveUnsent({ ...unsent, ...now });
      if (number !== undefined) follow({ id, number });
    }
    return alert;
  }

  function changeAlert(event: PostedEvent, now: Moment, onCall: FoundOnCall | null): ChangedAlert | undefined {
    followMarks(event);
    if (event.level === 'success') return resolveAlert(event, now);
    return event.urgency === 'time_sensitive' ? openOrJoinAlert(event, now, onCall) : undefined;
  }

  return (id, now, person) => {
    const event = posted({ id });
    const onCall = event && person !== null ? onCallOf(event, person, now) : null;
    const alert = event && changeAlert(event, now, onCall);
    if (event === undefined) return NO_ALERT;
    if (alert === undefined)
      return { alert: null, leavesAlert: event.level === 'success' && livingOne(event) !== undefined };
    const { state, reminders, acknowledgedBy, heardAs, widenAtMs = null } = alert;
    const hasRung = event.ringAfterS === 0 || (state === 'open' && (remindersOf(alert) ?? 0) > 0);
    const found =
      onCall && state === 'open' && hasRung && (alert.id === id || isNarrow(event, widenAtMs, now)) ? onCall : null;
    const push: StoredAlertPush = {
      alert: uuidOf(alert)?.toString('hex') ?? '',
      state,
      reminder: state === 'resolved' ? reminders : 0,
      ...(state === 'acknowledged' && acknowledgedBy !== null && { by: acknowledgedBy }),
      ...(heardAs && { heardAs }),
      ...found?.manner,
    };
    note({ id, alertId: alert.id, alert: JSON.stringify(push), onCall: found?.rings ?? null });
    if (state !== 'open') return { alert: state, holder: acknowledgedBy };
    return { alert: alert.id === id ? 'opened' : hasRung ? 'open' : 'waiting' };
  };
}

interface InsistingEvent {
  readonly channelId: number;
  readonly level: Level;
  readonly ringAfterS: number;
  /** null: it rings for everyone at once. */
  readonly widenAfterS: number | null;
}

/** The person on call, as an event finds them. */
interface FoundOnCall {
  /** Their id; null: they are not reachable, so it rings for everyone. */
  readonly rings: number | null;
  readonly manner: Pick<StoredAlertPush, 'onCall' | 'isUnreachable'>;
  /** When a new alert rings for everyone. */
  readonly widenAtMs: number;
}

/** Finds whether an event may ring for one person alone. Same rules: `update_alert` (PostgreSQL). */
function onCallFinder(db: Db, { routes }: Pick<StoreSettings, 'routes'>) {
  const sql = sqlOver(db);
  const personOf = sql.get<{ id: number }, { name: string; email: string }>(
    'SELECT name, email FROM person WHERE id = :id',
  );
  const reachableRoutes = sql.values<Reached, Route>(REACHABLE_ROUTES);
  const wideTo = sql.value<{ channelId: number }, number | null>(
    'SELECT wide_to FROM insisting WHERE channel_id = :channelId',
  );

  return {
    onCallOf(event: InsistingEvent, personId: number, { wallMs, steadyMs }: Moment): FoundOnCall | null {
      const { channelId, ringAfterS, widenAfterS } = event;
      const person = personOf({ id: personId });
      if (widenAfterS === null || person === undefined) return null;
      const onCall = shownName(person);
      const asked = { personId, channelId, level: LEVELS.indexOf(event.level), wallMs };
      // Nobody is asked to hear an alert that does not ring yet.
      const isReachable = ringAfterS > 0 || reachableRoutes(asked).some((route) => routes.includes(route));
      return isReachable
        ? { rings: personId, manner: { onCall }, widenAtMs: steadyMs + 1000 * (ringAfterS + widenAfterS) }
        : { rings: null, manner: { onCall, isUnreachable: true }, widenAtMs: steadyMs };
    },

    /** Tells whether an alert rings only for the person on call. */
    isNarrow({ channelId }: InsistingEvent, widenAtMs: number | null, { steadyMs }: Moment): boolean {
      return widenAtMs !== null && widenAtMs > steadyMs && widenAtMs > (wideTo({ channelId }) ?? 0);
    },
  };
}
