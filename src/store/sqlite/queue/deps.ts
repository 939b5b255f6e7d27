import type { TransactionHooks } from '../transaction.ts';
import type { Claims } from './claims.ts';
import type { Counters } from './counters.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { EventHead } from './event-heads.ts';
import type { FanOuts } from './fan-outs.ts';
import type { RecordVerdicts } from './recorder.ts';
import type { Retries } from './retries.ts';
import type { RoundRobin } from './round-robin.ts';

/** Shared by the handlers of the queue. */
export interface QueueDeps {
  readonly claims: Claims;
  readonly roundRobin: RoundRobin;
  readonly counters: Counters;
  readonly record: RecordVerdicts;
  /** Events that have not gone out to all of their devices yet. */
  readonly fresh: FanOuts;
  /** Pushes that are to be tried again. */
  readonly deferred: Retries;
  readonly headOf: (eventId: number) => EventHead | undefined;
  readonly deadLetters: DeadLetters;
  readonly hooks: TransactionHooks;
  /** How many rows the connection has changed, those of triggers included. */
  readonly changes: () => number;
}
