import type { Moment } from '../../../process/clock.ts';
import { cancelling } from '../../handlers/events/cancelling.ts';
import type { Handlers } from '../../handlers/handler.ts';
import type { OverEvent } from '../../queue/engine.ts';
import { Queue, type QueueCalls } from '../../queue/queue.ts';
import type { StoreSettings } from '../../settings.ts';
import { sqlOver } from '../sql.ts';
import type { Db, SyncHandlers, TransactionHooks } from '../transaction.ts';
import { engineOver } from './engine.ts';
import { queueAge } from './measuring.ts';
import { resuming } from './resume.ts';
import { watchQueue } from './watching.ts';

const OVER = `
  SELECT id AS eventId, workspace_id AS workspaceId, channel_id AS channelId, urgency, expires_at AS expiresAtSteadyMs,
    1 AS isCancelled
  FROM event WHERE id = ? AND cancelled_at IS NOT NULL`;

/** The queue over SQLite, whose calls end within their transaction. */
export function queue(
  db: Db,
  settings: StoreSettings,
  hooks: TransactionHooks,
): QueueCalls & Handlers<'cancelEvent' | 'continueCancel'> & SyncHandlers<'queueAge'> {
  const engine = engineOver(db, hooks);
  const kept = new Queue(engine, resuming(db, settings, engine));
  const over = db.prepare<[number], OverEvent>(OVER);
  watchQueue(db, kept, hooks);
  return {
    ...kept.calls,
    ...cancelling(sqlOver(db), async (id: number, now: Moment) => {
      const event = over.get(id);
      return event === undefined || kept.endSome(event, now);
    }),
    queueAge: queueAge(db, engine, kept.claims),
  };
}
