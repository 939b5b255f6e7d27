import type { Claims } from '../../queue/claims.ts';
import type { EventHead } from '../../queue/targets.ts';
import type { TransactionHooks } from '../transaction.ts';
import type { Counters } from './counters.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { FanOuts } from './fan-outs.ts';
import type { RecordVerdicts } from './recorder.ts';
import type { Retries } from './retries.ts';
import type { RoundRobin } from './round-robin.ts';

export interface QueueDeps {
  readonly claims: Claims;
  readonly roundRobin: RoundRobin;
  readonly counters: Counters;
  readonly record: RecordVerdicts;
  /** Events not yet sent to all devices. */
  readonly fresh: FanOuts;
  readonly deferred: Retries;
  /** Undefined if event, channel or workspace was deleted. */
  readonly headOf: (eventId: number) => EventHead | undefined;
  readonly deadLetters: DeadLetters;
  readonly hooks: TransactionHooks;
  /** Rows changed so far, also by triggers. */
  readonly changes: () => number;
}
