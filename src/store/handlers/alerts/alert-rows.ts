import { personIdOf, publicIdOf } from '../../../contract/public-id.ts';
import type { Moment } from '../../../process/clock.ts';
import type { AlertState, Level } from '../../../push.ts';
import { toTimestamp, toTimestampOrNull } from '../../../values/timestamp.ts';
import type { Alert } from '../../calls.ts';

/** Other channels that an alert reaches. */
export const MOST_CHANNELS = 5;

export interface AlertRow {
  readonly id: number;
  readonly uuid: Uint8Array;
  readonly workspaceId: number;
  readonly channelId: number;
  readonly workspace: string;
  readonly channel: string;
  readonly channelName: string;
  readonly state: AlertState;
  readonly title: string;
  readonly level: Level;
  readonly newestUuid: Uint8Array;
  readonly openedAtMs: number;
  readonly stopsAtMs: number;
  readonly escalateAtMs: number | null;
  /** Slug of the next channel; null: the chain ends. */
  readonly escalateTo: string | null;
  readonly escalateToName: string | null;
  readonly snoozedUntilMs: number | null;
  readonly snoozedBy: string | null;
  readonly snoozer: string | null;
  readonly reminders: number;
  readonly remindedAtMs: number | null;
  readonly acknowledgedBy: string | null;
  readonly holder: string | null;
  readonly acknowledgedAtMs: number | null;
  readonly endedKind: string | null;
  readonly endedBy: string | null;
  readonly ender: string | null;
  readonly endedAtMs: number | null;
  readonly postedBy: string | null;
  readonly reopenedBy: string | null;
  readonly reopener: string | null;
  readonly reopenedAtMs: number | null;
  readonly assignedTo: string | null;
  readonly assignee: string | null;
  readonly assignedBy: string | null;
  readonly assigner: string | null;
  readonly assignedAtMs: number | null;
  /** Null: not assigned, or not open. */
  readonly assignedUntilMs: number | null;
}

/** The last channel reached: initially the alert's own. */
export const LAST_REACHED = `coalesce(
    (SELECT channel_id FROM escalation WHERE event_id = alert.event_id ORDER BY place DESC LIMIT 1), alert.channel_id
  )`;

/** The alert's next channel: its own first, then what the last one names, none twice. */
const NEXT_CHANNEL = `
  SELECT next.id FROM channel AS last JOIN channel AS next ON next.id = last.escalate_to
  WHERE last.id = ${LAST_REACHED} AND next.status = 'active' AND next.id <> alert.channel_id
    AND (SELECT count(*) FROM escalation WHERE event_id = alert.event_id) < ${MOST_CHANNELS}
    AND NOT EXISTS (SELECT 1 FROM escalation WHERE event_id = alert.event_id AND channel_id = next.id)`;

/** Condition on `alert` and `alert_mark AS mark`: the mark undoes the alert's last act. */
const IS_UNDONE = `mark.channel_id = alert.channel_id AND mark.state = 'open' AND alert.state = 'acknowledged'
  AND mark.number > alert.mark AND mark.undoes = alert.act`;

/** Condition on `alert` and `alert_mark AS mark`: the mark decides, and the row has not followed. */
export const DECIDES = `mark.channel_id = alert.channel_id AND mark.number > alert.mark
  AND alert.event_id BETWEEN mark.from_alert AND mark.to_alert
  AND CASE mark.state
    WHEN 'open' THEN alert.state = 'acknowledged' AND mark.undoes = alert.act
    WHEN 'acknowledged' THEN alert.state = 'open'
    ELSE alert.state IN ('open', 'acknowledged')
  END`;

/** Condition on `event`: its sender ended the alert, or a mark not yet followed acknowledged or ended it. */
export const IS_TAKEN_BACK = takenBack('');
/** The same, except ended by their sender, whose waiting pushes expire. */
export const IS_CANCELLED = takenBack(" AND mark.kind <> 'success'");

function takenBack(others: string): string {
  return `event.alert_id IS NOT NULL AND EXISTS (
  SELECT 1 FROM alert JOIN alert_mark AS mark ON mark.channel_id = alert.channel_id AND mark.number >= alert.mark
    AND alert.event_id BETWEEN mark.from_alert AND mark.to_alert${others}
  WHERE alert.event_id = event.alert_id AND event.id <= mark.last_event AND mark.state <> 'open' AND (
    alert.mark = mark.number OR alert.state = 'open' OR alert.state = 'acknowledged' AND mark.state <> 'acknowledged'
  )
)`;
}

/**
 * Joins marks that ended (`ended`), opened (`undone`) or acknowledged (`taken`) an alert before its row followed. An
 * acknowledgement after an undo counts once the row followed the undo.
 */
export const MARKS = `
  LEFT JOIN alert_mark AS ended ON ended.number = (
    SELECT min(mark.number) FROM alert_mark AS mark WHERE ${DECIDES} AND mark.state IN ('resolved', 'expired')
  )
  LEFT JOIN alert_mark AS undone ON undone.number = (
    SELECT min(mark.number) FROM alert_mark AS mark WHERE ${IS_UNDONE} AND mark.number < coalesce(ended.number, mark.number + 1)
  )
  LEFT JOIN alert_mark AS taken ON taken.number = (
    SELECT min(mark.number) FROM alert_mark AS mark
    WHERE ${DECIDES} AND mark.state = 'acknowledged' AND mark.number < coalesce(ended.number, mark.number + 1)
  )`;
/** An alert's state, with `MARKS`. */
export const STATE = 'coalesce(ended.state, taken.state, undone.state, alert.state)';
/** The current or last holder, with `MARKS`. */
export const HOLDER = 'CASE WHEN undone.number IS NULL THEN coalesce(taken.name, alert.acknowledged_by) END';

/**
 * Reminders of an `alert` row, and the last one; while open, plus its channel's. Same rule: `kept_reminders`
 * (postgres/functions/alerts.sql) and the views `webhook_alert`.
 */
export const REMINDERS = `alert.reminders + CASE alert.state WHEN 'open' THEN coalesce((
    SELECT channel.reminders - alert.reminders_from FROM channel WHERE channel.id = alert.channel_id
  ), 0) ELSE 0 END`;
const REMINDED_AT = `CASE alert.state WHEN 'open' THEN coalesce((
    SELECT channel.reminded_at FROM channel WHERE channel.id = alert.channel_id AND channel.reminders > alert.reminders_from
  ), alert.reminded_at) ELSE alert.reminded_at END`;
/** Sets them for good, as the alert is no longer open. */
export const KEEP_REMINDERS = `reminders = ${REMINDERS}, reminded_at = ${REMINDED_AT}`;

/** Join; filter behind it. Excludes deleted channels' rows. */
export const ALERTS = `
  SELECT alert.event_id AS id, opening.uuid, alert.workspace_id AS "workspaceId", alert.channel_id AS "channelId",
    workspace.slug AS workspace, channel.slug AS channel, channel.name AS "channelName", ${STATE} AS state,
    newest.title, newest.level, newest.uuid AS "newestUuid", alert.opened_at AS "openedAtMs", alert.stops_at AS "stopsAtMs",
    alert.escalate_at AS "escalateAtMs", escalating.slug AS "escalateTo", escalating.name AS "escalateToName",
    CASE WHEN ended.number IS NULL AND undone.number IS NULL AND taken.number IS NULL THEN alert.snoozed_until
      WHEN ended.number IS NULL THEN taken.snoozed_until END AS "snoozedUntilMs",
    coalesce(taken.name, alert.snoozed_by) AS "snoozedBy", coalesce(taken.actor, alert.snoozer) AS snoozer,
    ${REMINDERS} AS reminders, ${REMINDED_AT} AS "remindedAtMs", ${HOLDER} AS "acknowledgedBy",
    coalesce(taken.actor, alert.holder) AS holder,
    CASE WHEN undone.number IS NULL THEN coalesce(taken.at, alert.acknowledged_at) END AS "acknowledgedAtMs",
    coalesce(ended.kind, alert.ended_kind) AS "endedKind",
    CASE WHEN ended.number IS NULL THEN alert.ended_by ELSE ended.name END AS "endedBy",
    CASE WHEN ended.number IS NULL THEN alert.ender ELSE ended.actor END AS ender,
    coalesce(ended.at, alert.ended_at) AS "endedAtMs", alert.posted_by AS "postedBy",
    coalesce(undone.name, alert.reopened_by) AS "reopenedBy", coalesce(undone.actor, alert.reopener) AS reopener,
    coalesce(undone.at, alert.reopened_at) AS "reopenedAtMs",
    alert.assigned_to AS "assignedTo", alert.assignee, alert.assigned_by AS "assignedBy", alert.assigner,
    alert.assigned_at AS "assignedAtMs",
    CASE WHEN ended.number IS NULL AND taken.number IS NULL THEN alert.assigned_until END AS "assignedUntilMs"
  FROM alert
  ${MARKS}
  JOIN event AS opening ON opening.id = alert.event_id
  JOIN event AS newest ON newest.id = alert.newest_event_id
  JOIN channel ON channel.id = alert.channel_id
  JOIN workspace ON workspace.id = alert.workspace_id
  LEFT JOIN channel AS escalating ON escalating.id = (${NEXT_CHANNEL})
`;

/** The channels reached, in order. */
export const ESCALATED_TO = `
  SELECT channel.slug, channel.name FROM escalation JOIN channel ON channel.id = escalation.channel_id
  WHERE escalation.event_id = :id ORDER BY place`;

/** Time from an acknowledged alert's last event to its resolution. `update_alert` repeats it. */
export const IDLE_MS = 8 * 3_600_000;

/** Conditions on `alert`. SQLite's index of live alerts needs the first literally. */
export const IS_LIVE = "alert.state IN ('open', 'acknowledged')";
export const IS_OPEN = `${IS_LIVE} AND alert.state = 'open'`;
/** Everyone is reminded of it, not only the person it is reassigned to. */
export const IS_FOR_ALL = `${IS_OPEN} AND alert.assigned_until IS NULL`;

export interface Reached {
  readonly slug: string;
  readonly name: string;
}

export function shownAlert(row: AlertRow, reached: readonly Reached[], { wallMs, steadyMs }: Moment): Alert {
  /** Returns a queue time in readable form. */
  const shownMs = (queueMs: number) => toTimestamp(wallMs + queueMs - steadyMs);
  const names = {
    acknowledged_by: row.acknowledgedBy,
    snoozed_by: row.snoozedUntilMs === null ? null : row.snoozedBy,
    ended_by: row.endedBy,
    reopened_by: row.reopenedBy,
    assigned_to: row.assignedTo,
    assigned_by: row.assignedBy,
  };
  return {
    id: publicIdOf(row.uuid),
    workspace: row.workspace,
    channel: row.channel,
    channel_name: row.channelName,
    state: row.state,
    title: row.title,
    level: row.level,
    newest_event: publicIdOf(row.newestUuid),
    opened_at: toTimestamp(row.openedAtMs),
    stops_at: row.state === 'open' ? shownMs(row.stopsAtMs) : null,
    reminders: row.reminders,
    reminded_at: toTimestampOrNull(row.remindedAtMs),
    escalated_to: reached.map(({ slug }) => slug),
    escalated_to_names: reached.map(({ name }) => name),
    next_escalation: nextOf(row, shownMs),
    ...names,
    person_ids: personIdsOf(names, row),
    acknowledged_at: toTimestampOrNull(row.acknowledgedAtMs),
    snoozed_until: row.snoozedUntilMs === null ? null : shownMs(row.snoozedUntilMs),
    ended_at: toTimestampOrNull(row.endedAtMs),
    ended_by: row.endedBy ?? row.endedKind,
    reopened_at: toTimestampOrNull(row.reopenedAtMs),
    assigned_at: toTimestampOrNull(row.assignedAtMs),
    assigned_until: row.state !== 'open' || row.assignedUntilMs === null ? null : shownMs(row.assignedUntilMs),
  };
}

type Names = Pick<Alert, keyof Alert['person_ids']>;

/** Returns the ids of the people that an alert names: names may repeat. */
function personIdsOf(names: Names, row: AlertRow): Alert['person_ids'] {
  const { holder, snoozer, ender, reopener, assignee, assigner } = row;
  const actors = {
    acknowledged_by: holder,
    snoozed_by: snoozer,
    ended_by: ender,
    reopened_by: reopener,
    assigned_to: assignee,
    assigned_by: assigner,
  };
  return Object.fromEntries(
    (Object.keys(actors) as (keyof Names)[]).flatMap((field) => {
      const id = names[field] === null ? null : personIdOfActor(actors[field]);
      return id === null ? [] : [[field, id]];
    }),
  );
}

/** Leaves out a reminder after the alert's expiry. */
function nextOf(row: AlertRow, shown: (queueMs: number) => string): Alert['next_escalation'] {
  const { state, stopsAtMs, escalateAtMs, escalateTo, escalateToName } = row;
  if (state !== 'open' || escalateAtMs === null || escalateTo === null || escalateAtMs >= stopsAtMs) return null;
  return { at: shown(escalateAtMs), channel: escalateTo, channel_name: escalateToName ?? escalateTo };
}

/** Returns a person as in `alert.acted_by`. */
export function personActor(id: number): string {
  return `person ${id}`;
}

/** Returns the acting person's public id; null: not a person. */
function personIdOfActor(actor: string | null): string | null {
  const [kind, id] = actor?.split(' ') ?? [];
  return kind === 'person' ? personIdOf(Number(id)) : null;
}
