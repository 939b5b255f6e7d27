import type Database from 'better-sqlite3';
import type { Moment } from '../../process/clock.ts';
import type { Actor, AnswerOf, ArgsOf, CallName, Revocation } from '../calls.ts';

/** A connection to the database. */
export type Db = Database.Database;

/**
 * Synchronous handlers, for the calls between an event and its pushes. `now` is read from the clock of the store's
 * owner, so no caller's clock counts. A handler neither begins nor ends a transaction: the committer does, and undoes a
 * call that throws. It then runs the others of the group again, so changes in memory must be registered with the hooks.
 */
export type SyncHandlers<N extends CallName> = {
  readonly [K in N]: (args: ArgsOf<K>, now: Moment, actor?: Actor) => AnswerOf<K>;
};

/** Hooks for a module that keeps state in memory beside the database. */
export interface TransactionHooks {
  /**
   * Registers how to undo a change in memory of the call that runs just now, if that call or its whole group is rolled
   * back. The newest change is undone first.
   */
  onRollback(undo: () => void): void;
  /** Reports a revocation with the answer of the call that runs just now. */
  reportRevocation(revocation: Revocation): void;
  /** Carries out part of a call. Where that throws, what it did is undone, and the error returned instead of thrown. */
  attempt<T>(part: () => T): Attempted<T>;
}

export type Attempted<T> = { readonly done: T } | { readonly error: unknown };
