import type Database from 'better-sqlite3';
import type { Moment } from '../../process/clock.ts';
import type { Actor, AnswerOf, ArgsOf, CallName, Revocation } from '../calls.ts';
import type { Awaitable } from '../sql.ts';

export type Db = Database.Database;

/**
 * Synchronous handlers, for the calls between an event and its pushes. `now` is the store owner's clock: no caller's
 * counts. The committer begins and ends transactions, and undoes throwing calls. It then reruns the group's others, so
 * changes in memory must be registered with the hooks.
 */
export type SyncHandlers<N extends CallName> = {
  readonly [K in N]: (args: ArgsOf<K>, now: Moment, actor?: Actor) => AnswerOf<K>;
};

/** Hooks for modules with state in memory. */
export interface TransactionHooks {
  /**
   * Registers how to undo the running call's change in memory, if the call or its group is rolled back. Newest first.
   */
  onRollback(undo: () => void): void;
  /** Reports a revocation with the running call's answer. */
  reportRevocation(revocation: Revocation): void;
  /** Executes part of a call. If it throws, undoes it, and returns the error instead. */
  attempt<T>(part: () => Awaitable<T>): Promise<Attempted<T>>;
}

export type Attempted<T> = { readonly done: T } | { readonly error: unknown };
