import type { Moment } from '../../../process/clock.ts';
import type { Route } from '../../../push.ts';
import type { StoreSettings } from '../../settings.ts';
import type { Sql } from '../../sql.ts';
import { UNFINISHED } from '../events/states.ts';

/** While an alert rings for one person alone, their pushes are watched so often. */
const WATCH_MS = 1_000;
/** Channels, and their latest pushes, that are watched. */
const MOST_CHANNELS = 100;
const MOST_EVENTS = 20;

/** Channels in which an alert rings for one person alone. `rota_id > 0` reads the index of channels with a rota. */
const WATCHED = `
  SELECT id FROM channel
  WHERE rota_id > 0 AND (
    EXISTS (
      SELECT 1 FROM alert WHERE alert.channel_id = channel.id AND alert.state = 'open' AND widen_at > CAST(:steadyMs AS BIGINT)
        AND widen_at > coalesce((SELECT wide_to FROM insisting WHERE insisting.channel_id = channel.id), 0)
    )
    OR EXISTS (SELECT 1 FROM escalation WHERE escalation.channel_id = channel.id AND widen_at > CAST(:steadyMs AS BIGINT))
  ) ORDER BY rota_id LIMIT ${MOST_CHANNELS}`;

/** The latest pushes in a channel that ring for one person alone, of alerts that still do. */
const PUSHES = `
  SELECT event.id, alert.channel_id AS "channelId", alert.event_id AS "alertId", event.on_call AS "personId"
  FROM event JOIN alert ON alert.event_id = event.alert_id LEFT JOIN insisting ON insisting.channel_id = alert.channel_id
  WHERE event.id IN (
    SELECT id FROM event WHERE channel_id = CAST(:target AS BIGINT) AND on_call IS NOT NULL ORDER BY channel_id DESC, id DESC LIMIT ${MOST_EVENTS}
  ) AND alert.state = 'open' AND CASE WHEN alert.channel_id = CAST(:target AS BIGINT)
    THEN alert.widen_at > CAST(:steadyMs AS BIGINT) AND alert.widen_at > coalesce(insisting.wide_to, 0)
    ELSE EXISTS (
      SELECT 1 FROM escalation WHERE escalation.event_id = alert.event_id AND escalation.channel_id = CAST(:target AS BIGINT)
        AND escalation.widen_at > CAST(:steadyMs AS BIGINT)
    ) END
  ORDER BY event.id DESC`;

/** Routes on which a push may still ring for its person, or did. */
const HOPES = `
  SELECT CASE delivery.state WHEN 'accepted' THEN 'accepted' ELSE subscription.route END
  FROM event JOIN subscription ON subscription.user_id = event.on_call AND subscription.channel_id = event.channel_id
  LEFT JOIN delivery ON delivery.event_id = event.id AND delivery.device_id = subscription.device_id
  WHERE event.id = CAST(:id AS BIGINT) AND subscription.active = 1 AND CASE
    WHEN delivery.state = 'accepted' THEN 1
    WHEN EXISTS (SELECT 1 FROM route_pause WHERE route_pause.route = subscription.route) THEN 0
    WHEN delivery.state IS NULL THEN CASE WHEN ${UNFINISHED} AND subscription.number <= event.last_subscription THEN 1 ELSE 0 END
    WHEN delivery.state = 'pending' THEN 1 ELSE 0 END = 1`;

const WIDEN = `
  UPDATE insisting SET next_at = CAST(:steadyMs AS BIGINT), wide_to = CASE
    WHEN channel_id = CAST(:target AS BIGINT) THEN CAST(:steadyMs AS BIGINT) + 1000 * (SELECT widen_after FROM channel WHERE channel.id = insisting.channel_id)
    ELSE wide_to END
  WHERE channel_id = CAST(:channelId AS BIGINT)`;
const WIDEN_THERE = `
  UPDATE escalation SET widen_at = CAST(:steadyMs AS BIGINT)
  WHERE event_id = CAST(:alertId AS BIGINT) AND channel_id = CAST(:target AS BIGINT)`;

interface Push {
  readonly id: number;
  /** The alert's own channel. */
  readonly channelId: number;
  readonly alertId: number;
  readonly personId: number;
}

/**
 * Lets alerts ring for everyone at once if no device of the person on call can get them any more. Results of pushes are
 * looked up here, so that sending knows no rotas.
 */
export function earlyWidening(sql: Sql, { routes }: Pick<StoreSettings, 'routes'>) {
  const watched = sql.values<Moment, number>(WATCHED);
  const pushesIn = sql.all<object, Push>(PUSHES);
  const hopesOf = sql.values<{ id: number }, Route | 'accepted'>(HOPES);
  const widen = sql.run<object>(WIDEN);
  const widenThere = sql.run<object>(WIDEN_THERE);

  /** Returns the latest push in a channel that its person cannot get. */
  async function unheardIn(target: number, paused: readonly Route[], now: Moment): Promise<Push | null> {
    for (const push of await pushesIn({ target, ...now })) {
      const hopes = await hopesOf(push);
      if (!hopes.some((hope) => hope === 'accepted' || (routes.includes(hope) && !paused.includes(hope)))) return push;
    }
    return null;
  }

  return {
    /** Returns when the next round is due, or the next look: 0 if an alert is to ring for everyone. */
    async hastened(inMs: number | null, paused: readonly Route[], now: Moment): Promise<number | null> {
      const channels = await watched(now);
      if (channels.length === 0 || inMs === 0) return inMs;
      for (const target of channels) if ((await unheardIn(target, paused, now)) !== null) return 0;
      return Math.min(inMs ?? WATCH_MS, WATCH_MS);
    },

    async widen(paused: readonly Route[], now: Moment): Promise<void> {
      for (const target of await watched(now)) {
        const push = await unheardIn(target, paused, now);
        if (push === null) continue;
        await widen({ ...push, target, ...now });
        await widenThere({ ...push, target, ...now });
      }
    },
  };
}
