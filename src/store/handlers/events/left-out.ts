import type { Route } from '../../../push.ts';

/** Devices of a person, in each channel, that an event of the server itself leaves out or is for. */
const MOST_DEVICES = 20;

/** The active devices of a person that are subscribed to a channel, the newest first. */
export const OWN_DEVICES = `
  SELECT subscription.device_id AS "deviceId", subscription.route FROM subscription
  WHERE user_id = CAST(:personId AS BIGINT) AND channel_id = CAST(:channelId AS BIGINT) AND active = 1
  ORDER BY subscription.device_id DESC LIMIT ${MOST_DEVICES}`;

/** A fan-out skips devices that have a delivery of its event. */
export const LEAVE_OUT = `
  INSERT INTO delivery (event_id, device_id, workspace_id, route, lane, state, attempts, reason, at)
  VALUES (:id, :deviceId, :workspaceId, :route, :lane, 'withdrawn', 0, 'own_act', :wallMs)`;

/** An event for one person has no fan-out: their devices are claimed like retries, by the same rules. */
export const ADDRESS = `
  INSERT INTO delivery (event_id, device_id, workspace_id, route, lane, state, attempts, at, due_at)
  VALUES (:id, :deviceId, :workspaceId, :route, :lane, 'pending', 0, :wallMs, :steadyMs)`;

export interface OwnDevice {
  readonly deviceId: number;
  readonly route: Route;
}
