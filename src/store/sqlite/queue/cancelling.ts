import type { Moment } from '../../../clock.ts';
import { cancelling } from '../../handlers/events/cancelling.ts';
import type { Handlers } from '../../handlers/handler.ts';
import { sqlOver } from '../sql.ts';
import type { Db } from '../transaction.ts';
import type { QueueDeps } from './deps.ts';
import { ENDINGS_PER_CALL, endingCarefully, type OverEvent } from './sweep.ts';

const OVER = `
  SELECT id AS eventId, workspace_id AS workspaceId, channel_id AS channelId, urgency, 1 AS isCancelled FROM event
  WHERE id = ? AND cancelled_at IS NOT NULL`;

export function cancellingInQueue(db: Db, deps: QueueDeps): Handlers<'cancelEvent' | 'continueCancel'> {
  const over = db.prepare<[number], OverEvent>(OVER);
  const endOne = endingCarefully(db, deps);

  return cancelling(sqlOver(db), async (id: number, now: Moment) => {
    const event = over.get(id);
    return event === undefined || endOne(event, ENDINGS_PER_CALL, now).isDone;
  });
}
