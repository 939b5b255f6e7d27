import type { Moment } from '../../../clock.ts';
import { cancelling } from '../../handlers/events/cancelling.ts';
import type { Handlers } from '../../handlers/handler.ts';
import type { Connection } from '../connections.ts';
import { NO_NODE } from '../nodes/membership.ts';
import { ENDINGS_PER_CALL, endCarefully } from './sweeping.ts';

export function cancellingInQueue(connection: Connection): Handlers<'cancelEvent' | 'continueCancel'> {
  const { sql } = connection;
  const isCancelled = sql.value<{ id: number }, boolean>('SELECT cancelled_at IS NOT NULL FROM event WHERE id = :id');

  return cancelling(sql, async (id: number, now: Moment) => {
    if ((await isCancelled({ id })) !== true) return true;
    const { isLeft } = await endCarefully(connection, { node: NO_NODE, now: () => now }, id, ENDINGS_PER_CALL);
    return !isLeft;
  });
}
