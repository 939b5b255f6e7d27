import type { Handlers } from '../../handlers/handler.ts';
import { Claims } from '../../queue/claims.ts';
import { retriedOf } from '../../queue/dead-letter.ts';
import { sweeping } from '../../queue/sweep.ts';
import { type EventHead, selectHeads } from '../../queue/targets.ts';
import type { StoreSettings } from '../../settings.ts';
import type { Db, SyncHandlers, TransactionHooks } from '../transaction.ts';
import { claiming } from './claiming.ts';
import { counters } from './counters.ts';
import { deadLetters } from './dead-letters.ts';
import type { QueueDeps } from './deps.ts';
import { fanOuts } from './fan-outs.ts';
import { queueAge } from './measuring.ts';
import { recorder } from './recorder.ts';
import { bringBackAll, resuming } from './resume.ts';
import { retries } from './retries.ts';
import { watchRevocations } from './revocations.ts';
import { roundRobinOf } from './round-robin.ts';
import { settling } from './settling.ts';
import { cancellingInQueue, sweepSteps } from './sweep.ts';

const HEAD = `${selectHeads('event')} AND event.id = +?`;

/**
 * The relay's queue: claims, sends, settles. The first such call takes over the last process's queue; other commands do
 * not.
 */
export function queue(
  db: Db,
  settings: StoreSettings,
  hooks: TransactionHooks,
): SyncHandlers<'claimBatches' | 'settleBatch' | 'releaseBatch' | 'retryDeadLetters' | 'queueAge'> &
  Handlers<'expireOverdue' | 'cancelEvent' | 'continueCancel'> {
  const claims = new Claims();
  const roundRobin = roundRobinOf(db, hooks);
  const head = db.prepare<[number], EventHead>(HEAD);
  const headOf = (eventId: number) => head.get(eventId);
  const changes = db.prepare<[], number>('SELECT total_changes()').pluck();
  const deps: QueueDeps = {
    changes: () => changes.get() ?? 0,
    hooks,
    claims,
    roundRobin,
    headOf,
    counters: counters(db),
    record: recorder(db),
    fresh: fanOuts(db, claims, headOf, hooks),
    deferred: retries(db, claims),
    deadLetters: deadLetters(db),
  };
  watchRevocations(db, claims, hooks);
  const isResumed = resuming(db, settings, deps);
  const claim = claiming(deps);
  const sweep = sweeping(sweepSteps(db, deps));

  return {
    claimBatches: (args, now) => (isResumed(now) ? claim(args, now) : { claims: [], nextDueInMs: 0, finished: [] }),
    ...settling(deps),

    expireOverdue: async (args, now) => (isResumed(now) ? sweep(args, now) : { finished: [], more: true }),

    ...cancellingInQueue(db, deps),

    retryDeadLetters: () => retriedOf(bringBackAll(deps)),

    queueAge: queueAge(deps),
  };
}
