import type { Moment } from '../../../process/clock.ts';
import type { Route } from '../../../push.ts';
import type { WatchTurn } from '../../calls/alerts.ts';
import type { StoreSettings } from '../../settings.ts';
import { ID_LIST, idList, indexRange, type Sql } from '../../sql.ts';
import { UNFINISHED } from '../events/states.ts';

/** While an alert rings for one person alone, their pushes are watched so often. */
export const WATCH_MS = 1_000;
export const FIRST_TURN: WatchTurn = { workspace: 0, channels: [] };
/** Per look: workspaces, which take turns, and channels, which their workspaces share. */
const MOST_WORKSPACES = 10;
const MOST_CHANNELS = 50;
/** Per channel, of its own alerts and of those that have reached it: the latest looked at, and their pushes. */
const MOST_ALERTS = 100;
const MOST_PUSHES = 4;
/** Escalations that widen per call. */
const MOST_WIDENED = 100;

/** Watches a channel in which an alert rings for one person alone, until a look finds no such alert. */
export const WATCH = `
  INSERT INTO watched_channel (channel_id, workspace_id, set_at)
  SELECT id, workspace_id, CAST(:steadyMs AS BIGINT) FROM channel WHERE id = CAST(:target AS BIGINT)
  ON CONFLICT (channel_id) DO UPDATE SET set_at = excluded.set_at`;

const WORKSPACES = `
  WITH RECURSIVE turn (workspace_id, place) AS (
    SELECT min(workspace_id), 1 FROM watched_channel WHERE workspace_id > CAST(:after AS BIGINT)
    UNION ALL
    SELECT (SELECT min(workspace_id) FROM watched_channel AS watched WHERE watched.workspace_id > turn.workspace_id), place + 1
    FROM turn WHERE turn.workspace_id IS NOT NULL AND place < ${MOST_WORKSPACES}
  ) SELECT workspace_id FROM turn WHERE workspace_id IS NOT NULL`;
const CHANNELS = `
  SELECT channel_id FROM watched_channel
  WHERE ${indexRange('watched_channel', ['workspace_id', 'channel_id'], ':workspaceId', ':from')}
  ORDER BY workspace_id, channel_id LIMIT CAST(:limit AS BIGINT)`;

/**
 * SQL: the `wide_to` of a row of `insisting` with which all open alerts of its channel ring for everyone. Their own times
 * count, since the policy may have changed since they were opened.
 */
export const WIDE_FOR_ALL = `coalesce((
    SELECT alert.widen_at FROM alert
    WHERE alert.channel_id = insisting.channel_id AND alert.state = 'open' AND alert.widen_at > coalesce(insisting.wide_to, 0)
    ORDER BY alert.channel_id DESC, alert.widen_at DESC LIMIT 1
  ), wide_to)`;

/** SQL: alerts of the channel with a later `widen_at` ring for one person alone there. */
const WIDE_TO = `(
    SELECT max(at) FROM (
      SELECT CAST(:steadyMs AS BIGINT) AS at UNION ALL SELECT wide_to FROM insisting WHERE insisting.channel_id = watched.channel_id
    ) AS wide
  )`;

/** A push may still ring for its person, or did. `:able`: routes that send, each between spaces. */
const HOPE = `
  SELECT 1 FROM subscription
  LEFT JOIN delivery ON delivery.event_id = push.id AND delivery.device_id = subscription.device_id
  WHERE subscription.user_id = push.on_call AND subscription.channel_id = push.channel_id AND subscription.active = 1 AND (
    delivery.state = 'accepted'
    OR CAST(:able AS TEXT) LIKE '% ' || subscription.route || ' %'
      AND NOT EXISTS (SELECT 1 FROM route_pause WHERE route_pause.route = subscription.route)
      AND CASE WHEN delivery.state IS NULL THEN ${UNFINISHED} AND subscription.number <= push.last_subscription
        ELSE delivery.state = 'pending' END
  )`;

const ALONE_HERE = `alert WHERE alert.channel_id = watched.channel_id AND alert.state = 'open' AND alert.widen_at > ${WIDE_TO}`;
/** Includes alerts that have ended. */
const ALONE_THERE = `escalation WHERE escalation.channel_id = watched.channel_id AND escalation.widen_at > CAST(:steadyMs AS BIGINT)`;

const latestOf = (table: 'alert' | 'escalation', alone: string) =>
  `(SELECT event_id FROM ${alone} ORDER BY ${table}.channel_id DESC, ${table}.widen_at DESC LIMIT ${MOST_ALERTS}) AS latest`;
const LATEST_HERE = latestOf('alert', ALONE_HERE);
const LATEST_THERE = latestOf('escalation', ALONE_THERE);
const IS_SAME_OPEN = "alert.event_id = latest.event_id AND alert.state = 'open'";

/** SQL: the last push for each of these alerts in the channel that rang for one person alone. */
const lastPushes = (latest: string) => `
  SELECT id FROM (
    SELECT (
      SELECT max(event.id) FROM event
      WHERE event.alert_id = alert.event_id AND event.channel_id = watched.channel_id AND event.on_call IS NOT NULL
    ) AS id FROM ${latest} JOIN alert ON ${IS_SAME_OPEN}
  ) AS pushed WHERE id IS NOT NULL LIMIT ${MOST_PUSHES}`;

/** A push for an alert that rings for one person alone, which that person cannot get. */
const UNHEARD = `(
    SELECT max(push.id) FROM (
      SELECT id FROM (${lastPushes(LATEST_HERE)}) AS here UNION ALL SELECT id FROM (${lastPushes(LATEST_THERE)}) AS there
    ) AS last JOIN event AS push ON push.id = last.id
    WHERE NOT EXISTS (${HOPE})
  )`;

/** SQL: 1 if an alert rings for one person alone in its channel. PostgreSQL would read all such alerts for an EXISTS. */
const IS_ALONE_HERE = `(SELECT 1 FROM ${ALONE_HERE} ORDER BY alert.channel_id, alert.widen_at LIMIT 1)`;
/** SQL: 1 if one does in a channel that it has reached, or if there are too many to tell. */
const IS_ALONE_THERE = `(
    SELECT CASE WHEN count(alert.event_id) > 0 OR count(*) = ${MOST_ALERTS} THEN 1 END
    FROM ${LATEST_THERE} LEFT JOIN alert ON ${IS_SAME_OPEN}
  )`;

const AMONG = `FROM watched_channel AS watched WHERE watched.channel_id IN ${ID_LIST}`;
const IS_WATCH_OVER = `coalesce(${IS_ALONE_HERE}, ${IS_ALONE_THERE}) IS NULL`;
const FOUND = `SELECT watched.channel_id ${AMONG} AND (${IS_WATCH_OVER} OR ${UNHEARD} IS NOT NULL)`;
const UNHEARD_PUSHES = `SELECT ${UNHEARD} AS id ${AMONG}`;
const UNWATCHABLE = `SELECT watched.channel_id AS target, watched.set_at AS "setAtMs" ${AMONG} AND ${IS_WATCH_OVER}`;

/**
 * Condition on a push and its `alert`, which has reached another channel: a round was for everyone there, and `WIDEN_THERE`
 * has not changed all rows yet.
 */
const IS_WIDENING = `EXISTS (
    SELECT 1 FROM (
      SELECT event_id FROM escalation WHERE escalation.channel_id = event.channel_id AND escalation.widen_at <= CAST(:steadyMs AS BIGINT)
      ORDER BY escalation.channel_id DESC, escalation.widen_at DESC LIMIT ${MOST_ALERTS}
    ) AS wide JOIN alert AS other ON other.event_id = wide.event_id AND other.channel_id = alert.channel_id AND other.state = 'open'
  )`;
/** Lets the alerts of unheard pushes ring for everyone. A round follows at once in the channel of each alert. */
const WIDEN = `
  UPDATE insisting SET next_at = CAST(:steadyMs AS BIGINT), wide_to = CASE
    WHEN EXISTS (
      SELECT 1 FROM event JOIN alert ON alert.event_id = event.alert_id
      WHERE event.id IN ${ID_LIST} AND event.channel_id = insisting.channel_id AND alert.channel_id = insisting.channel_id
    ) THEN ${WIDE_FOR_ALL} ELSE wide_to END
  WHERE channel_id IN (
    SELECT alert.channel_id FROM event JOIN alert ON alert.event_id = event.alert_id
    WHERE event.id IN ${ID_LIST} AND (event.channel_id = alert.channel_id OR NOT ${IS_WIDENING})
  )`;
/** Does the same in a channel that they have reached, for all alerts of the round. Later calls change further rows. */
const WIDEN_THERE = `
  UPDATE escalation SET widen_at = CAST(:steadyMs AS BIGINT)
  WHERE (event_id, place) IN (
    SELECT beside.event_id, beside.place FROM event
    JOIN alert ON alert.event_id = event.alert_id
    JOIN escalation AS beside ON beside.channel_id = event.channel_id AND beside.widen_at > CAST(:steadyMs AS BIGINT)
    JOIN alert AS other ON other.event_id = beside.event_id AND other.channel_id = alert.channel_id AND other.state = 'open'
    WHERE event.id IN ${ID_LIST} LIMIT ${MOST_WIDENED}
  )`;
/** An alert that came meanwhile has changed `set_at`. */
const FORGET = `
  DELETE FROM watched_channel WHERE channel_id = CAST(:target AS BIGINT) AND set_at = CAST(:setAtMs AS BIGINT)`;

interface Watched {
  readonly target: number;
  readonly setAtMs: number;
}

interface Taken {
  readonly channels: readonly number[];
  readonly turn: WatchTurn;
}

/**
 * Lets alerts ring for everyone at once if no device of the person on call can get them any more. Results of pushes are
 * looked up here, so that sending knows no rotas.
 */
export function earlyWidening(sql: Sql, { routes }: Pick<StoreSettings, 'routes'>) {
  const nextWorkspaces = sql.values<{ after: number }, number>(WORKSPACES);
  const nextChannels = sql.values<object, number>(CHANNELS);
  const found = sql.values<object, number>(FOUND);
  const unheardPushes = sql.values<object, number | null>(UNHEARD_PUSHES);
  const unwatchable = sql.all<object, Watched>(UNWATCHABLE);
  const widen = sql.run<object>(WIDEN);
  const widenThere = sql.run<object>(WIDEN_THERE);
  const forget = sql.run<Watched>(FORGET);

  /** Returns the next channels. Each workspace has its turn within some looks, and each of its channels. */
  async function takeChannels({ workspace, channels: passed }: WatchTurn): Promise<Taken> {
    const workspaces = await nextWorkspaces({ after: workspace });
    if (workspaces.length === 0 && workspace > 0) return takeChannels({ workspace: 0, channels: passed });
    const limit = Math.floor(MOST_CHANNELS / Math.max(1, workspaces.length));
    const last = workspaces.length < MOST_WORKSPACES ? 0 : (workspaces.at(-1) ?? 0);
    const before = new Map(passed);
    // Workspaces between those of this look are no longer watched, so only others keep their place.
    const next = new Map(passed.filter(([id]) => id <= workspace || (last > 0 && id > last)));
    const taken: number[] = [];
    for (const workspaceId of workspaces) {
      const channels = await channelsBehind(workspaceId, before.get(workspaceId) ?? 0, limit);
      if (channels.length === limit) next.set(workspaceId, channels.at(-1) ?? 0);
      taken.push(...channels);
    }
    return { channels: taken, turn: { workspace: last, channels: [...next] } };
  }

  /** Begins again with the first channel if there is none behind. */
  async function channelsBehind(workspaceId: number, last: number, limit: number): Promise<readonly number[]> {
    const channels = await nextChannels({ workspaceId, from: 1 + last, limit });
    return channels.length === 0 && last > 0 ? channelsBehind(workspaceId, 0, limit) : channels;
  }

  function asked(channels: readonly number[], paused: readonly Route[], { steadyMs }: Moment) {
    const able = ` ${routes.filter((route) => !paused.includes(route)).join(' ')} `;
    return { ...idList(channels), able, steadyMs };
  }

  return {
    /** Returns the channels in which a round has something to do, and the next turn; null: nothing is watched. */
    async look(turn: WatchTurn, paused: readonly Route[], now: Moment) {
      const taken = await takeChannels(turn);
      if (taken.channels.length === 0) return null;
      return { found: await found(asked(taken.channels, paused, now)), turn: taken.turn };
    },

    /** Widens alerts in channels that a look has found. */
    async widen(channels: readonly number[], paused: readonly Route[], now: Moment): Promise<void> {
      if (channels.length === 0) return;
      const unheard = (await unheardPushes(asked(channels, paused, now))).flatMap((id) => id ?? []);
      if (unheard.length > 0) {
        await widen({ ...idList(unheard), ...now });
        await widenThere({ ...idList(unheard), ...now });
      }
      for (const watched of await unwatchable(asked(channels, paused, now))) await forget(watched);
    },
  };
}
