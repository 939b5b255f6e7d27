import { stringify, v7 } from 'uuid';
import { storedLoudness } from '../../../contract/loudness.ts';
import type { Moment } from '../../../process/clock.ts';
import { type Level, ROUTES } from '../../../push.ts';
import { MOST_COUNTED } from '../../calls/alerts.ts';
import { ID_LIST, idList, indexRange, type Sql } from '../../sql.ts';
import { OWN_DEVICES, type OwnDevice } from '../events/left-out.ts';
import { UNFINISHED } from '../events/states.ts';
import type { EngineDeps, OwnEvent } from '../handler.ts';
import { type AlertRow, IS_OPEN, MARKS, REMINDERS, STATE } from './alert-rows.ts';
import { IS_OF_BUNDLE } from './bundles.ts';
import type { StoredAlertPush } from './push.ts';

/** An alert with its newest event's text. */
export interface NotifiedAlert
  extends Pick<
    AlertRow,
    'id' | 'uuid' | 'workspaceId' | 'channelId' | 'channel' | 'state' | 'reminders' | 'newestUuid' | 'title' | 'level'
  > {
  readonly collapseKey: string | null;
  readonly description: string | null;
  readonly eventType: string | null;
  readonly occurredAtMs: number | null;
  readonly oneText: 1 | null;
  readonly receivedAtMs: number;
}

/** Join; filter behind it. Excludes deleted channels' and workspaces' rows. */
export const NOTIFIED = `
  SELECT alert.event_id AS id, opening.uuid, alert.workspace_id AS "workspaceId", alert.channel_id AS "channelId",
    channel.slug AS channel, ${STATE} AS state, ${REMINDERS} AS reminders, alert.collapse_key AS "collapseKey", newest.uuid AS "newestUuid",
    newest.title, newest.description, newest.level, newest.event_type AS "eventType", newest.occurred_at AS "occurredAtMs", newest.one_text AS "oneText",
    newest.received_at AS "receivedAtMs"
  FROM alert
  ${MARKS}
  JOIN event AS opening ON opening.id = alert.event_id
  JOIN event AS newest ON newest.id = alert.newest_event_id
  JOIN channel ON channel.id = alert.channel_id
  JOIN workspace ON workspace.id = alert.workspace_id
`;

/** Other active channels reached. */
const REACHED = `
  SELECT channel.id FROM escalation JOIN channel ON channel.id = escalation.channel_id
  WHERE escalation.event_id = :id AND channel.status = 'active' ORDER BY place`;

/** The newest push to :target for the bundle of :channelId, whose alerts come there too. */
const LAST_BUNDLE = `
  SELECT kind, alert_id AS "alertId", level FROM event
  WHERE channel_id = CAST(:target AS BIGINT) AND ${IS_OF_BUNDLE}
    AND EXISTS (SELECT 1 FROM alert WHERE alert.event_id = event.alert_id AND alert.channel_id = CAST(:channelId AS BIGINT))
  ORDER BY id DESC LIMIT 1`;

/** A channel's alerts, and a channel showing them: their own or one reached later. */
export interface Target {
  readonly channelId: number;
  readonly target: number;
}

interface LastBundle {
  readonly kind: string;
  readonly alertId: number;
  readonly level: Level;
}

/** Withdraws waiting notices, which would replace a newer reminder. */
const TAKE_BACK = `
  UPDATE event SET cancelled_at = :wallMs, expires_at = 0
  WHERE id IN (SELECT id FROM event WHERE alert_id IN ${ID_LIST} AND kind = 'notice' AND cancelled_at IS NULL AND ${UNFINISHED})`;

/** Fields absent from events of several alerts, or none. */
const OF_NO_ONE_ALERT = { eventType: null, collapseKey: null, occurredAtMs: null, oneText: null } as const;

const IT_IS_OVER = 'It is over.';

/** Titles in a bundle. */
export const NAMED = 3;

/** Rows of a posted event: itself, and a fan-out per route. */
export const ROWS_OF_EVENT = 1 + ROUTES.length;

export interface OpenAlerts {
  readonly count: number;
  /** Newest first. */
  readonly newest: readonly NotifiedAlert[];
  /** The alerts' highest level: a bundle reaches everyone whom one of them reaches. */
  readonly level: Level;
}

export interface ReminderManner {
  /** The person who gets no reminder. */
  readonly notFor?: number | null;
  readonly isAfterMaintenance?: boolean;
  /** The only person for whom it rings, or who alone gets it; absent: everyone. */
  readonly onCall?: number;
  readonly onlyFor?: number;
  readonly manner?: Pick<StoredAlertPush, 'onCall' | 'isUnreachable'>;
}

export interface Notifying {
  /** Reminds of open alerts for `lifeS` seconds. Without any, only says that a shown bundle ended. */
  remind(at: Target, open: OpenAlerts, lifeS: number, now: Moment, how: ReminderManner): Promise<void>;
  /**
   * Posts a quiet notice in the alert's place to all channels that were notified of it. With a `count` above 1, the
   * notice takes the place of the bundle. Returns how many events it posted.
   */
  notice(alert: NotifiedAlert, text: string, count: number, now: Moment): Promise<number>;
  /** Posts a notice to all its channels, except to one person. */
  noticeWithout(alert: NotifiedAlert, text: string, personId: number, now: Moment): Promise<void>;
  /** Reminds one person on their devices in its channel. */
  assign(alert: NotifiedAlert, text: string, personId: number, lifeS: number, now: Moment): Promise<void>;
  /** Withdraws waiting notices of up to 100 alerts. */
  takeBack(ids: readonly number[], now: Moment): Promise<void>;
  /** Posts to its own channel only, if no event of its sender ended the alert. */
  noticeInOwn(alert: NotifiedAlert, now: Moment): Promise<void>;
  /** Notifies the other channels reached. Returns how many. */
  noticeElsewhere(alert: NotifiedAlert, now: Moment): Promise<number>;
  /** Tells channels showing a bundle with the alert that none is open. Returns how many events it posted. */
  endBundles(alert: NotifiedAlert, now: Moment): Promise<number>;
}

export function notifying(sql: Sql, engine: Pick<EngineDeps, 'postOwn'>): Notifying {
  const reached = sql.values<{ id: number }, number>(REACHED);
  const lastBundle = sql.get<Target, LastBundle>(LAST_BUNDLE);
  const takeBack = sql.run<object>(TAKE_BACK);
  const isAnyOpen = sql.value<{ channelId: number }, 1>(`
    SELECT 1 FROM alert WHERE ${IS_OPEN} AND ${indexRange('alert', ['channel_id', 'event_id'], ':channelId')}
    ORDER BY channel_id, event_id LIMIT 1
  `);
  const devicesOf = sql.all<{ channelId: number; personId: number }, OwnDevice>(OWN_DEVICES);
  const notified = sql.get<{ id: number }, NotifiedAlert>(`${NOTIFIED} WHERE alert.event_id = CAST(:id AS BIGINT)`);

  async function postOwn(event: Omit<OwnEvent, 'quiet'>, now: Moment): Promise<void> {
    const kind = event.onlyOn === undefined ? event.kind : 'assignment';
    const quiet = storedLoudness({ ...event, kind, alert: null, nowMs: now.wallMs });
    await engine.postOwn({ ...event, quiet }, now);
  }

  /** Undefined: none is shown. */
  async function shownBundle(at: Target): Promise<LastBundle | undefined> {
    const last = await lastBundle(at);
    return last?.kind === 'reminder' ? last : undefined;
  }

  async function noticeTo(
    target: number,
    alert: NotifiedAlert,
    text: string,
    count: number,
    now: Moment,
    notFor: number | null = null,
  ) {
    const { channelId } = alert;
    const level = (count > 1 ? (await shownBundle({ channelId, target }))?.level : undefined) ?? alert.level;
    await postOwn(
      {
        ...eventOf(alert, now),
        channelId: target,
        kind: 'notice',
        level,
        ...(count > 1 && { ...OF_NO_ONE_ALERT, title: `${inWords(count)} alerts` }),
        description: text,
        urgency: 'standard',
        expiresInS: null,
        alert: pushOf(alert, count > 1 ? { open: count } : {}),
        ...(notFor !== null && { notFor }),
      },
      now,
    );
  }

  async function noticeElsewhere(alert: NotifiedAlert, text: string, now: Moment, count = 1): Promise<number> {
    const targets = await reached(alert);
    for (const target of targets) await noticeTo(target, alert, text, count, now);
    return targets.length;
  }

  /** Updates a shown bundle's number of open alerts. Returns how many events it posted. */
  async function endBundle(at: Target, open: number, now: Moment): Promise<number> {
    const bundle = await shownBundle(at);
    if (bundle === undefined) return 0;
    const alert = await notified({ id: bundle.alertId });
    if (alert === undefined) return 0;
    const title = open === 0 ? 'No open alerts' : '1 open alert';
    await postOwn(
      {
        ...eventOf(alert, now),
        ...OF_NO_ONE_ALERT,
        channelId: at.target,
        kind: 'notice',
        level: bundle.level,
        expiresInS: null,
        title,
        description: null,
        urgency: 'standard',
        alert: pushOf(alert, { open }),
      },
      now,
    );
    return 1;
  }

  return {
    async remind(at, { count, newest, level }, lifeS, now, how) {
      const { notFor = null, isAfterMaintenance = false, manner, onlyFor, onCall } = how;
      const [first] = newest;
      const isBundle = count > 1;
      if (!isBundle) await endBundle(at, count, now);
      if (first === undefined || (notFor !== null && notFor === onlyFor)) return;
      await postOwn(
        {
          ...eventOf(first, now),
          channelId: at.target,
          kind: 'reminder',
          ...(isBundle && { ...OF_NO_ONE_ALERT, title: `${inWords(count)} open alerts`, level }),
          ...((isBundle || isAfterMaintenance) && { description: titlesOf(newest) }),
          ...(isAfterMaintenance && {
            title: `Maintenance over: ${inWords(count)} ${isBundle ? 'alerts' : 'alert'} open`,
          }),
          urgency: 'time_sensitive',
          expiresInS: lifeS,
          alert: pushOf(first, { ...(isBundle && { open: count }), ...manner }),
          ...(notFor !== null && { notFor }),
          ...(onCall !== undefined && { onCall }),
          ...(onlyFor !== undefined && { onlyOn: await devicesOf({ channelId: at.target, personId: onlyFor }) }),
        },
        now,
      );
    },

    async notice(alert, text, count, now) {
      await noticeTo(alert.channelId, alert, text, count, now);
      return 1 + (await noticeElsewhere(alert, text, now, count));
    },

    async noticeWithout(alert, text, personId, now) {
      for (const target of [alert.channelId, ...(await reached(alert))])
        await noticeTo(target, alert, text, 1, now, personId);
    },

    async assign(alert, text, personId, lifeS, now) {
      await postOwn(
        {
          ...eventOf(alert, now),
          channelId: alert.channelId,
          kind: 'reminder',
          description: alert.description === null ? text : `${text}\n${alert.description}`,
          urgency: 'time_sensitive',
          expiresInS: lifeS,
          alert: pushOf(alert, {}),
          onlyOn: await devicesOf({ channelId: alert.channelId, personId }),
        },
        now,
      );
    },

    async takeBack(ids, { wallMs }) {
      await takeBack({ ...idList(ids), wallMs });
    },

    noticeInOwn: (alert, now) => noticeTo(alert.channelId, alert, IT_IS_OVER, 1, now),
    noticeElsewhere: (alert, now) => noticeElsewhere(alert, IT_IS_OVER, now),

    async endBundles(alert, now) {
      const { channelId } = alert;
      if ((await isAnyOpen({ channelId })) !== undefined) return 0;
      let posted = 0;
      for (const target of [channelId, ...(await reached(alert))])
        posted += await endBundle({ channelId, target }, 0, now);
      return posted;
    },
  };
}

function titlesOf(newest: readonly NotifiedAlert[]): string {
  return newest
    .slice(0, NAMED)
    .map(({ title }) => title)
    .join('\n');
}

/** More than these are not counted. */
function inWords(count: number): string {
  return count < MOST_COUNTED ? String(count) : `${count}+`;
}

function eventOf(alert: NotifiedAlert, { wallMs }: Moment) {
  const { id, workspaceId, title, description, level, eventType, occurredAtMs, collapseKey, oneText } = alert;
  const text = { title, description, level, eventType, occurredAtMs, collapseKey, oneText };
  return { uuid: v7({ msecs: wallMs }), workspaceId, alertId: id, ...text };
}

function pushOf(alert: NotifiedAlert, rest: Pick<StoredAlertPush, 'open' | 'onCall' | 'isUnreachable'>): string {
  const push: StoredAlertPush = {
    alert: hex(alert.uuid),
    state: alert.state,
    reminder: alert.reminders,
    event: hex(alert.newestUuid),
    receivedAtMs: alert.receivedAtMs,
    channel: alert.channel,
    ...rest,
  };
  return JSON.stringify(push);
}

function hex(uuid: Uint8Array): string {
  return stringify(uuid).replaceAll('-', '');
}
