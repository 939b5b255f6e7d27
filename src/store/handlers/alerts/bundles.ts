import { indexRange } from '../../sql.ts';
import { UNFINISHED } from '../events/states.ts';
import { IS_HELD } from '../maintenance/rows.ts';
import { IS_FOR_ALL } from './alert-rows.ts';

/** Condition on rows of `event`: pushes that speak of several alerts of a channel, or of none. */
export const IS_OF_BUNDLE = `kind IN ('reminder', 'notice') AND event.alert LIKE '%"open":%'`;

/** Bundles of one alert that wait at a time, in all channels that it has reached. */
const MOST_WAITING = 20;

const NEXT_NEWEST = `
  SELECT alert.event_id FROM alert
  WHERE ${indexRange('alert', ['channel_id', 'event_id'], ':channelId')} AND ${IS_FOR_ALL}
    AND alert.event_id <> CAST(:id AS BIGINT) AND NOT ${IS_HELD}
  ORDER BY alert.channel_id DESC, alert.event_id DESC LIMIT 1`;

/**
 * Moves the waiting bundles of an alert that somebody takes or ends to the newest alert of its channel that is open, so
 * they are sent. If none is open, they end with the alert. postgres/functions/alerts.sql (`keep_bundles`) has the same rule.
 */
export const KEEP_BUNDLES = `
  UPDATE event SET alert_id = coalesce((${NEXT_NEWEST}), alert_id)
  WHERE id IN (
    SELECT id FROM event
    WHERE alert_id = CAST(:id AS BIGINT) AND id + 0 <= :lastEvent AND kind = 'reminder' AND ${IS_OF_BUNDLE}
      AND cancelled_at IS NULL AND ${UNFINISHED}
    LIMIT ${MOST_WAITING}
  )`;
