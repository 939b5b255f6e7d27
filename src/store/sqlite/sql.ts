import type { Statement } from 'better-sqlite3';
import { memoized, type Sql, valueIn, withGiven } from '../sql.ts';
import type { Db } from './transaction.ts';

interface Bound {
  readonly statement: Statement;
  /** Parameter names, in order. */
  readonly names: readonly string[];
}
type Values = readonly unknown[];

/** Answers at once. */
interface SqliteSql extends Sql {
  get<P, Row>(text: string): (params: P) => Row | undefined;
  all<P, Row>(text: string): (params: P) => readonly Row[];
  parts<P, Row>(text: string): (params: P) => Iterable<readonly Row[]>;
  value<P, Value>(text: string): (params: P) => Value | undefined;
  values<P, Value>(text: string): (params: P) => readonly Value[];
  run<P>(text: string): (params: P) => number;
  insert<P>(text: string): (params: P) => number;
}

const known = new WeakMap<Db, SqliteSql>();

/** Returns a connection's portable SQL. Texts are compiled once, on first execution. */
export function sqlOver(db: Db): SqliteSql {
  const sql = known.get(db) ?? buildSql(db);
  known.set(db, sql);
  return sql;
}

function buildSql(db: Db): SqliteSql {
  const rows = memoized((text) => bind(db, text));
  const columns = memoized((text) => {
    const { statement, names } = bind(db, text);
    return { statement: statement.pluck(), names };
  });
  const executing =
    (of: (text: string) => Bound, execute: (statement: Statement, values: Values) => unknown) => (text: string) => {
      const given = withGiven(text);
      return (params: unknown): never => {
        const { statement, names } = of(given(params));
        return execute(
          statement,
          names.map((name) => valueIn(params, name)),
        ) as never;
      };
    };

  return {
    get: executing(rows, (statement, values) => statement.get(values)),
    all: executing(rows, (statement, values) => statement.all(values)),
    parts: executing(rows, (statement, values) => inParts(statement.iterate(values))),
    value: executing(columns, (statement, values) => statement.get(values)),
    values: executing(columns, (statement, values) => statement.all(values)),
    run: executing(rows, (statement, values) => statement.run(values).changes),
    insert: executing(rows, (statement, values) => Number(statement.run(values).lastInsertRowid)),
  };
}

/** Few, since each may be large; more than one, as parts are awaited. */
const ROWS_IN_A_PART = 20;

function* inParts(rows: Iterable<unknown>): Generator<readonly unknown[]> {
  let part: unknown[] = [];
  for (const row of rows) {
    part.push(row);
    if (part.length < ROWS_IN_A_PART) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

/** Binds parameters by place: names take twice as long. */
function bind(db: Db, text: string): Bound {
  const names: string[] = [];
  const byPlace = text.replace(/'[^']*'|:(\w+)/g, (found, name?: string) => {
    if (name === undefined) return found;
    names.push(name);
    return '?';
  });
  return { statement: db.prepare(byPlace), names };
}
