import { indexRange } from '../../sql.ts';
import { UNFINISHED } from '../events/states.ts';
import { IS_HELD } from '../maintenance/rows.ts';
import { IS_FOR_ALL } from './alert-rows.ts';

/** Condition on `event`: pushes about several of a channel's alerts, or none. */
export const IS_OF_BUNDLE = `kind IN ('reminder', 'notice') AND event.alert LIKE '%"open":%'`;

/** Most waiting bundles of an alert, in all its channels. */
const MOST_WAITING = 20;

const NEXT_NEWEST = `
  SELECT alert.event_id FROM alert
  WHERE ${indexRange('alert', ['channel_id', 'event_id'], ':channelId')} AND ${IS_FOR_ALL}
    AND alert.event_id <> CAST(:id AS BIGINT) AND NOT ${IS_HELD}
  ORDER BY alert.channel_id DESC, alert.event_id DESC LIMIT 1`;

/**
 * Moves waiting bundles of a taken or ended alert to its channel's newest open alert, so they are sent; without one
 * they end. Same rule: `keep_bundles` (postgres/functions/alerts.sql).
 */
export const KEEP_BUNDLES = `
  UPDATE event SET alert_id = coalesce((${NEXT_NEWEST}), alert_id)
  WHERE id IN (
    SELECT id FROM event
    WHERE alert_id = CAST(:id AS BIGINT) AND id + 0 <= :lastEvent AND kind = 'reminder' AND ${IS_OF_BUNDLE}
      AND cancelled_at IS NULL AND ${UNFINISHED}
    LIMIT ${MOST_WAITING}
  )`;
