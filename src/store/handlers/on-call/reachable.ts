/**
 * Condition on `subscription`: the device would get a channel's push now and show it. Same rule: `is_reachable`
 * (postgres/functions/on-call.sql).
 */
export const HEARS = `subscription.channel_id = CAST(:channelId AS BIGINT) AND subscription.active = 1 AND subscription.min_level <= CAST(:level AS BIGINT)
    AND subscription.muted_until <= CAST(:wallMs AS BIGINT)
    AND NOT EXISTS (SELECT 1 FROM route_pause WHERE route_pause.route = subscription.route)
    AND NOT EXISTS (
      SELECT 1 FROM reporter WHERE reporter.device_id = subscription.device_id AND reporter.silent_at IS NOT NULL
    )`;

export const REACHABLE_ROUTES = `
  SELECT DISTINCT subscription.route FROM subscription
  WHERE subscription.user_id = CAST(:personId AS BIGINT) AND ${HEARS}`;

/** A person, and a channel's push of a level (its place in LEVELS). */
export interface Reached {
  readonly personId: number;
  readonly channelId: number;
  readonly level: number;
  readonly wallMs: number;
}
