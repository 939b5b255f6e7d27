import { ROUTES } from '../push.ts';

/** Engines here answer at once, remote ones later: callers await. */
export type Awaitable<T> = T | Promise<T>;

/**
 * A connection for SQL shared by all engines. Each function declares a statement once, with types of parameters and
 * rows, and returns a function executing it.
 *
 * Named parameters (`:name`) come in an object that may hold more. Engine-specific words are forbidden
 * (test/store/handlers/portable-sql.test.ts).
 */
export interface Sql {
  get<P, Row>(text: string): (params: P) => Awaitable<Row | undefined>;
  all<P, Row>(text: string): (params: P) => Awaitable<readonly Row[]>;
  /** Returns rows in parts, read on demand. Nothing may be written meanwhile. */
  parts<P, Row>(text: string): (params: P) => Iterable<readonly Row[]> | AsyncIterable<readonly Row[]>;
  /** The first row's only column. */
  value<P, Value>(text: string): (params: P) => Awaitable<Value | undefined>;
  /** All rows' only column. */
  values<P, Value>(text: string): (params: P) => Awaitable<readonly Value[]>;
  /** Returns the number of changed rows. */
  run<P>(text: string): (params: P) => Awaitable<number>;
  /** Inserts a row, and returns its new `id`. */
  insert<P>(text: string): (params: P) => Awaitable<number>;
}

/** Returns a named parameter; drivers would take a missing one for NULL. */
export function valueIn(params: unknown, name: string): unknown {
  const values = params as Readonly<Record<string, unknown>>;
  const value = values[name];
  if (value === undefined && !Object.hasOwn(values, name)) throw new RangeError(`no value for :${name}`);
  return value;
}

/**
 * SQL: a condition that a statement has only if its parameter is not NULL, so a plan knows what is asked for. Conditions
 * may not be nested. No database takes such a text: `Sql` chooses its conditions at each execution.
 */
export function ifGiven(name: string, condition: string): string {
  return `{if ${name}}(${condition}){end}`;
}
const IF_GIVEN = /\{if (\w+)\}(.*?)\{end\}/gs;

/** Returns a text with the conditions (`ifGiven`) of some parameters; the others become TRUE. */
export function withConditions(text: string, isGiven: (name: string) => boolean): string {
  return text.replaceAll(IF_GIVEN, (_, name: string, condition: string) => (isGiven(name) ? condition : 'TRUE'));
}

/** Returns a function that chooses a statement's conditions by its parameters. */
export function withGiven(text: string): (params: unknown) => string {
  if (!text.includes('{if ')) return () => text;
  return (params) => withConditions(text, (name) => valueIn(params, name) !== null);
}

/** Makes something of each text once, such as of a statement's. */
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

/** Pushes of a deleted workspace stay until their removal, and are never sent. */
export const IS_OF_A_WORKSPACE = 'workspace_id IN (SELECT id FROM workspace)';

/** All routes for `route IN (…)`, to use indexes that begin with the route. */
export const ROUTES_IN_SQL = ROUTES.map((route) => `'${route}'`).join(', ');

/** Ids per statement. */
export const MOST_IDS = 100;
const NAMES = Array.from({ length: MOST_IDS }, (_, nth) => `id${nth}`);
/** SQL: up to `MOST_IDS` parameters, portable. */
export const ID_LIST = `(${NAMES.map((name) => `:${name}`).join(', ')})`;

/** Returns `ID_LIST`'s parameters, padded with NULL, which matches nothing. */
export function idList(ids: readonly (number | Uint8Array)[]): Readonly<Record<string, number | Uint8Array | null>> {
  if (ids.length > MOST_IDS) throw new RangeError(`${ids.length} ids for a list of ${MOST_IDS}`);
  return Object.fromEntries(NAMES.map((name, nth) => [name, ids[nth] ?? null]));
}

/**
 * SQL: rows with `of` in the first column of an index, and `from` to `to` in its second. Both columns are compared, so
 * PostgreSQL uses that index; with one, it may read all rows in the order of their ids. Order by both columns.
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
