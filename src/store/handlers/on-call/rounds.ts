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

/** Whether an open alert rings for everyone in a channel: in its own, or in another that it has reached. */
const IS_WIDE_HERE = `
  SELECT 1 FROM (
    SELECT widen_at FROM alert WHERE ${IN_CHANNEL} AND ${IS_RUNG} ORDER BY alert.channel_id, alert.event_id LIMIT ${MOST_LOOKED_AT}
  ) AS oldest WHERE coalesce(widen_at, 0) <= CAST(:steadyMs AS BIGINT) OR widen_at <= ${WIDE_TO} LIMIT 1`;
const IS_WIDE_THERE = `
  SELECT 1 FROM (
    SELECT escalation.widen_at FROM escalation JOIN alert ON alert.event_id = escalation.event_id
    WHERE escalation.channel_id = CAST(:target AS BIGINT) AND alert.channel_id = CAST(:channelId AS BIGINT) AND ${IS_RUNG}
    ORDER BY escalation.channel_id, escalation.event_id LIMIT ${MOST_LOOKED_AT}
  ) AS oldest WHERE coalesce(widen_at, 0) <= CAST(:steadyMs AS BIGINT) LIMIT 1`;

/** From a round for everyone on, the alerts that are open ring for everyone. */
const WIDEN_HERE = `UPDATE insisting SET wide_to = ${WIDE_FOR_ALL} WHERE channel_id = CAST(:channelId AS BIGINT)`;

/** When the next alert rings for everyone. */
const NEXT_HERE = `
  SELECT min(widen_at) FROM alert
  WHERE channel_id = CAST(:channelId AS BIGINT) AND state = 'open' AND widen_at > CAST(:steadyMs AS BIGINT)
    AND widen_at > coalesce(${WIDE_TO}, 0)`;
const NEXT_THERE = `
  SELECT escalation.widen_at FROM escalation JOIN alert ON alert.event_id = escalation.event_id
  WHERE escalation.channel_id = CAST(:target AS BIGINT) AND escalation.widen_at > CAST(:steadyMs AS BIGINT)
    AND alert.channel_id = CAST(:channelId AS BIGINT) AND alert.state = 'open'
  ORDER BY escalation.channel_id, escalation.widen_at LIMIT 1`;

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
  const isWideThere = sql.value<object, 1>(IS_WIDE_THERE);
  const widenHere = sql.run<object>(WIDEN_HERE);
  const nextHere = sql.value<object, number | null>(NEXT_HERE);
  const nextThere = sql.value<object, number | null>(NEXT_THERE);
  const hasten = sql.run<object>(HASTEN);
  const watch = sql.run<object>(WATCH);
  const reachableRoutes = sql.values<Reached, Route>(REACHABLE_ROUTES);

  async function onCallOf(rotaId: number, { wallMs }: Moment) {
    const id = (await timelines.ofRota(rotaId))?.timeline.at(wallMs).person ?? null;
    const person = id === null ? undefined : (await timelines.people([id]))(id);
    return id === null || person === undefined ? null : { id, name: person.name };
  }

  return async ({ rotaId, level, isFirst, paused, ...at }, now) => {
    const isHere = at.channelId === at.target;
    const isWide = rotaId === null || (await (isHere ? isWideHere : isWideThere)({ ...at, ...now })) !== undefined;
    const person = isWide ? null : await onCallOf(rotaId, now);
    const asked = person && { personId: person.id, channelId: at.target, level: LEVELS.indexOf(level), ...now };
    const found = asked === null ? [] : await reachableRoutes(asked);
    if (person === null || !found.some((route) => routes.includes(route) && !paused.includes(route))) {
      if (isHere) await widenHere({ ...at, ...now });
      return person === null ? {} : { manner: { onCall: person.name, isUnreachable: true } };
    }
    const atMs = (await (isHere ? nextHere : nextThere)({ ...at, ...now })) ?? null;
    if (atMs !== null) await hasten({ ...at, atMs });
    await watch({ ...at, ...now });
    return { manner: { onCall: person.name }, onCall: person.id, ...(!isFirst && { onlyFor: person.id }) };
  };
}
