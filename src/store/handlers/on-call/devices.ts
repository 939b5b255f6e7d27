import type { Sql } from '../../sql.ts';
import type { OwnDevice } from '../events/left-out.ts';

/** A person's devices per push. */
const MOST_DEVICES = 20;

/** Those that are subscribed to a channel with the rota. */
const SUBSCRIBED = `
  SELECT DISTINCT subscription.device_id AS "deviceId", subscription.route FROM subscription
  JOIN channel ON channel.id = subscription.channel_id JOIN device ON device.id = subscription.device_id
  WHERE channel.rota_id = :rotaId AND subscription.user_id = :person AND subscription.active = 1 AND device.status = 'active'
  ORDER BY subscription.device_id DESC LIMIT ${MOST_DEVICES}`;

const ACTIVE = `
  SELECT id AS "deviceId", route FROM device WHERE user_id = :person AND status = 'active'
  ORDER BY id DESC LIMIT ${MOST_DEVICES}`;

/** Finds a person's devices for pushes about a rota: those subscribed to a channel with it; if none, all. Newest first. */
export function devicesForRota(sql: Sql): (rotaId: number, person: number) => Promise<readonly OwnDevice[]> {
  const active = sql.all<{ person: number }, OwnDevice>(ACTIVE);
  const subscribed = sql.all<{ rotaId: number; person: number }, OwnDevice>(SUBSCRIBED);
  return async (rotaId, person) => {
    const devices = await subscribed({ rotaId, person });
    return devices.length > 0 ? devices : active({ person });
  };
}
