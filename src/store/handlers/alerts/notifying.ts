import { stringify, v7 } from 'uuid';
import type { Moment } from '../../../clock.ts';
import type { AlertState, Level } from '../../../push.ts';
import type { Sql } from '../../sql.ts';
import type { EngineDeps } from '../handler.ts';
import type { StoredAlertPush } from './push.ts';

/** An alert with the text of its newest event. */
export interface NotifiedAlert {
  readonly id: number;
  readonly uuid: Uint8Array;
  readonly workspaceId: number;
  readonly channelId: number;
  /** Slug. */
  readonly channel: string;
  readonly state: AlertState;
  readonly reminders: number;
  readonly collapseKey: string | null;
  readonly newestUuid: Uint8Array;
  readonly title: string;
  readonly description: string | null;
  readonly level: Level;
  readonly eventType: string | null;
  readonly occurredAtMs: number | null;
  readonly receivedAtMs: number;
}

/** Join and filter behind it. */
export const NOTIFIED = `
  SELECT alert.event_id AS id, opening.uuid, alert.workspace_id AS "workspaceId", alert.channel_id AS "channelId",
    channel.slug AS channel, alert.state, alert.reminders, alert.collapse_key AS "collapseKey", newest.uuid AS "newestUuid",
    newest.title, newest.description, newest.level, newest.event_type AS "eventType", newest.occurred_at AS "occurredAtMs",
    newest.received_at AS "receivedAtMs"
  FROM alert
  JOIN event AS opening ON opening.id = alert.event_id
  JOIN event AS newest ON newest.id = alert.newest_event_id
  JOIN channel ON channel.id = alert.channel_id
`;

/** Active channels that an alert has reached beside its own. */
const REACHED = `
  SELECT channel.id FROM escalation JOIN channel ON channel.id = escalation.channel_id
  WHERE escalation.event_id = :id AND channel.status = 'active' ORDER BY place`;

/** The newest that was sent in the place of the channel's bundle. */
const LAST_BUNDLE = `
  SELECT kind, alert_id AS "alertId", level FROM event
  WHERE channel_id = CAST(:channelId AS BIGINT) AND kind IN ('reminder', 'notice') AND alert LIKE '%"open":%' ORDER BY id DESC LIMIT 1`;

interface LastBundle {
  readonly kind: string;
  readonly alertId: number;
  readonly level: Level;
}

const IT_IS_OVER = 'It is over.';

/** Titles in a bundle. */
export const NAMED = 3;

/** The open alerts that a reminder is of. */
export interface OpenAlerts {
  readonly count: number;
  /** The newest of them, with the newest first. */
  readonly newest: readonly NotifiedAlert[];
  /** The highest of them all: a bundle has it, so that it comes wherever one of its alerts does. */
  readonly level: Level;
}

export interface Notifying {
  /** Lives for `lifeS`. */
  remind(channelId: number, open: OpenAlerts, lifeS: number, now: Moment): Promise<void>;
  /** Quietly, in the alert's place, to all channels that were notified of it. With `count` in that of the bundle. */
  notice(alert: NotifiedAlert, text: string, count: number, now: Moment): Promise<void>;
  /** Where a bundle of the channel is shown still: how many alerts are open now. */
  endBundle(channelId: number, open: number, now: Moment): Promise<void>;
  /** To its own channel alone, where no event of its sender says that it is over. */
  noticeInOwn(alert: NotifiedAlert, now: Moment): Promise<void>;
  /** To the channels alone that it has reached beside its own. */
  noticeElsewhere(alert: NotifiedAlert, now: Moment): Promise<void>;
}

export function notifying(sql: Sql, { postOwn }: Pick<EngineDeps, 'postOwn'>): Notifying {
  const reached = sql.values<{ id: number }, number>(REACHED);
  const lastBundle = sql.get<{ channelId: number }, LastBundle>(LAST_BUNDLE);
  const notified = sql.get<{ id: number }, NotifiedAlert>(`${NOTIFIED} WHERE alert.event_id = CAST(:id AS BIGINT)`);

  /** Undefined: none is shown any more. */
  async function shownBundle(channelId: number): Promise<LastBundle | undefined> {
    const last = await lastBundle({ channelId });
    return last?.kind === 'reminder' ? last : undefined;
  }

  async function noticeTo(channelId: number, alert: NotifiedAlert, text: string, count: number, now: Moment) {
    const level = (count > 1 ? (await shownBundle(channelId))?.level : undefined) ?? alert.level;
    await postOwn(
      {
        ...eventOf(alert, now),
        channelId,
        kind: 'notice',
        level,
        ...(count > 1 && { title: `${count} alerts`, eventType: null, collapseKey: null, occurredAtMs: null }),
        description: text,
        urgency: 'standard',
        expiresInS: null,
        alert: pushOf(alert, { quiet: true, ...(count > 1 && { open: count }) }),
      },
      now,
    );
  }

  async function noticeElsewhere(alert: NotifiedAlert, text: string, now: Moment, count = 1): Promise<void> {
    for (const channelId of await reached(alert)) await noticeTo(channelId, alert, text, count, now);
  }

  return {
    async remind(channelId, { count, newest, level }, lifeS, now) {
      const [first] = newest;
      if (first === undefined) return;
      const isBundle = count > 1;
      await postOwn(
        {
          ...eventOf(first, now),
          channelId,
          kind: 'reminder',
          ...(isBundle && {
            title: `${count} open alerts`,
            level,
            description: newest
              .slice(0, NAMED)
              .map(({ title }) => title)
              .join('\n'),
            eventType: null,
            collapseKey: null,
            occurredAtMs: null,
          }),
          urgency: 'time_sensitive',
          expiresInS: lifeS,
          alert: pushOf(first, { quiet: false, ...(isBundle && { open: count }) }),
        },
        now,
      );
    },

    async notice(alert, text, count, now) {
      await noticeTo(alert.channelId, alert, text, count, now);
      await noticeElsewhere(alert, text, now, count);
    },

    async endBundle(channelId, open, now) {
      const bundle = await shownBundle(channelId);
      if (bundle === undefined) return;
      const alert = await notified({ id: bundle.alertId });
      if (alert === undefined) return;
      const title = open === 0 ? 'No open alerts' : '1 open alert';
      const push = pushOf(alert, { quiet: true, open });
      const ofNone = { eventType: null, collapseKey: null, occurredAtMs: null, expiresInS: null };
      await postOwn(
        {
          ...eventOf(alert, now),
          ...ofNone,
          channelId,
          kind: 'notice',
          level: bundle.level,
          title,
          description: null,
          urgency: 'standard',
          alert: push,
        },
        now,
      );
    },

    noticeInOwn: (alert, now) => noticeTo(alert.channelId, alert, IT_IS_OVER, 1, now),
    noticeElsewhere: (alert, now) => noticeElsewhere(alert, IT_IS_OVER, now),
  };
}

function eventOf(alert: NotifiedAlert, { wallMs }: Moment) {
  const { id, workspaceId, title, description, level, eventType, occurredAtMs, collapseKey } = alert;
  const text = { title, description, level, eventType, occurredAtMs, collapseKey };
  return { uuid: v7({ msecs: wallMs }), workspaceId, alertId: id, ...text };
}

function pushOf(alert: NotifiedAlert, rest: { readonly quiet: boolean; readonly open?: number }): string {
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
