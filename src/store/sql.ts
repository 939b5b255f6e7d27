import { ROUTES } from '../push.ts';

/** An engine in this process answers at once, one over a network later: callers await. */
export type Awaitable<T> = T | Promise<T>;

/**
 * A connection to the database, for what is asked of every engine in the same words. Each function declares a statement
 * once, with the types of its parameters and rows, and answers the function that executes it.
 *
 * Parameters are named (`:name`), and come as an object that may hold others as well. Words that only one engine knows
 * have no place in such a statement (test/store/handlers/portable-sql.test.ts).
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

/** The value of a named parameter: drivers would take one that is missing for NULL. */
export function valueIn(params: unknown, name: string): unknown {
  const values = params as Readonly<Record<string, unknown>>;
  const value = values[name];
  if (value === undefined && !Object.hasOwn(values, name)) throw new RangeError(`no value for :${name}`);
  return value;
}

/** Makes something of each text once, as of a statement's. */
export function memoized<T>(make: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const made = make(text);
    known.set(text, made);
    return made;
  };
}

/** All routes for `route IN (…)`, so that an index that begins with the route can be used. */
export const ROUTES_IN_SQL = ROUTES.map((route) => `'${route}'`).join(', ');

/** Ids that one statement takes at once. */
export const MOST_IDS = 100;
const NAMES = Array.from({ length: MOST_IDS }, (_, nth) => `id${nth}`);
/** SQL: a list of up to `MOST_IDS` parameters, in words of every engine. */
export const ID_LIST = `(${NAMES.map((name) => `:${name}`).join(', ')})`;

/** The parameters of `ID_LIST`. What is left is NULL, which is in no list. */
export function idList(ids: readonly (number | Uint8Array)[]): Readonly<Record<string, number | Uint8Array | null>> {
  if (ids.length > MOST_IDS) throw new RangeError(`${ids.length} ids for a list of ${MOST_IDS}`);
  return Object.fromEntries(NAMES.map((name, nth) => [name, ids[nth] ?? null]));
}

/**
 * SQL: rows with `of` in the first column of an index, and `from` to `to` in the second. PostgreSQL finds them by that index
 * because both columns are compared; by one it may read all rows in the order of their ids. Order by both columns.
 */
export function indexRange(
  table: string,
  [first, second]: readonly [string, string],
  of: string,
  from = '0',
  to = String(Number.MAX_SAFE_INTEGER),
): string {
  const columns = `(${table}.${first}, ${table}.${second})`;
  return `${columns} >= (CAST(${of} AS BIGINT), CAST(${from} AS BIGINT))
    AND ${columns} <= (CAST(${of} AS BIGINT), CAST(${to} AS BIGINT))`;
}
