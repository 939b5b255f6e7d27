import { ROUTES } from '../push.ts';

/** An engine in this process answers at once, one over a network later: callers await. */
export type Awaitable<T> = T | Promise<T>;

/**
 * A connection to the database, for what is asked of every engine in the same words. Each function declares a statement
 * once, with the types of its parameters and rows, and answers the function that executes it.
 *
 * Parameters are named (`:name`), and come as an object that may hold others as well. Words that only one engine knows
 * have no place in such a statement (test/store/verbs/portable-sql.test.ts).
 */
export interface Sql {
  /** The first row. */
  get<P, Row>(text: string): (params: P) => Awaitable<Row | undefined>;
  all<P, Row>(text: string): (params: P) => Awaitable<readonly Row[]>;
  /** The rows in parts: no part is read before it is asked for. Meanwhile nothing may be written. */
  parts<P, Row>(text: string): (params: P) => Iterable<readonly Row[]> | AsyncIterable<readonly Row[]>;
  /** The only column of the first row. */
  value<P, Value>(text: string): (params: P) => Awaitable<Value | undefined>;
  /** The only column of all rows. */
  values<P, Value>(text: string): (params: P) => Awaitable<readonly Value[]>;
  /** Returns how many rows were changed. */
  run<P>(text: string): (params: P) => Awaitable<number>;
  /** Inserts a row whose `id` the database chooses, and answers that. */
  insert<P>(text: string): (params: P) => Awaitable<number>;
}

/** For `route IN (…)`: all of them, so that an index which begins with the route serves. */
export const ROUTES_IN_SQL = ROUTES.map((route) => `'${route}'`).join(', ');
