import { retriedOf } from '../../dead-letter.ts';
import type { Handlers } from '../../handlers/handler.ts';
import type { StoreSettings } from '../../settings.ts';
import type { Db, SyncHandlers, TransactionHooks } from '../transaction.ts';
import { claiming } from './claiming.ts';
import { Claims } from './claims.ts';
import { counters } from './counters.ts';
import { deadLetters } from './dead-letters.ts';
import type { QueueDeps } from './deps.ts';
import { eventHeads } from './event-heads.ts';
import { fanOuts } from './fan-outs.ts';
import { queueAge } from './measuring.ts';
import { recorder } from './recorder.ts';
import { bringBackAll, resuming } from './resume.ts';
import { retries } from './retries.ts';
import { watchRevocations } from './revocations.ts';
import { roundRobinOf } from './round-robin.ts';
import { settling } from './settling.ts';
import { cancellingInQueue, sweep } from './sweep.ts';

/**
 * The relay's queue: claims, sends, settles. The first such call takes over the last process's queue; other commands do
 * not.
 */
export function queue(
  db: Db,
  settings: StoreSettings,
  hooks: TransactionHooks,
): SyncHandlers<'claimBatches' | 'settleBatch' | 'releaseBatch' | 'expireOverdue' | 'retryDeadLetters' | 'queueAge'> &
  Handlers<'cancelEvent' | 'continueCancel'> {
  const claims = new Claims();
  const roundRobin = roundRobinOf(db, hooks);
  const headOf = eventHeads(db);
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
  const expire = sweep(db, deps);

  return {
    claimBatches: (args, now) => (isResumed(now) ? claim(args, now) : { claims: [], nextDueInMs: 0, finished: [] }),
    ...settling(deps),

    expireOverdue: (args, now) => (isResumed(now) ? expire(args, now) : { finished: [], more: true }),

    ...cancellingInQueue(db, deps),

    retryDeadLetters: () => retriedOf(bringBackAll(deps)),

    queueAge: queueAge(deps),
  };
}
