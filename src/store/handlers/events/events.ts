import { stringify } from 'uuid';
import { publicIdOf, type Uuid, uuidBytesOf } from '../../../contract/public-id.ts';
import type { Moment } from '../../../process/clock.ts';
import { type DeliveryState, type EventRecord, platformOf, type Route } from '../../../push.ts';
import { toTimestamp, toTimestampOrNull } from '../../../values/timestamp.ts';
import {
  type DeadLetter,
  type DeliveryCounts,
  type DeliveryLine,
  type EventText,
  isRefusal,
  type LivePauses,
  type Reach,
} from '../../calls.ts';
import { SELECT_KEPT, shownFields } from '../../event-columns.ts';
import { badCursor, noEvent } from '../../refusals.ts';
import { ifGiven, ROUTES_IN_SQL, type Sql } from '../../sql.ts';
import { alertFinder } from '../alerts/finding.ts';
import type { SomeHandlers } from '../handler.ts';
import { isInReach } from '../keys/bindings.ts';
import { lookups } from '../lookups.ts';
import { quietFor, RUNG_FIELDS, type RungEvent, shownOnCall } from '../on-call/event-on-call.ts';
import {
  type EventCountsRow,
  type EventRecordRow,
  type EventTextRow,
  REPORTED,
  REPORTED_TIMES,
  type ReportedRow,
  reportedTimes,
} from './event-rows.ts';
import { pushResults, type ResultSettings } from './push-results.ts';
import { neverTried } from './recorded-results.ts';
import { IS_THERE, STATE_FIELDS, type StateRow, shownState, stateOfEvents } from './states.ts';

const EVENT_RECORD_FIELDS =
  'event.id, event.uuid, event.level, event.event_type AS "eventType", event.targeted, event.announced, received_at';

/** Null: no device is asked to report. */
const reportsAs = (column: 'shown' | 'opened') =>
  `CASE WHEN event.alert_id IS NOT NULL OR event.channel_id IS NULL THEN CAST(${column} AS BIGINT) END AS ${column}`;

const COUNTS_FIELDS = `
  accepted, failed, unregistered, expired, withdrawn, fitted, first_accepted_at, last_accepted_at,
  ${reportsAs('shown')}, ${reportsAs('opened')}`;

/** Texts with counts; join and filter behind it, and check `IS_THERE`. */
export const EVENT_TEXTS = `
  SELECT event.id, event.uuid, event.targeted, event.announced, received_at, ${COUNTS_FIELDS}, workspace.slug AS workspace,
    channel.slug AS channel, channel.name AS "channelName", event.alert_id AS "alertId", ${RUNG_FIELDS}, ${SELECT_KEPT}
  FROM event
  JOIN workspace ON workspace.id = event.workspace_id
  LEFT JOIN channel ON channel.id = event.channel_id
`;

/** Reads one event of a page. Without the CAST, SQLite recompiles this for each event. */
export const EVENT_BY_ID = `${EVENT_TEXTS} WHERE event.id = CAST(:id AS BIGINT)`;

/** Condition: a key reaches the event (`Reach`). */
const IS_REACHED = `event.workspace_id = :workspaceId AND ${isInReach('event.channel_id')}`;

/** A thousand represent many deferred pushes well enough. */
const WAITING_ROUTES = `
  SELECT route FROM fan_out
  WHERE route IN (${ROUTES_IN_SQL}) AND lane IN ('urgent', 'standard')
    AND (workspace_id, event_id) = (SELECT workspace_id, id FROM event WHERE id = :id)
  UNION
  SELECT route FROM (SELECT route FROM delivery WHERE event_id = :id AND state = 'pending' LIMIT 1000) AS deferred
  ORDER BY route`;

type ReachedRow = StateRow & Pick<EventTextRow, 'alertId' | 'sendAtMs'> & RungEvent;

interface DeliveryRow extends ReportedRow {
  readonly device_id: number;
  /** null: the device is gone. */
  readonly public_id: string | null;
  /** Also null if its person left: the device may be another's. */
  readonly device: string | null;
  readonly member: string | null;
  readonly userId: number | null;
  readonly route: Route;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly reason: string | null;
  readonly at: number;
  readonly kept_s: number | null;
}
interface DeadLetterRow {
  readonly route: Route;
  readonly at: number;
  readonly reason: string;
}
interface AttemptRow {
  readonly at: number;
  readonly reason: string;
}

export function events(sql: Sql, settings: ResultSettings) {
  const byUuid = sql.get<Reach & { uuid: Uint8Array | null }, EventRecordRow & EventCountsRow & ReachedRow>(
    `SELECT ${EVENT_RECORD_FIELDS}, ${COUNTS_FIELDS}, alert_id AS "alertId", send_at AS "sendAtMs", ${RUNG_FIELDS}, ${STATE_FIELDS} FROM event WHERE uuid = :uuid AND ${IS_REACHED} AND ${IS_THERE}`,
  );
  const textByUuid = sql.get<{ uuid: Uint8Array | null }, EventTextRow & EventCountsRow>(
    `${EVENT_TEXTS} WHERE event.uuid = :uuid AND ${IS_THERE}`,
  );
  const deliveries = sql.all<
    { eventId: number; afterId: number; state: DeliveryState | null; limit: number },
    DeliveryRow
  >(`
    SELECT delivery.device_id, device.public_id, CASE WHEN person.id IS NOT NULL THEN device.name END AS device,
      person.email AS member, device.user_id AS "userId", delivery.route, state, attempts, reason, at, kept_s, ${REPORTED_TIMES}
    FROM delivery LEFT JOIN device ON device.id = delivery.device_id ${REPORTED}
    LEFT JOIN member ON member.user_id = device.user_id AND member.workspace_id = delivery.workspace_id
    LEFT JOIN person ON person.id = member.user_id
    WHERE delivery.event_id = :eventId AND delivery.device_id > :afterId AND ${ifGiven('state', 'state = :state')}
    ORDER BY delivery.device_id LIMIT :limit
  `);
  const earlierTries = sql.all<{ eventId: number; deviceId: number }, AttemptRow>(
    'SELECT at, reason FROM attempt WHERE event_id = :eventId AND device_id = :deviceId ORDER BY number',
  );
  const stateOf = stateOfEvents(sql);
  const resentOf = sql.get<{ id: number }, { at: number; pushes: number }>(
    'SELECT at, resent AS pushes FROM resend WHERE event_id = :id',
  );
  const aside = sql.all<{ id: number }, DeadLetterRow>(
    'SELECT route, at, reason FROM dead_letter WHERE event_id = :id ORDER BY route',
  );
  const alerts = alertFinder(sql);
  const find = lookups(sql);
  const results = pushResults(sql, settings);
  const countUntried = neverTried(sql, settings);
  const waitingRoutes = sql.values<{ id: number }, Route>(WAITING_ROUTES);

  async function memberResult({ id, workspace }: EventTextRow, email: string, pauses: LivePauses, now: Moment) {
    const found = await find.workspace(workspace);
    if (isRefusal(found)) return found;
    const user = await find.member(found, email);
    if (isRefusal(user)) return user;
    const [result] = await results.ofMember([id], user, found.id, pauses, now);
    if (result === undefined) throw new Error('there is a result for each event');
    return { email: user.email, name: user.name, ...result };
  }

  return {
    async readEvent({ publicId, ...reach }, now) {
      const row = await byUuid({ ...reach, uuid: uuidBytesOf(publicId) });
      if (row === undefined) return null;
      const times = { ...shownState(row), send_at: toTimestampOrNull(row.sendAtMs) };
      const progress = { ...times, quiet: quietFor(row, null), on_call: shownOnCall(row) };
      return { event: eventRecord(row), deliveries: countsOf(row), ...progress, alert: await alerts.ofEvent(row, now) };
    },

    async showEvent({ publicId, workspace, state = null, email, limit, after, pauses = {} }, now) {
      const event = await textByUuid({ uuid: uuidBytesOf(publicId) });
      if (event === undefined || (workspace ?? event.workspace) !== event.workspace) return noEvent(publicId);
      const member = email === undefined ? null : await memberResult(event, email, pauses, now);
      if (member !== null && isRefusal(member)) return member;
      const afterId = Number(after ?? 0);
      if (!Number.isSafeInteger(afterId)) return badCursor('after');
      const rows = await deliveries({ eventId: event.id, afterId, state, limit: limit + 1 });
      const page = rows.slice(0, limit);
      const lines: DeliveryLine[] = [];
      for (const row of page) {
        lines.push(lineOf(row, event, await earlierTries({ eventId: event.id, deviceId: row.device_id })));
      }
      const resent = await resentOf({ id: event.id });
      return {
        event: {
          ...withCounts(event),
          set_aside: (await aside({ id: event.id })).map(deadLetterLine),
          waiting_routes: await waitingRoutes({ id: event.id }),
          never_tried: await countUntried(event.id, pauses, now),
          ...(await stateOf(event)),
          resent: resent === undefined ? null : { at: toTimestamp(resent.at), pushes: resent.pushes },
          on_call: shownOnCall(event),
          alert: await alerts.ofEvent(event, now),
        },
        deliveries: lines,
        member,
        next: rows.length > limit ? String(page.at(-1)?.device_id) : null,
      };
    },
  } satisfies SomeHandlers;
}

/**
 * Returns the specification's record. Immutable after acceptance, except that scheduled events are received when due.
 */
export function eventRecord(row: EventRecordRow): EventRecord {
  return buildEventRecord(stringify(row.uuid), { ...row, targeted: row.announced ?? row.targeted }, row.uuid);
}

/** `bytes`: the UUID's, if they are known. */
export function buildEventRecord(
  uuid: string,
  row: Omit<EventRecordRow, 'id' | 'uuid' | 'announced'>,
  bytes: Uuid = uuid,
): EventRecord {
  return {
    public_id: publicIdOf(bytes),
    event_uuid: uuid,
    status: 'queued',
    level: row.level,
    event_type: row.eventType,
    target_device_count: row.targeted,
    received_at: toTimestamp(row.received_at),
  };
}

/** `userId`: who reads it; null: not a member. */
export function eventText(row: EventTextRow, userId: number | null = null): EventText {
  const { workspace, channel, channelName } = row;
  return {
    ...eventRecord(row),
    workspace,
    channel,
    channel_name: channelName,
    ...shownFields(row),
    quiet: quietFor(row, userId),
  };
}

export function withCounts(row: EventTextRow & EventCountsRow): EventText & { deliveries: DeliveryCounts } {
  return { ...eventText(row), deliveries: countsOf(row) };
}

function deadLetterLine({ route, reason, at }: DeadLetterRow): DeadLetter {
  return { route, reason, at: toTimestamp(at) };
}

function countsOf(row: EventCountsRow & { readonly targeted: number }): DeliveryCounts {
  const { accepted, failed, unregistered, expired, withdrawn, fitted, shown, opened } = row;
  const ended = accepted + failed + unregistered + expired + withdrawn;
  return {
    pending: Math.max(0, row.targeted - ended),
    accepted,
    failed,
    unregistered,
    expired,
    withdrawn,
    fitted,
    shown,
    opened,
    first_accepted_at: toTimestampOrNull(row.first_accepted_at),
    last_accepted_at: toTimestampOrNull(row.last_accepted_at),
  };
}

/** Adds the row's last attempt, if missing. */
function lineOf(row: DeliveryRow, event: RungEvent, earlier: readonly AttemptRow[]): DeliveryLine {
  const at = toTimestamp(row.at);
  const attempts = earlier.map((tried) => ({ at: toTimestamp(tried.at), state: 'deferred', reason: tried.reason }));
  const last = { at, state: row.state === 'pending' ? 'deferred' : row.state, reason: row.reason };
  return {
    device_id: row.public_id,
    device: row.device,
    member: row.member,
    platform: platformOf(row.route),
    state: row.state,
    attempts: row.attempts > earlier.length ? [...attempts, last] : attempts,
    reason: row.reason,
    at,
    kept_s: row.kept_s,
    ...reportedTimes(row),
    quiet: quietFor(event, row.userId),
  };
}
