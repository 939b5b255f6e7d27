import type { Route } from '../../../push.ts';
import { EXPIRE_OPEN, EXPIRE_SNOOZED } from '../../handlers/alerts/ends.ts';
import { sqlOver } from '../sql.ts';
import type { Db } from '../transaction.ts';
import { Counts, counters } from './counters.ts';

interface Waiting {
  readonly eventId: number;
  readonly workspaceId: number;
  readonly channelId: number | null;
  readonly route: Route;
  readonly count: number;
}

const OPEN = `
  SELECT event_id AS eventId, workspace_id AS workspaceId, channel_id AS channelId, route, targeted - recorded AS count
  FROM fan_out`;

const DEFERRED = `
  SELECT event_id AS eventId, delivery.workspace_id AS workspaceId, channel_id AS channelId, route, count(*) AS count
  FROM delivery JOIN event ON event.id = event_id
  WHERE state = 'pending' GROUP BY event_id, route`;

const END_DEFERRED = `
  UPDATE delivery SET state = 'withdrawn', reason = :reason, at = :wallMs, due_at = NULL WHERE state = 'pending'`;

/** No limit, for SQLite. */
const WITHOUT_LIMIT = -1;

export interface WithdrawnAll {
  /** Pushes. */
  readonly withdrawn: number;
  /** Scheduled events that were due. */
  readonly scheduledEnded: number;
}

/**
 * Ends everything that waits in the queue or was returning, unsent. Open alerts expire, pending webhook messages are
 * deleted. Scheduled events end only if due. Only for an unserved store.
 */
export function withdrawAll(db: Db, reason: string, wallMs: number): WithdrawnAll {
  const openCounts = counters(db);
  const open = db.prepare<[], Waiting>(OPEN);
  const deferred = db.prepare<[], Waiting>(DEFERRED);
  const endDeferred = db.prepare(END_DEFERRED);
  const endOpen = db.prepare('DELETE FROM fan_out');
  const endAlerts = [EXPIRE_OPEN, EXPIRE_SNOOZED].map((text) => sqlOver(db).run<object>(text));
  const endScheduled = db.prepare<{ wallMs: number }>(
    "UPDATE event SET kind = 'restored' WHERE kind = 'scheduled' AND send_at <= :wallMs",
  );
  const endInsisting = db.prepare('DELETE FROM insisting');
  const endResends = db.prepare("UPDATE resend SET stage = 'done' WHERE stage <> 'done'");
  const endMessages = db.prepare('DELETE FROM webhook_message');

  const run = db.transaction((): WithdrawnAll => {
    const waiting = [...open.all(), ...deferred.all()].filter(({ count }) => count > 0);
    const counts = openCounts({ wallMs, steadyMs: wallMs });
    for (const { count, ...of } of waiting) counts.count(of, new Counts().add('withdrawn', reason, count));
    counts.flush();
    endDeferred.run({ reason, wallMs });
    endOpen.run();
    endResends.run();
    for (const end of endAlerts) end({ wallMs, limit: WITHOUT_LIMIT });
    endInsisting.run();
    endMessages.run();
    const scheduledEnded = endScheduled.run({ wallMs }).changes;
    return { withdrawn: waiting.reduce((sum, { count }) => sum + count, 0), scheduledEnded };
  });
  return run.immediate();
}
