import type { Sql } from '../../sql.ts';
import type { OwnDevice } from '../events/left-out.ts';

/** A person's devices per push. */
const MOST_DEVICES = 20;

const ACTIVE = `
  SELECT id AS "deviceId", route FROM device WHERE user_id = :person AND status = 'active'
  ORDER BY id DESC LIMIT ${MOST_DEVICES}`;

/** Returns how to find a person's active devices for pushes about a rota, newest first. */
export function devicesForRota(sql: Sql): (rotaId: number, person: number) => Promise<readonly OwnDevice[]> {
  const active = sql.all<{ person: number }, OwnDevice>(ACTIVE);
  return async (_rotaId, person) => active({ person });
}
