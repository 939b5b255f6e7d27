import { personIdOf, uuidBytesOf } from '../../../contract/public-id.ts';
import { LEVELS, type Level } from '../../../push.ts';
import { toTimestamp } from '../../../values/timestamp.ts';
import type { Notified } from '../../calls/events.ts';
import { isRefusal } from '../../calls.ts';
import { noEvent } from '../../refusals.ts';
import { ID_LIST, idList, type Sql } from '../../sql.ts';
import { alertFinder } from '../alerts/finding.ts';
import { shownName } from '../alerts/shown-name.ts';
import type { SomeHandlers } from '../handler.ts';
import { lookups } from '../lookups.ts';
import { shownOnCall } from '../on-call/event-on-call.ts';
import { IS_VOUCHED, sessionOf, VOUCHED_TO } from '../people/vouchers.ts';
import { eventPages } from './event-pages.ts';
import {
  type EventLists,
  type EventRow,
  type EventTextRow,
  type HeardChannel,
  ownDeliveries,
  type ReadMark,
} from './event-rows.ts';
import { EVENT_TEXTS, eventText } from './events.ts';
import { HAS_COME, IS_THERE, stateOfEvents } from './states.ts';

export function inbox(sql: Sql, lists: EventLists) {
  const ofMember = sql.get<{ userId: number; uuid: Uint8Array | null; session: Buffer }, EventTextRow>(`
    ${EVENT_TEXTS} JOIN member ON member.workspace_id = event.workspace_id AND member.user_id = :userId
    WHERE event.uuid = :uuid AND ${IS_THERE} AND ${IS_VOUCHED}
      AND (${HAS_COME} OR (member.role <> 'member' AND ${VOUCHED_TO} > 0))
  `);
  const apartAmong = sql.values<object, number>(
    `SELECT event_id FROM read_apart WHERE user_id = CAST(:userId AS BIGINT) AND event_id IN ${ID_LIST}`,
  );
  const find = lookups(sql);
  const heardBy = heardChannels(sql);
  const pageOf = eventPages(sql, lists);
  const alerts = alertFinder(sql);
  const notified = reachedMembers(sql);
  const ownDevices = ownDeliveries(sql);
  const stateOf = stateOfEvents(sql);

  /** Asks only if events are read or unread apart. */
  async function unreadAmong(userId: number, rows: readonly EventRow[], heard: readonly HeardChannel[]) {
    const channels = new Map(heard.map((channel) => [`${channel.workspace}/${channel.slug}`, channel.marks]));
    const marked = rows.map((row) => {
      const marks = channels.get(`${row.workspace}/${row.channel}`) ?? [];
      return { id: row.id, mark: marks.find(({ level }) => level === null || level === row.level) };
    });
    const withApart = marked.filter(({ mark }) => mark !== undefined && mark.level !== null).map(({ id }) => id);
    const apart = new Set(withApart.length === 0 ? [] : await apartAmong({ userId, ...idList(withApart) }));
    return new Set(marked.filter(({ id, mark }) => id > (mark?.upTo ?? id) !== apart.has(id)).map(({ id }) => id));
  }

  return {
    async listInbox({ userId, workspace: slug, channel, unread: isUnreadOnly = false, ...filter }, _, actor) {
      const workspace = slug === undefined ? null : await find.workspaceOf(userId, slug, actor);
      if (isRefusal(workspace)) return workspace;
      const heard = await heardBy({ userId, session: sessionOf(actor) });
      const wanted = heard.filter(
        (heardChannel) =>
          (slug === undefined || heardChannel.workspace === slug) &&
          (channel === undefined || heardChannel.slug === channel),
      );
      const source = isUnreadOnly
        ? { unreadOf: userId, marks: wanted.flatMap(({ marks }) => ofLevel(marks, filter.level)) }
        : { channelIds: wanted.map(({ id }) => id) };
      const page = await pageOf(source, filter);
      if (isRefusal(page)) return page;
      const unread = await unreadAmong(userId, page.rows, wanted);
      const alertOf = await alerts.amongEvents(page.rows);
      const events = page.rows.map((row) => ({
        ...eventText(row, userId),
        unread: unread.has(row.id),
        alert: alertOf.get(row.alertId ?? 0) ?? null,
      }));
      return { events, unread: await lists.unread(userId, heard), ...page.place };
    },

    async readInboxEvent({ userId, publicId }, now, actor) {
      const row = await ofMember({ userId, uuid: uuidBytesOf(publicId), session: sessionOf(actor) });
      if (row === undefined) return noEvent(publicId);
      const alert = await alerts.ofEvent(row, now);
      return {
        event: eventText(row, userId),
        ...(await stateOf(row)),
        on_call: shownOnCall(row),
        alert,
        notified: await notified(row),
        own_devices: await ownDevices(row.id, userId),
      };
    },
  } satisfies SomeHandlers;
}

/** Returns the marks, of one level if asked. */
function ofLevel(marks: readonly ReadMark[], wanted: Level | undefined): readonly ReadMark[] {
  if (wanted === undefined) return marks;
  return marks.filter(({ level }) => level === null || level === wanted).map((mark) => ({ ...mark, level: wanted }));
}

/** A channel's row, or one per mark if it has marks. */
interface Row {
  readonly id: number;
  readonly slug: string;
  readonly workspace: string;
  readonly readUpTo: number;
  readonly level: Level | null;
  readonly upTo: number | null;
  readonly hasApart: boolean | 0 | 1;
}

const HEARD = `
  SELECT channel.id, channel.slug, workspace.slug AS workspace, member.read_up_to AS "readUpTo",
    read_mark.level, read_mark.up_to AS "upTo",
    EXISTS (SELECT 1 FROM read_apart WHERE user_id = member.user_id AND channel_id = channel.id) AS "hasApart"
  FROM member
  JOIN workspace ON workspace.id = member.workspace_id
  JOIN channel ON channel.workspace_id = member.workspace_id
  LEFT JOIN read_mark ON read_mark.user_id = member.user_id AND read_mark.channel_id = channel.id
    AND read_mark.up_to > member.read_up_to
  WHERE member.user_id = CAST(:userId AS BIGINT) AND ${IS_VOUCHED}
    AND EXISTS (SELECT 1 FROM subscription WHERE user_id = member.user_id AND channel_id = channel.id)`;

/** Returns a person's subscribed channels, and how far they are read. */
function heardChannels(sql: Sql) {
  const readRows = sql.all<{ userId: number; session: Buffer }, Row>(HEARD);

  return async (asker: { userId: number; session: Buffer }): Promise<readonly HeardChannel[]> => {
    const rowsOf = new Map<number, Row[]>();
    for (const row of await readRows(asker)) rowsOf.set(row.id, [...(rowsOf.get(row.id) ?? []), row]);
    return [...rowsOf.values()].map((rows) => {
      const { id, slug, workspace } = rows[0] as Row;
      return { id, slug, workspace, marks: marksOf(rows) };
    });
  };
}

function marksOf(rows: readonly Row[]): readonly ReadMark[] {
  const { id: channelId, readUpTo, level: first, hasApart } = rows[0] as Row;
  if (first === null && !hasApart) return [{ channelId, level: null, upTo: readUpTo }];
  const upTo = new Map(rows.map((row) => [row.level, row.upTo]));
  return LEVELS.map((level) => ({ channelId, level, upTo: upTo.get(level) ?? readUpTo }));
}

const MOST = 100;
/** Most deliveries examined, for any number of devices. */
const MOST_DELIVERIES = 2000;

/**
 * The alert's event, and channels' latest reminders. A reminder covers all of its channel's open alerts; one caused by
 * escalations belongs to an escalated alert.
 */
const LATEST_PUSHES = `
  SELECT alert.newest_event_id FROM alert WHERE alert.event_id = CAST(:alertId AS BIGINT)
  UNION
  SELECT max(reminder.id) FROM alert
  JOIN event AS reminder ON reminder.kind = 'reminder' AND reminder.id > alert.event_id
    AND reminder.received_at <= coalesce(alert.acknowledged_at, alert.ended_at, reminder.received_at)
    AND (reminder.channel_id = alert.channel_id OR reminder.channel_id IN (
      SELECT channel_id FROM escalation WHERE escalation.event_id = alert.event_id
    ))
  JOIN alert AS origin ON origin.event_id = reminder.alert_id AND origin.channel_id = alert.channel_id
  WHERE alert.event_id = CAST(:alertId AS BIGINT) GROUP BY reminder.channel_id`;

const REACHED = `
  SELECT person.id, person.name, person.email, max(at) AS "atMs" FROM (
    SELECT device_id, workspace_id, at FROM delivery
    WHERE event_id IN (${LATEST_PUSHES}) AND state = 'accepted' LIMIT ${MOST_DELIVERIES}
  ) AS accepted
  JOIN device ON device.id = device_id
  JOIN member ON member.user_id = device.user_id AND member.workspace_id = accepted.workspace_id
  JOIN person ON person.id = member.user_id
  GROUP BY person.id, person.name, person.email ORDER BY max(at) DESC, person.id LIMIT ${MOST}`;

interface ReachedRow {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly atMs: number;
}

/** Returns the members whose devices an alert reached (accepted pushes), and when last. */
function reachedMembers(sql: Sql): (event: { readonly alertId: number | null }) => Promise<readonly Notified[]> {
  const reached = sql.all<{ alertId: number }, ReachedRow>(REACHED);

  return async ({ alertId }) => {
    if (alertId === null) return [];
    return (await reached({ alertId })).map(({ atMs, ...person }) => ({
      id: personIdOf(person.id),
      name: shownName(person),
      at: toTimestamp(atMs),
    }));
  };
}
