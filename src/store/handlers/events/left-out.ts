import { ON_CALL_PLACE, type Route } from '../../../push.ts';

/** A person's devices, per channel, that a server's own event excludes or targets. */
const MOST_DEVICES = 20;

/** A person's active devices that subscribe to a channel, newest first. */
export const OWN_DEVICES = `
  SELECT subscription.device_id AS "deviceId", subscription.route FROM subscription
  WHERE user_id = CAST(:personId AS BIGINT) AND channel_id = CAST(:channelId AS BIGINT) AND active = 1
  ORDER BY subscription.device_id DESC LIMIT ${MOST_DEVICES}`;

/** Fan-outs skip devices with a delivery of the event. */
export const LEAVE_OUT = `
  INSERT INTO delivery (event_id, device_id, workspace_id, route, lane, state, attempts, reason, at)
  VALUES (:id, :deviceId, :workspaceId, :route, :lane, 'withdrawn', 0, 'own_act', :wallMs)`;

/** An event for one person has no fan-out: devices are claimed as retries. */
export const ADDRESS = `
  INSERT INTO delivery (event_id, device_id, workspace_id, route, lane, state, attempts, at, due_at)
  VALUES (:id, :deviceId, :workspaceId, :route, :lane, 'pending', 0, :wallMs, :steadyMs)`;

/** SQL: what stands for the channel of an event without one. */
export const NO_CHANNEL = `CASE event.kind WHEN 'notice' THEN '${ON_CALL_PLACE}' ELSE 'test' END`;

export interface OwnDevice {
  readonly deviceId: number;
  readonly route: Route;
}
