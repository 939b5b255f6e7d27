import type { Route } from '../../../push.ts';

/** Devices of a person that an event of the server's own leaves out, in each channel. */
const MOST_LEFT_OUT = 20;

/** The active devices of a person that are subscribed to a channel, the newest first. */
export const OWN_DEVICES = `
  SELECT subscription.device_id AS "deviceId", subscription.route FROM subscription
  WHERE user_id = CAST(:personId AS BIGINT) AND channel_id = CAST(:channelId AS BIGINT) AND active = 1
  ORDER BY subscription.device_id DESC LIMIT ${MOST_LEFT_OUT}`;

/** A fan-out passes by devices that have a delivery of its event. */
export const LEAVE_OUT = `
  INSERT INTO delivery (event_id, device_id, workspace_id, route, lane, state, attempts, reason, at)
  VALUES (:id, :deviceId, :workspaceId, :route, :lane, 'withdrawn', 0, 'own_act', :wallMs)`;

export interface OwnDevice {
  readonly deviceId: number;
  readonly route: Route;
}
