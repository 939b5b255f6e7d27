import type { Moment } from '../../../process/clock.ts';
import { LEVELS, type Level, type Route } from '../../../push.ts';
import type { StoreSettings } from '../../settings.ts';
import { indexRange, type Sql } from '../../sql.ts';
import { IS_FOR_ALL } from '../alerts/alert-rows.ts';
import type { ReminderManner, Target } from '../alerts/notifying.ts';
import { IS_HELD } from '../maintenance/rows.ts';
import { WATCH, WIDE_FOR_ALL } from './early-widening.ts';
import { REACHABLE_ROUTES, type Reached } from './reachable.ts';
import { rotaTimelines } from './timelines.ts';

/** The oldest open alerts decide whether a round is for everyone. */
const MOST_LOOKED_AT = 100;

const IN_CHANNEL = indexRange('alert', ['channel_id', 'event_id'], ':channelId');
const IS_RUNG = `${IS_FOR_ALL} AND NOT ${IS_HELD}`;
const WIDE_TO = '(SELECT wide_to FROM insisting WHERE insisting.channel_id = CAST(:channelId AS BIGINT))';

const OLDEST = `FROM alert WHERE ${IN_CHANNEL} AND ${IS_RUNG} ORDER BY alert.channel_id, alert.event_id LIMIT ${MOST_LOOKED_AT}`;

/** Whether an open alert rings for everyone in its own channel. */
const IS_WIDE_HERE = `
  SELECT 1 FROM (SELECT widen_at ${OLDEST}) AS oldest
  WHERE coalesce(widen_at, 0) <= CAST(:steadyMs AS BIGINT) OR widen_at <= ${WIDE_TO} LIMIT 1`;

/**
 * The open alerts that have reached another channel: those of the oldest, and those of the newest that came there. What
 * ended alerts have left there is not read: `+ 0` avoids the indexes by channel.
 */
const SEEN_THERE = `
  SELECT count(*) AS alerts, count(CASE WHEN coalesce(widen_at, 0) <= CAST(:steadyMs AS BIGINT) THEN 1 END) AS wide,
    min(CASE WHEN widen_at > CAST(:steadyMs AS BIGINT) THEN widen_at END) AS "nextAtMs"
  FROM (
    SELECT there.event_id, there.widen_at FROM (SELECT event_id ${OLDEST}) AS oldest
    JOIN escalation AS there ON there.event_id = oldest.event_id AND there.channel_id + 0 = CAST(:target AS BIGINT)
    UNION
    SELECT newest.event_id, newest.widen_at FROM (
      SELECT event_id, widen_at FROM escalation WHERE ${indexRange('escalation', ['channel_id', 'event_id'], ':target')}
      ORDER BY channel_id DESC, event_id DESC LIMIT ${MOST_LOOKED_AT}
    ) AS newest JOIN alert ON alert.event_id = newest.event_id
    WHERE alert.channel_id + 0 = CAST(:channelId AS BIGINT) AND ${IS_RUNG}
  ) AS seen`;

/** From a round for everyone on, the alerts that are open ring for everyone. */
const WIDEN_HERE = `UPDATE insisting SET wide_to = ${WIDE_FOR_ALL} WHERE channel_id = CAST(:channelId AS BIGINT)`;

/** When the next alert rings for everyone. */
const NEXT_HERE = `
  SELECT min(widen_at) FROM alert
  WHERE channel_id = CAST(:channelId AS BIGINT) AND state = 'open' AND widen_at > CAST(:steadyMs AS BIGINT)
    AND widen_at > coalesce(${WIDE_TO}, 0)`;

/** Makes a channel's next round no later than this. */
const HASTEN = `
  UPDATE insisting SET next_at = CAST(:atMs AS BIGINT)
  WHERE channel_id = CAST(:channelId AS BIGINT) AND next_at > CAST(:atMs AS BIGINT)`;

/** A channel's reminder. `isFirst`: with it, alerts come to the channel. `paused`: routes that send only probes. */
interface Asked extends Target {
  readonly rotaId: number | null;
  readonly level: Level;
  readonly isFirst: boolean;
  readonly paused: readonly Route[];
}

/** Open alerts in a channel that they have reached. */
interface SeenThere {
  readonly alerts: number;
  readonly wide: number;
  /** When the next of them rings for everyone there; null: none. */
  readonly nextAtMs: number | null;
}

/**
 * Returns how to decide for whom a reminder rings. Each round asks once who is on call, and plans the round that rings
 * for everyone.
 */
export function onCallRounds(
  sql: Sql,
  { routes }: Pick<StoreSettings, 'routes'>,
): (asked: Asked, now: Moment) => Promise<ReminderManner> {
  const timelines = rotaTimelines(sql);
  const isWideHere = sql.value<object, 1>(IS_WIDE_HERE);
  const seenThere = sql.get<object, SeenThere>(SEEN_THERE);
  const widenHere = sql.run<object>(WIDEN_HERE);
  const nextHere = sql.value<object, number | null>(NEXT_HERE);
  const hasten = sql.run<object>(HASTEN);
  const watch = sql.run<object>(WATCH);
  const reachableRoutes = sql.values<Reached, Route>(REACHABLE_ROUTES);

  async function onCallOf(rotaId: number, { wallMs }: Moment) {
    const id = (await timelines.ofRota(rotaId))?.timeline.at(wallMs).person ?? null;
    const person = id === null ? undefined : (await timelines.people([id]))(id);
    return id === null || person === undefined ? null : { id, name: person.name };
  }

  /** A round in another channel is for everyone, too, if none of the alerts seen there is open. */
  async function isWide(at: Target, there: SeenThere | undefined, now: Moment): Promise<boolean> {
    if (there !== undefined) return there.wide > 0 || there.alerts === 0;
    return (await isWideHere({ ...at, ...now })) !== undefined;
  }

  return async ({ rotaId, level, isFirst, paused, ...at }, now) => {
    const isHere = at.channelId === at.target;
    const there = isHere || rotaId === null ? undefined : await seenThere({ ...at, ...now });
    const person = rotaId === null || (await isWide(at, there, now)) ? null : await onCallOf(rotaId, now);
    const asked = person && { personId: person.id, channelId: at.target, level: LEVELS.indexOf(level), ...now };
    const found = asked === null ? [] : await reachableRoutes(asked);
    if (person === null || !found.some((route) => routes.includes(route) && !paused.includes(route))) {
      if (isHere) await widenHere({ ...at, ...now });
      return person === null ? {} : { manner: { onCall: person.name, isUnreachable: true } };
    }
    const atMs = (there === undefined ? await nextHere({ ...at, ...now }) : there.nextAtMs) ?? null;
    if (atMs !== null) await hasten({ ...at, atMs });
    await watch({ ...at, ...now });
    return { manner: { onCall: person.name }, onCall: person.id, ...(!isFirst && { onlyFor: person.id }) };
  };
}
